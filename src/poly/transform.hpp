// Transforms of any power-of-two length as passes over 8 columns at a time.
//
// A vector of 2^k elements is read as a matrix with two digits of its index (three above 2^22): each pass
// transforms along one digit and multiplies by the twiddles that couple it to the lower ones (Gentleman and
// Sande 1966; Bailey, "FFTs in external or hierarchical memory", 1990). Every element is read and written
// once a pass. The outer digits are equally long, so that the final reversal of digits is a swap of pairs, in
// place.
#pragma once

#include <optional>
#include <span>

#include "poly/twiddles.hpp"

namespace cuzk::ntt {

// The tables and root of one direction.
template <class Fr>
struct RootSet {
    Fr root;            // of order values.size()
    Factors<Fr> table;  // root_table of its family and direction
};

// Output k = scale out_ratio^k sum_n (in_ratio^n values[n]) root^(n k), natural order at both ends.
template <class Fr>
void transform(std::span<Fr> values, const RootSet<Fr>& roots, const std::optional<Fr>& in_ratio,
               const Fr& scale, const std::optional<Fr>& out_ratio);

// transform(values, there, {}, scale, ratio), then transform(values, back, {}, 1, {}), without ordering in
// between.
template <class Fr>
void transform_there_and_back(std::span<Fr> values, const RootSet<Fr>& there, const RootSet<Fr>& back,
                              const Fr& scale, const Fr& ratio);

extern template void transform(std::span<Bls12_381Fr>, const RootSet<Bls12_381Fr>&,
                               const std::optional<Bls12_381Fr>&, const Bls12_381Fr&,
                               const std::optional<Bls12_381Fr>&);
extern template void transform(std::span<Bn254Fr>, const RootSet<Bn254Fr>&, const std::optional<Bn254Fr>&,
                               const Bn254Fr&, const std::optional<Bn254Fr>&);
extern template void transform_there_and_back(std::span<Bls12_381Fr>, const RootSet<Bls12_381Fr>&,
                                              const RootSet<Bls12_381Fr>&, const Bls12_381Fr&,
                                              const Bls12_381Fr&);
extern template void transform_there_and_back(std::span<Bn254Fr>, const RootSet<Bn254Fr>&,
                                              const RootSet<Bn254Fr>&, const Bn254Fr&, const Bn254Fr&);

}  // namespace cuzk::ntt
