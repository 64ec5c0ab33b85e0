// Membership in the subgroup of order r, by endomorphisms: a 64- to 128-bit multiplication in place of a 255-bit one.
//
// The checks are exact on every point of the curve (of its twist for G2), never probabilistic:
//   BLS12-381 G1  phi(P) = -x^2 P. With phi^2 + phi + 1 = 0 that gives (x^4 - x^2 + 1) P = r P = 0 (Scott 2021).
//   BLS12-381 G2  psi(Q) = x Q. With psi^2 - (x + 1) psi + p = 0 that gives (p - x) Q = h1 r Q = 0, where h1 is the cofactor
//                 of G1; it is coprime to the cofactor of G2, hence r Q = 0 (Scott 2021).
//   BN254 G1      the whole curve: its order is r.
//   BN254 G2      (x + 1) Q + psi(x Q) + psi^2(x Q) = psi^3(2 x Q) (El Housni, Guillevic, Piellard 2022; Dai et al. 2023). Let f be
//                 this polynomial in psi and N its resultant with psi^2 - t psi + p: N Q = 0, and the greatest common
//                 divisor of N with the order of the twist is r, hence r Q = 0. On the subgroup psi is p, and r divides f(p).
// Thread-safe.
#pragma once

#include <optional>

#include "curve/affine.hpp"

namespace cuzk {

// Whether r p = 0. The point must be on the curve; infinity is in the subgroup.
template <class G>
bool in_subgroup(const Affine<G>& p);

// On the curve and in the subgroup.
template <class G>
bool is_valid(const Affine<G>& p) {
    return p.is_on_curve() && in_subgroup(p);
}

// Index of the first point that is not in the subgroup; all must be on the curve. On this thread, 8 points at a time where
// the processor has AVX-512 IFMA.
template <class G>
std::optional<std::size_t> first_outside_subgroup(std::span<const Affine<G>> points);

// Index of the first point that is not valid (off the curve, or outside the subgroup). In parallel.
template <class G>
std::optional<std::size_t> find_invalid(AffineView<G> points);

#define CUZK_DECLARE_SUBGROUP(G)                                                                   \
    extern template bool in_subgroup(const Affine<G>&);                                            \
    extern template std::optional<std::size_t> first_outside_subgroup(std::span<const Affine<G>>); \
    extern template std::optional<std::size_t> find_invalid(AffineView<G>)
CUZK_DECLARE_SUBGROUP(Bls12_381G1);
CUZK_DECLARE_SUBGROUP(Bls12_381G2);
CUZK_DECLARE_SUBGROUP(Bn254G1);
CUZK_DECLARE_SUBGROUP(Bn254G2);
#undef CUZK_DECLARE_SUBGROUP

}  // namespace cuzk
