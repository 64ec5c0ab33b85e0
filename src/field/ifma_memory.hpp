// Moving 8 field elements between memory (64-bit limbs, one element after another or anywhere) and vectors that hold one
// limb of all 8. Only for *_ifma.cpp files. The unnamed namespace gives everything internal linkage: no function compiled
// for AVX-512 can be merged with one of another object.
#pragma once

// g++ 12 takes the undefined vectors inside its own intrinsics for uninitialised reads.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop

#include "base/types.hpp"

#if !defined(__AVX512F__) || !defined(__AVX512IFMA__) || !defined(__AVX512VL__) || !defined(__AVX512DQ__)
#error "only for *_ifma.cpp files"
#endif

#define CUZK_LANES_INLINE [[gnu::always_inline]] inline

namespace cuzk::ifma {
namespace {

using Vec = __m512i;
using Mask = __mmask8;  // bit i speaks of lane i

CUZK_LANES_INLINE Vec splat(u64 x) {
    return _mm512_set1_epi64(static_cast<long long>(x));
}

CUZK_LANES_INLINE Vec load_halves(const u64* low, const u64* high) {
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(low));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(high));
    return _mm512_inserti64x4(_mm512_castsi256_si512(a), b, 1);
}

CUZK_LANES_INLINE Vec load_quarters(const u64* a, const u64* b, const u64* c, const u64* d) {
    const auto at = [](const u64* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); };
    Vec r = _mm512_castsi128_si512(at(a));
    r = _mm512_mask_broadcast_i64x2(r, 0x0c, at(b));
    r = _mm512_mask_broadcast_i64x2(r, 0x30, at(c));
    return _mm512_mask_broadcast_i64x2(r, 0xc0, at(d));
}

// w[k] = word k of the 8 rows, k < 4
CUZK_LANES_INLINE void load_rows4(Vec* w, const u64* const (&row)[8]) {
    const Vec a = load_halves(row[0], row[2]);
    const Vec b = load_halves(row[1], row[3]);
    const Vec c = load_halves(row[4], row[6]);
    const Vec d = load_halves(row[5], row[7]);
    const Vec even0 = _mm512_unpacklo_epi64(a, b), even1 = _mm512_unpacklo_epi64(c, d);
    const Vec odd0 = _mm512_unpackhi_epi64(a, b), odd1 = _mm512_unpackhi_epi64(c, d);
    w[0] = _mm512_shuffle_i64x2(even0, even1, 0x88);
    w[1] = _mm512_shuffle_i64x2(odd0, odd1, 0x88);
    w[2] = _mm512_shuffle_i64x2(even0, even1, 0xdd);
    w[3] = _mm512_shuffle_i64x2(odd0, odd1, 0xdd);
}

// The same for 8 rows of 4 words without gaps: 4 shuffles fewer.
CUZK_LANES_INLINE void load_dense4(Vec* w, const u64* first) {
    const Vec a = _mm512_loadu_si512(first), b = _mm512_loadu_si512(first + 8);
    const Vec c = _mm512_loadu_si512(first + 16), d = _mm512_loadu_si512(first + 24);
    const Vec even = _mm512_setr_epi64(0, 4, 2, 6, 8, 12, 10, 14);
    const Vec odd = _mm512_setr_epi64(1, 5, 3, 7, 9, 13, 11, 15);
    const Vec even0 = _mm512_permutex2var_epi64(a, even, b), even1 = _mm512_permutex2var_epi64(c, even, d);
    const Vec odd0 = _mm512_permutex2var_epi64(a, odd, b), odd1 = _mm512_permutex2var_epi64(c, odd, d);
    w[0] = _mm512_shuffle_i64x2(even0, even1, 0x88);
    w[1] = _mm512_shuffle_i64x2(odd0, odd1, 0x88);
    w[2] = _mm512_shuffle_i64x2(even0, even1, 0xdd);
    w[3] = _mm512_shuffle_i64x2(odd0, odd1, 0xdd);
}

// w[0], w[1] = words 4 and 5 of the 8 rows
CUZK_LANES_INLINE void load_rows2(Vec* w, const u64* const (&row)[8]) {
    const Vec a = load_quarters(row[0] + 4, row[2] + 4, row[4] + 4, row[6] + 4);
    const Vec b = load_quarters(row[1] + 4, row[3] + 4, row[5] + 4, row[7] + 4);
    w[0] = _mm512_unpacklo_epi64(a, b);
    w[1] = _mm512_unpackhi_epi64(a, b);
}

CUZK_LANES_INLINE void store_half(u64* low, u64* high, Vec v, bool with_low, bool with_high) {
    if (with_low) _mm256_storeu_si256(reinterpret_cast<__m256i*>(low), _mm512_castsi512_si256(v));
    if (with_high) _mm256_storeu_si256(reinterpret_cast<__m256i*>(high), _mm512_extracti64x4_epi64(v, 1));
}

CUZK_LANES_INLINE void store_quarter(u64* p, __m128i v, bool with) {
    if (with) _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v);
}

