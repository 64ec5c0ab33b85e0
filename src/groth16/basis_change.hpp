// The H query of one key family turned into the other's. Only the points of a key are needed, no secrets.
//
// Both stand for the multiples of Z(tau) / delta that the quotient polynomial picks from, Z = X^n - 1 on a domain of n:
//   kBellman   P_j = tau^j Z(tau) / delta,                          j = 0 .. n-2
//   kSnarkjs   H_i = l_i(tau) Z(tau) / (z delta),                   i = 0 .. n-1
// where l_i is the Lagrange basis of the coset g <w> and z = g^n - 1 the value of Z on it. Since tau^j = sum_i (g w^i)^j
// l_i(tau), P_j = z g^j sum_i w^(ij) H_i: a number-theoretic transform whose values are points.
#pragma once

#include <vector>

#include "base/progress.hpp"
#include "curve/affine.hpp"

namespace cuzk {

// H points of a kSnarkjs key, a power of two of them, to the powers of a kBellman key: one point fewer. About
// n log2(n) / 2 scalar multiplications, in parallel.
template <class G>
std::vector<Affine<G>> lagrange_to_powers(AffineView<G> lagrange, Progress* progress = nullptr);

// And back: n - 1 powers to n Lagrange points. The missing power tau^(n-1) is taken as infinity, which is as good for
// quotients (their degree is at most n - 2), but gives other points than a ceremony that knew it.
template <class G>
std::vector<Affine<G>> powers_to_lagrange(AffineView<G> powers, Progress* progress = nullptr);

#define CUZK_BASIS_CHANGE(prefix, G)                                                     \
    prefix template std::vector<Affine<G>> lagrange_to_powers(AffineView<G>, Progress*); \
    prefix template std::vector<Affine<G>> powers_to_lagrange(AffineView<G>, Progress*);
CUZK_BASIS_CHANGE(extern, Bls12_381G1)
CUZK_BASIS_CHANGE(extern, Bn254G1)

}  // namespace cuzk
