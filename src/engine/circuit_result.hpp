// The result of a job on a registered circuit, as snarkjs writes it.
#pragma once

#include <string>

#include "engine/types.hpp"

namespace cuzk::engine {

struct CircuitTexts {
    std::string curve;          // "bn128", "bls12381"
    std::string proof, inputs;  // proof.json, public.json
};

// Of a completed job on such a circuit. Throws Error(kMalformed) or Error(kInternal) where its bytes are not what engines write.
CircuitTexts circuit_texts(const JobResult& result);

}  // namespace cuzk::engine
