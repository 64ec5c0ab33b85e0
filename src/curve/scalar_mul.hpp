// Multiplication of one point by one scalar, about twice (G1) to three times (G2) as fast as doubling and adding: the scalar
// splits into short ones along an endomorphism (Gallant, Lambert, Vanstone 2001; Galbraith, Lin, Scott 2009), and their
// signed windows share the doublings.
//
// The point must be in the subgroup of order r: elsewhere the endomorphisms have no fixed eigenvalue and the result is
// meaningless. Thread-safe; not constant-time.
#pragma once

#include "curve/jacobian.hpp"

namespace cuzk {

// k p for any 256-bit integer k.
template <class G>
Jacobian<G> scalar_mul(const Jacobian<G>& p, const typename G::Scalar::Int& k);
template <class G>
Jacobian<G> scalar_mul(const Affine<G>& p, const typename G::Scalar::Int& k) {
    return scalar_mul(Jacobian<G>::from_affine(p), k);
}

// (a + b lambda) p at the price of a 64-bit multiplication. lambda is the eigenvalue of the cube-root endomorphism of G1
// (endomorphism_eigenvalue). The 2^128 scalars a + b lambda differ mod r, so random a and b make coefficients
// for a random linear combination as good as random 128-bit integers.
template <class G1>
Jacobian<G1> short_endomorphism_mul(const Affine<G1>& p, u64 a, u64 b);
template <class G1>
typename G1::Scalar endomorphism_eigenvalue();

#define CUZK_SCALAR_MUL(PREFIX, G) \
    PREFIX template Jacobian<G> scalar_mul(const Jacobian<G>&, const typename G::Scalar::Int&)
#define CUZK_SHORT_MUL(PREFIX, G1)                                                    \
    PREFIX template Jacobian<G1> short_endomorphism_mul(const Affine<G1>&, u64, u64); \
    PREFIX template G1::Scalar endomorphism_eigenvalue<G1>()
CUZK_SCALAR_MUL(extern, Bls12_381G1);
CUZK_SCALAR_MUL(extern, Bls12_381G2);
CUZK_SCALAR_MUL(extern, Bn254G1);
CUZK_SCALAR_MUL(extern, Bn254G2);
CUZK_SHORT_MUL(extern, Bls12_381G1);
CUZK_SHORT_MUL(extern, Bn254G1);

}  // namespace cuzk
