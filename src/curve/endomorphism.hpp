// The endomorphisms that make subgroup checks and scalar multiplication cheap: phi on G1 here, psi on G2 in
// curve/frobenius.hpp.
#pragma once

#include "curve/frobenius.hpp"

namespace cuzk {

// phi: (x, y) -> (beta x, y) with beta a primitive cube root of unity of Fp; phi^2 + phi + 1 = 0 on the whole curve. Of the
// two choices of beta the one for which, on the subgroup of order r,
//   BLS12-381:  phi(P) = -x^2 P
//   BN254:      (2 x + 1) P + (6 x^2 + 4 x + 1) phi(P) = 0  (so the eigenvalue is a root of 1 + X + X^2 mod r).
template <class C>
struct CubeRootEndomorphism {
    using G1 = typename C::G1;
    using F = typename C::Fp;

    F beta;

    // Computed on first use. Thread-safe.
    static const CubeRootEndomorphism& get();

    Affine<G1> operator()(const Affine<G1>& p) const { return {p.x * beta, p.y}; }
    Jacobian<G1> operator()(const Jacobian<G1>& p) const { return {p.x * beta, p.y, p.z}; }
};

extern template struct CubeRootEndomorphism<Bls12_381>;
extern template struct CubeRootEndomorphism<Bn254>;

}  // namespace cuzk
