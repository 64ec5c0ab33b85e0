// Elementwise operations on vectors of field elements, in parallel. Montgomery form; spans of equal length, else
// Error(kInternal).
#pragma once

#include <span>

#include "field/fp.hpp"

namespace cuzk {

// a[i] = a[i] b[i]
template <class Fr>
void multiply_into(std::span<Fr> a, std::span<const Fr> b);

// a[i] = a[i] b[i] - c[i]
template <class Fr>
void multiply_subtract_into(std::span<Fr> a, std::span<const Fr> b, std::span<const Fr> c);

// a[i] = (a[i] b[i] - c[i]) scale
template <class Fr>
void multiply_subtract_scale_into(std::span<Fr> a, std::span<const Fr> b, std::span<const Fr> c,
                                  const Fr& scale);

// a[i] = a[i] first ratio^i
template <class Fr>
void scale_by_powers(std::span<Fr> a, const Fr& first, const Fr& ratio);

// out[i] = a[i] b[i]; out may be a or b.
template <class Fr>
void multiply(std::span<const Fr> a, std::span<const Fr> b, std::span<Fr> out);

#define CUZK_POINTWISE(linkage, Fr)                                                                    \
    linkage void multiply_into(std::span<Fr>, std::span<const Fr>);                                    \
    linkage void multiply_subtract_into(std::span<Fr>, std::span<const Fr>, std::span<const Fr>);      \
    linkage void multiply_subtract_scale_into(std::span<Fr>, std::span<const Fr>, std::span<const Fr>, \
                                              const Fr&);                                              \
    linkage void scale_by_powers(std::span<Fr>, const Fr&, const Fr&);                                 \
    linkage void multiply(std::span<const Fr>, std::span<const Fr>, std::span<Fr>);
CUZK_POINTWISE(extern template, Bls12_381Fr)
CUZK_POINTWISE(extern template, Bn254Fr)

}  // namespace cuzk
