// The last step of every backend: from the five sums of a proof to the proof.
#pragma once

#include "curve/jacobian.hpp"
#include "groth16/blinding.hpp"
#include "groth16/types.hpp"

namespace cuzk {

// Sums over the queries of a key, without blinding and without the fixed points.
template <class C>
struct Sums {
    Jacobian<typename C::G1> a, b_g1, l, h;
    Jacobian<typename C::G2> b_g2;
};

// The prover's equations; see Groth 2016, section 3.2. A few scalar multiplications.
template <class C>
Proof<C> assemble(const VerifyingKey<C>& vk, const Sums<C>& sums, const Blinding<typename C::Fr>& blinding);

extern template Proof<Bls12_381> assemble(const VerifyingKey<Bls12_381>&, const Sums<Bls12_381>&,
                                          const Blinding<Bls12_381Fr>&);
extern template Proof<Bn254> assemble(const VerifyingKey<Bn254>&, const Sums<Bn254>&,
                                      const Blinding<Bn254Fr>&);

}  // namespace cuzk
