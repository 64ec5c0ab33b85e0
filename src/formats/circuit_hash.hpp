// The circuit hash that snarkjs puts into a fresh .zkey.
#pragma once

#include <array>

#include "base/progress.hpp"
#include "groth16/types.hpp"

namespace cuzk {

// BLAKE2b-512 over the key in the form of a .params file (all variables' points; H as powers), as `snarkjs groth16 setup`
// computes it. Defined for keys without contributions, gamma = delta = the generator; of another key it is just a digest.
// Costs a transform of the H query: about n log2(n) / 2 scalar multiplications.
template <class C>
std::array<u8, 64> circuit_hash(const ProvingKey<C>& key, Progress* progress = nullptr);

extern template std::array<u8, 64> circuit_hash(const ProvingKey<Bn254>&, Progress*);
extern template std::array<u8, 64> circuit_hash(const ProvingKey<Bls12_381>&, Progress*);

}  // namespace cuzk