// Inverse of load_rows4 for the rows in mask; the others are not touched.
CUZK_LANES_INLINE void store_rows4(u64* const (&row)[8], const Vec* w, Mask mask) {
    const Vec a0 = _mm512_unpacklo_epi64(w[0], w[1]),
              a1 = _mm512_unpacklo_epi64(w[2], w[3]);  // rows 0, 2, 4, 6
    const Vec b0 = _mm512_unpackhi_epi64(w[0], w[1]),
              b1 = _mm512_unpackhi_epi64(w[2], w[3]);  // rows 1, 3, 5, 7
    const Vec low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const Vec high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    const auto has = [mask](int lane) { return ((mask >> lane) & 1) != 0; };
    store_half(row[0], row[2], _mm512_permutex2var_epi64(a0, low, a1), has(0), has(2));
    store_half(row[1], row[3], _mm512_permutex2var_epi64(b0, low, b1), has(1), has(3));
    store_half(row[4], row[6], _mm512_permutex2var_epi64(a0, high, a1), has(4), has(6));
    store_half(row[5], row[7], _mm512_permutex2var_epi64(b0, high, b1), has(5), has(7));
}

CUZK_LANES_INLINE void store_dense4(u64* first, const Vec* w) {
    const Vec low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const Vec high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    const Vec a0 = _mm512_permutex2var_epi64(w[0], low, w[1]),
              a1 = _mm512_permutex2var_epi64(w[2], low, w[3]);
    const Vec b0 = _mm512_permutex2var_epi64(w[0], high, w[1]),
              b1 = _mm512_permutex2var_epi64(w[2], high, w[3]);
    const Vec front = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const Vec back = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    _mm512_storeu_si512(first, _mm512_permutex2var_epi64(a0, front, a1));
    _mm512_storeu_si512(first + 8, _mm512_permutex2var_epi64(a0, back, a1));
    _mm512_storeu_si512(first + 16, _mm512_permutex2var_epi64(b0, front, b1));
    _mm512_storeu_si512(first + 24, _mm512_permutex2var_epi64(b0, back, b1));
}

CUZK_LANES_INLINE void store_rows2(u64* const (&row)[8], const Vec* w, Mask mask) {
    const Vec a = _mm512_unpacklo_epi64(w[0], w[1]);
    const Vec b = _mm512_unpackhi_epi64(w[0], w[1]);
    const auto has = [mask](int lane) { return ((mask >> lane) & 1) != 0; };
    store_quarter(row[0] + 4, _mm512_castsi512_si128(a), has(0));
    store_quarter(row[2] + 4, _mm512_extracti64x2_epi64(a, 1), has(2));
    store_quarter(row[4] + 4, _mm512_extracti64x2_epi64(a, 2), has(4));
    store_quarter(row[6] + 4, _mm512_extracti64x2_epi64(a, 3), has(6));
    store_quarter(row[1] + 4, _mm512_castsi512_si128(b), has(1));
    store_quarter(row[3] + 4, _mm512_extracti64x2_epi64(b, 1), has(3));
    store_quarter(row[5] + 4, _mm512_extracti64x2_epi64(b, 2), has(5));
    store_quarter(row[7] + 4, _mm512_extracti64x2_epi64(b, 3), has(7));
}

// ((low >> kRight) | (high << kLeft)) & mask; the shift counts are immediates of the instructions
template <unsigned kRight, unsigned kLeft>
CUZK_LANES_INLINE Vec funnel(Vec low, Vec high, Vec mask) {
    constexpr int kOrAnd = 0xa8;
    return _mm512_ternarylogic_epi64(_mm512_srli_epi64(low, kRight), _mm512_slli_epi64(high, kLeft), mask,
                                     kOrAnd);
}

// 64-bit words to 52-bit limbs, any integer of kWords words. 4 words: 5 limbs; 6 words: 8 limbs.
template <std::size_t kWords>
CUZK_LANES_INLINE void split_words(Vec* l, const Vec* w) {
    const Vec mask = splat((u64{1} << 52) - 1);
    l[0] = _mm512_and_si512(w[0], mask);
    l[1] = funnel<52, 12>(w[0], w[1], mask);
    l[2] = funnel<40, 24>(w[1], w[2], mask);
    l[3] = funnel<28, 36>(w[2], w[3], mask);
    if constexpr (kWords == 4) {
        l[4] = _mm512_srli_epi64(w[3], 16);
    } else {
        static_assert(kWords == 6);
        l[4] = funnel<16, 48>(w[3], w[4], mask);
        l[5] = _mm512_and_si512(_mm512_srli_epi64(w[4], 4), mask);
        l[6] = funnel<56, 8>(w[4], w[5], mask);
        l[7] = _mm512_srli_epi64(w[5], 44);
    }
}

// Inverse; the limbs are below 2^52 and the value below 2^(64 kWords).
template <std::size_t kWords>
CUZK_LANES_INLINE void join_limbs(Vec* w, const Vec* l) {
    w[0] = _mm512_or_si512(l[0], _mm512_slli_epi64(l[1], 52));
    w[1] = _mm512_or_si512(_mm512_srli_epi64(l[1], 12), _mm512_slli_epi64(l[2], 40));
    w[2] = _mm512_or_si512(_mm512_srli_epi64(l[2], 24), _mm512_slli_epi64(l[3], 28));
    w[3] = _mm512_or_si512(_mm512_srli_epi64(l[3], 36), _mm512_slli_epi64(l[4], 16));
    if constexpr (kWords == 6) {
        constexpr int kOr3 = 0xfe;
        w[4] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(l[4], 48), _mm512_slli_epi64(l[5], 4),
                                         _mm512_slli_epi64(l[6], 56), kOr3);
        w[5] = _mm512_or_si512(_mm512_srli_epi64(l[6], 8), _mm512_slli_epi64(l[7], 44));
    }
}

}  // namespace
}  // namespace cuzk::ifma
