// Why a proof did not come out valid.
#pragma once

#include "base/error.hpp"
#include "groth16/types.hpp"
#include "r1cs/compact_witness.hpp"
#include "r1cs/r1cs.hpp"

namespace cuzk {

// Finds the reason, taking as long as it needs: the violated constraint (where `r1cs` or ready rows show it),
// a key that is of another circuit, a damaged point of the key. Never claims more than it checked.
template <class C>
Error diagnose(const ProvingKey<C>& key, std::span<const typename C::Fr> z, const R1cs<typename C::Fr>* r1cs);
template <class C>
Error diagnose(const ProvingKey<C>& key, const Assignment<typename C::Fr>& assignment);
// Evaluates all rows, which takes the memory of an assignment.
template <class C>
Error diagnose(const ProvingKey<C>& key, const CompactWitness<typename C::Fr>& witness);

#define CUZK_DIAGNOSIS(prefix, C)                                                                     \
    prefix template Error diagnose(const ProvingKey<C>&, std::span<const C::Fr>, const R1cs<C::Fr>*); \
    prefix template Error diagnose(const ProvingKey<C>&, const Assignment<C::Fr>&);                   \
    prefix template Error diagnose(const ProvingKey<C>&, const CompactWitness<C::Fr>&);
CUZK_DIAGNOSIS(extern, Bls12_381)
CUZK_DIAGNOSIS(extern, Bn254)

}  // namespace cuzk
