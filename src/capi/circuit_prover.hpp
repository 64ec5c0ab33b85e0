// One .zkey kept ready for witnesses, whichever its curve.
#pragma once

#include <memory>
#include <string>

#include "base/byte_source.hpp"
#include "gpu/backend.hpp"

namespace cuzk::capi {

struct CircuitProverOptions {
    std::string device = "cpu";  // as gpu::choose_backend takes it
    gpu::BackendOptions backend;
    std::string r1cs;  // path; empty: none
    bool allow_insecure_key = false;
};

// Thread-safe.
class CircuitProver {
public:
    struct Texts {
        std::string proof, inputs;  // proof.json, public.json
    };

    virtual ~CircuitProver() = default;
    // Throws what read_wtns and Prover::prove throw.
    virtual Texts prove(const ByteSource& witness) = 0;
    virtual std::string verifying_key() const = 0;  // verification_key.json
};

// Throws what the readers throw; Error(kUnsupported) for a key under which anyone can forge, unless allowed.
std::unique_ptr<CircuitProver> open_circuit_prover(const std::string& zkey_path,
                                                   const CircuitProverOptions& options);

}  // namespace cuzk::capi
