// Elementwise operations on vectors of field elements, in parallel, 8 at a time where the processor can.
// Montgomery form; spans of equal length, else Error(kInternal).
#pragma once

#include <span>

#include "field/fp.hpp"

namespace cuzk {

// out[i] = a[i] b[i]; out may be a or b.
template <class Fr>
void multiply(std::span<const Fr> a, std::span<const Fr> b, std::span<Fr> out);

// a[i] = a[i] b[i]
template <class Fr>
void multiply_into(std::span<Fr> a, std::span<const Fr> b);

// a[i] = a[i] b[i] - c[i]
template <class Fr>
void multiply_subtract_into(std::span<Fr> a, std::span<const Fr> b, std::span<const Fr> c);

// a[i] = (a[i] - b[i]) factor
template <class Fr>
void subtract_scale_into(std::span<Fr> a, std::span<const Fr> b, const Fr& factor);

#define CUZK_POINTWISE(linkage, Fr)                                                               \
    linkage void multiply(std::span<const Fr>, std::span<const Fr>, std::span<Fr>);               \
    linkage void multiply_into(std::span<Fr>, std::span<const Fr>);                               \
    linkage void multiply_subtract_into(std::span<Fr>, std::span<const Fr>, std::span<const Fr>); \
    linkage void subtract_scale_into(std::span<Fr>, std::span<const Fr>, const Fr&);
CUZK_POINTWISE(extern template, Bls12_381Fr)
CUZK_POINTWISE(extern template, Bn254Fr)

}  // namespace cuzk
