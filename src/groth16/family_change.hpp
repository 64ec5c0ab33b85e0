// A key of one family turned into a key of the other, for the same circuit and the same secrets.
//
// Two things differ beyond layout. The H query has another basis (groth16/basis_change.hpp). And where the families' domain
// roots differ (BLS12-381), constraint i belongs to another point of the domain: the point of bellman's row i is that of
// snarkjs' row stride * i mod n. Converted keys keep every row at its point, hence:
//   - a converted kSnarkjs key has its matrices' rows permuted (any prover of that family takes them as they are);
//   - a converted kBellman key wants assignments whose row i is the .zkey's row stride * i mod n, n rows in all. A program
//     that synthesises the circuit in its own order cannot use it, a prover that is given a, b, c can.
#pragma once

#include "base/progress.hpp"
#include "groth16/types.hpp"
#include "r1cs/r1cs.hpp"

namespace cuzk {

// The odd number `stride` above, below 2^log_domain; 1 where the roots agree.
template <class Fr>
std::size_t row_stride(unsigned log_domain);

// Throws Error(kUnsupported) for a key with an IC or L point at infinity (a variable that no constraint uses), which
// bellman's files cannot hold; Error(kMalformed) if the B queries in G1 and G2 disagree about infinity.
template <class C>
ProvingKey<C> bellman_from_snarkjs(const ProvingKey<C>& key, Progress* progress = nullptr);

// Needs the circuit, since a kBellman key holds no matrices; Error(kMalformed) if the key's counts are not the circuit's.
template <class C>
ProvingKey<C> snarkjs_from_bellman(const ProvingKey<C>& key, const R1cs<typename C::Fr>& r1cs,
                                   Progress* progress = nullptr);

extern template std::size_t row_stride<Bls12_381Fr>(unsigned);
extern template std::size_t row_stride<Bn254Fr>(unsigned);
extern template ProvingKey<Bls12_381> bellman_from_snarkjs(const ProvingKey<Bls12_381>&, Progress*);
extern template ProvingKey<Bls12_381> snarkjs_from_bellman(const ProvingKey<Bls12_381>&,
                                                           const R1cs<Bls12_381Fr>&, Progress*);

}  // namespace cuzk
