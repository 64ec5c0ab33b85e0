// Registered circuits with their keys, as a device takes them.
#pragma once

#include <string>
#include <vector>

#include "engine/backend_device.hpp"

namespace cuzk::engine {

// A circuit that the engine proves beside Filecoin's, by its files.
struct CircuitSpec {
    std::string id;   // 1 to 64 of A-Z a-z 0-9 . _ -; no name of a Filecoin circuit
    std::string key;  // .zkey, or bellman's .params
    std::string
        r1cs;  // names the constraint that a witness breaks; may be empty for a .zkey: then nothing can
    bool allow_insecure_key = false;  // a key under which anyone can forge proofs (fit for tests)
};

// Proves the values of all variables. Immutable once its key is open.
template <class C>
class RegisteredKey : public BackendCircuit<C> {
public:
    using Values = std::shared_ptr<const std::vector<typename C::Fr>>;
    // `z` has variables() values, the constant one first.
    virtual std::unique_ptr<Witness> witness(Values z) const = 0;
};

// Reads what is not points. `vk`: as it was at registration; Error(kEnvironment) if the file has another one by now. Throws what
// the readers of formats/ throw.
template <class C>
std::unique_ptr<Circuit> load_zkey_circuit(const CircuitSpec& spec, const VerifyingKey<C>& vk);
std::unique_ptr<Circuit> load_params_circuit(const CircuitSpec& spec, const VerifyingKey<Bls12_381>& vk);

extern template std::unique_ptr<Circuit> load_zkey_circuit(const CircuitSpec&,
                                                           const VerifyingKey<Bls12_381>&);
extern template std::unique_ptr<Circuit> load_zkey_circuit(const CircuitSpec&, const VerifyingKey<Bn254>&);

}  // namespace cuzk::engine
