// Values of an instanced constraint system under a witness. All are parallel.
#pragma once

#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "r1cs/compact_witness.hpp"
#include "r1cs/instanced.hpp"

namespace cuzk {

// z = inputs, then aux, as full field elements. Throws Error(kInternal) if the witness is of another circuit.
template <class Fr>
std::vector<Fr> expand(const InstancedR1cs<Fr>& r1cs, const CompactWitness<Fr>& witness);

// A(z), B(z), C(z), one value a row, followed by the rows that provers append for the inputs (A = the input, B = C = 0).
// Each span has constraints + inputs values. Parallel.
template <class Fr>
void evaluate(const InstancedR1cs<Fr>& r1cs, std::type_identity_t<std::span<const Fr>> z,
              std::type_identity_t<std::span<Fr>> a, std::type_identity_t<std::span<Fr>> b,
              std::type_identity_t<std::span<Fr>> c);

// First row with A(z) B(z) != C(z), if any.
template <class Fr>
std::optional<u64> first_violation(std::span<const Fr> a, std::span<const Fr> b, std::span<const Fr> c);

#define CUZK_INSTANCED_VALUES(prefix, Fr)                                                        \
    prefix template std::vector<Fr> expand(const InstancedR1cs<Fr>&, const CompactWitness<Fr>&); \
    prefix template void evaluate(const InstancedR1cs<Fr>&, std::span<const Fr>, std::span<Fr>,  \
                                  std::span<Fr>, std::span<Fr>);                                 \
    prefix template std::optional<u64> first_violation(std::span<const Fr>, std::span<const Fr>, \
                                                       std::span<const Fr>);
CUZK_INSTANCED_VALUES(extern, Bls12_381Fr)
CUZK_INSTANCED_VALUES(extern, Bn254Fr)

}  // namespace cuzk
