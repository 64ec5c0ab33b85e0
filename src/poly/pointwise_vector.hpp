// The vector path of poly/pointwise.hpp: whole vectors of 8 elements, one thread. Only where the processor
// has AVX-512 IFMA. Elements are their memory words, 4 each.
#pragma once

#include "base/types.hpp"

namespace cuzk::pointwise {

// out = a b
template <class P>
void multiply_vectors(const u64* a, const u64* b, u64* out, std::size_t vectors);

// out = a b - c
template <class P>
void multiply_subtract_vectors(const u64* a, const u64* b, const u64* c, u64* out, std::size_t vectors);

// out = (a - b) factor, the factor prepared as in poly/twiddles.hpp
template <class P>
void subtract_scale_vectors(const u64* a, const u64* b, const u64* factor, u64* out, std::size_t vectors);

}  // namespace cuzk::pointwise
