// 8 elements of a prime field in AVX-512 IFMA vectors: the batch path of transforms and sums. Only for *_ifma.cpp files.
//
// Form. A lane holds an integer in N limbs of 52 bits (5 for the 4-word fields, 8 for the 6-word one); products divide by
// R' = 2^(52 N). Memory holds x R mod p with R = 2^(64 words); loading only repacks bits, so a loaded value is "raw":
// x R = (x 2^-e) R' with e = Limbs52::kExtra. mul(raw, c R') is raw again; mul(raw, raw) is raw 2^-e. Conversions are
// mul by the constants kToLanes (raw to x R') and kToRaw (back).
//
// Ranges. "Normal": every limb below 2^52. Values between operations are normal and below 2p: `add`, `sub`, `neg`, `mul`,
// `sqr` and `load` (of reduced memory) give that. Products do not need it: mul takes normal values a < A p, b < B p with
// A B p <= R' (A B <= 35 in the 255-bit field, 84 in the 254-bit ones, 2^35 in BLS12-381 Fp), so sums and differences that
// only feed products can use the lazy forms, and several of them can share one `normalize`:
//   loose: limbs are any signed 64-bit numbers, the value (sum of limb 2^(52 i)) is what counts; `add_loose`, `sub_loose`
//   and `mul_loose` give loose values; `normalize` carries and needs a value in [0, R').
// Products come out below p (1 + A B p / R').
//
// Not constant-time.
#pragma once

#include "field/ifma_sums.hpp"

namespace cuzk {

// a^-1 R^2 mod p of an integer a below p (0 for 0): inversion in the Montgomery form of memory. Defined in inverse.cpp, so
// that nothing of it is compiled for AVX-512.
template <class P>
void invert_montgomery_words(u64* words);

}  // namespace cuzk

namespace cuzk::ifma {
namespace {

// --- products --------------------------------------------------------------------------------------------------------

// An unreduced product or a sum of such: 2N limbs, loose, of any sign.
template <class P>
struct Wide {
    Vec t[2 * Lanes<P>::N];
};

template <class P>
struct LaneModulus {
    static constexpr auto kLimbs = Limbs52<P>::multiple(1);
    CUZK_LANES_INLINE static Vec limb(std::size_t i) { return splat(kLimbs.limb[i]); }
};

// One Montgomery row folds in without its lowest column: that column's sum is a multiple of 2^52, so its carry is
// ceil(t0 / 2^52) whatever the product q p_0 is.
CUZK_LANES_INLINE Vec row_carry(Vec t0) {
    return _mm512_srai_epi64(_mm512_add_epi64(t0, splat((u64{1} << 52) - 1)), 52);
}

// a b / R' mod p, loose: limbs in [0, 2^58). Operand scanning, one multiply-add a partial product and half; the next row's
// lowest column is summed apart from the reduction, which leaves two multiply-adds and a sum between successive quotients.
template <class P>
CUZK_LANES_INLINE Lanes<P> mul_loose(const Lanes<P>& a, const Lanes<P>& b) {
    constexpr std::size_t N = Lanes<P>::N;
    using M = LaneModulus<P>;
    const Vec zero = _mm512_setzero_si512();
    const Vec n0 = splat(Limbs52<P>::kN0);
    Vec t[N + 1];
#pragma GCC unroll 8
    for (std::size_t j = 0; j < N; ++j) t[j] = _mm512_madd52lo_epu64(zero, a.l[0], b.l[j]);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < N; ++i) {
        const Vec q = _mm512_madd52lo_epu64(zero, t[0], n0);
        Vec next = row_carry(t[0]);
        if (i + 1 < N) next = _mm512_madd52lo_epu64(next, a.l[i + 1], b.l[0]);
        t[N] = zero;
#pragma GCC unroll 8
        for (std::size_t j = 0; j < N; ++j) t[j + 1] = _mm512_madd52hi_epu64(t[j + 1], a.l[i], b.l[j]);
        if (i + 1 < N) {
#pragma GCC unroll 8
            for (std::size_t j = 1; j < N; ++j)
                t[j + 1] = _mm512_madd52lo_epu64(t[j + 1], a.l[i + 1], b.l[j]);
        }
        next = _mm512_madd52hi_epu64(next, q, M::limb(0));
        t[0] = _mm512_add_epi64(_mm512_madd52lo_epu64(t[1], q, M::limb(1)), next);
#pragma GCC unroll 8
        for (std::size_t j = 2; j < N; ++j)
            t[j - 1] = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(t[j], q, M::limb(j)), q, M::limb(j - 1));
        t[N - 1] = _mm512_madd52hi_epu64(t[N], q, M::limb(N - 1));
    }
    Lanes<P> r;
#pragma GCC unroll 8
    for (std::size_t j = 0; j < N; ++j) r.l[j] = t[j];
    return r;
}

template <class P>
CUZK_LANES_INLINE Lanes<P> mul(const Lanes<P>& a, const Lanes<P>& b) {
    return normalize(mul_loose(a, b));
}

// w += a b without reduction; operands normal, of any size.
template <class P>
CUZK_LANES_INLINE void accumulate(Wide<P>& w, const Lanes<P>& a, const Lanes<P>& b) {
    constexpr std::size_t N = Lanes<P>::N;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < N; ++i) {
#pragma GCC unroll 8
        for (std::size_t j = 0; j < N; ++j) w.t[i + j] = _mm512_madd52lo_epu64(w.t[i + j], a.l[i], b.l[j]);
#pragma GCC unroll 8
        for (std::size_t j = 0; j < N; ++j)
            w.t[i + j + 1] = _mm512_madd52hi_epu64(w.t[i + j + 1], a.l[i], b.l[j]);
    }
}

template <class P>
CUZK_LANES_INLINE Wide<P> mul_wide(const Lanes<P>& a, const Lanes<P>& b) {
    Wide<P> r;
#pragma GCC unroll 16
    for (std::size_t k = 0; k < 2 * Lanes<P>::N; ++k) r.t[k] = _mm512_setzero_si512();
    accumulate(r, a, b);
    return r;
}

// a^2 without reduction: the mixed products once, doubled.
template <class P>
CUZK_LANES_INLINE Wide<P> sqr_wide(const Lanes<P>& a) {
    constexpr std::size_t N = Lanes<P>::N;
    Wide<P> r;
#pragma GCC unroll 16
    for (std::size_t k = 0; k < 2 * N; ++k) r.t[k] = _mm512_setzero_si512();
#pragma GCC unroll 8
    for (std::size_t i = 0; i < N; ++i) {
#pragma GCC unroll 8
        for (std::size_t j = i + 1; j < N; ++j) {
            r.t[i + j] = _mm512_madd52lo_epu64(r.t[i + j], a.l[i], a.l[j]);
            r.t[i + j + 1] = _mm512_madd52hi_epu64(r.t[i + j + 1], a.l[i], a.l[j]);
        }
    }
#pragma GCC unroll 16
    for (std::size_t k = 0; k < 2 * N; ++k) r.t[k] = _mm512_add_epi64(r.t[k], r.t[k]);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < N; ++i) {
        r.t[2 * i] = _mm512_madd52lo_epu64(r.t[2 * i], a.l[i], a.l[i]);
        r.t[2 * i + 1] = _mm512_madd52hi_epu64(r.t[2 * i + 1], a.l[i], a.l[i]);
    }
    return r;
}

template <class P>
CUZK_LANES_INLINE Wide<P> add_wide(const Wide<P>& a, const Wide<P>& b) {
    Wide<P> r;
#pragma GCC unroll 16
    for (std::size_t k = 0; k < 2 * Lanes<P>::N; ++k) r.t[k] = _mm512_add_epi64(a.t[k], b.t[k]);
    return r;
}
template <class P>
CUZK_LANES_INLINE Wide<P> sub_wide(const Wide<P>& a, const Wide<P>& b) {
    Wide<P> r;
#pragma GCC unroll 16
    for (std::size_t k = 0; k < 2 * Lanes<P>::N; ++k) r.t[k] = _mm512_sub_epi64(a.t[k], b.t[k]);
    return r;
}

// w / R' mod p, loose: between w / R' and w / R' + p, negative if w is below -p R'.
template <class P>
CUZK_LANES_INLINE Lanes<P> redc_loose(Wide<P> w) {
    constexpr std::size_t N = Lanes<P>::N;
    using M = LaneModulus<P>;
    const Vec zero = _mm512_setzero_si512();
    const Vec n0 = splat(Limbs52<P>::kN0);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < N; ++i) {
        const Vec q = _mm512_madd52lo_epu64(zero, w.t[i], n0);
        const Vec next = _mm512_madd52hi_epu64(row_carry(w.t[i]), q, M::limb(0));
        w.t[i + 1] = _mm512_add_epi64(_mm512_madd52lo_epu64(w.t[i + 1], q, M::limb(1)), next);
#pragma GCC unroll 8
        for (std::size_t j = 2; j < N; ++j)
            w.t[i + j] =
                _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(w.t[i + j], q, M::limb(j)), q, M::limb(j - 1));
        w.t[i + N] = _mm512_madd52hi_epu64(w.t[i + N], q, M::limb(N - 1));
    }
    Lanes<P> r;
#pragma GCC unroll 8
    for (std::size_t j = 0; j < N; ++j) r.l[j] = w.t[N + j];
    return r;
}

template <class P>
CUZK_LANES_INLINE Lanes<P> sqr_loose(const Lanes<P>& a) {
    return redc_loose(sqr_wide(a));
}
template <class P>
CUZK_LANES_INLINE Lanes<P> sqr(const Lanes<P>& a) {
    return normalize(sqr_loose(a));
}

// a 2^-bits mod p, normal: a partial Montgomery step. a normal and below A p; the result is below (1 + A / 2^bits) p.
template <unsigned bits, class P>
CUZK_LANES_INLINE Lanes<P> scale_down(const Lanes<P>& a) {
    static_assert(bits > 0 && bits <= Limbs52<P>::kExtra, "a + q p must stay below R'");
    constexpr std::size_t N = Lanes<P>::N;
    using M = LaneModulus<P>;
    const Vec low = splat((u64{1} << bits) - 1);
    const Vec q =
        _mm512_and_si512(_mm512_madd52lo_epu64(_mm512_setzero_si512(), a.l[0], splat(Limbs52<P>::kN0)), low);
    Lanes<P> t;
#pragma GCC unroll 8
    for (std::size_t j = 0; j < N; ++j) {
        t.l[j] = _mm512_madd52lo_epu64(a.l[j], q, M::limb(j));
        if (j > 0) t.l[j] = _mm512_madd52hi_epu64(t.l[j], q, M::limb(j - 1));
    }
    t = normalize(t);
    const Vec mask = splat(Limbs52<P>::kMask);
    Lanes<P> r;
#pragma GCC unroll 8
    for (std::size_t j = 0; j + 1 < N; ++j) r.l[j] = funnel<bits, 52 - bits>(t.l[j], t.l[j + 1], mask);
    r.l[N - 1] = _mm512_srli_epi64(t.l[N - 1], bits);
    return r;
}

// --- stores ----------------------------------------------------------------------------------------------------------

// Normal values below 2^(64 words) to memory as they are; a lane whose bit in mask is clear is not written.
template <class P>
CUZK_LANES_INLINE void store_each_unreduced(u64* const (&rows)[8], const Lanes<P>& a, Mask mask = 0xff) {
    Vec w[Lanes<P>::kWords];
    join_limbs<Lanes<P>::kWords>(w, a.l);
    store_rows4(rows, w, mask);
    if constexpr (Lanes<P>::kWords == 6) store_rows2(rows, w + 4, mask);
}

template <class P>
CUZK_LANES_INLINE void store_unreduced(u64* first, const Lanes<P>& a, std::size_t stride = Lanes<P>::kWords) {
    u64* const rows[8] = {first,
                          first + stride,
                          first + 2 * stride,
                          first + 3 * stride,
                          first + 4 * stride,
                          first + 5 * stride,
                          first + 6 * stride,
                          first + 7 * stride};
    store_each_unreduced(rows, a);
}

template <class P>
CUZK_LANES_INLINE void store_dense_unreduced(u64* first, const Lanes<P>& a) {
    if constexpr (Lanes<P>::kWords == 4) {
        Vec w[4];
        join_limbs<4>(w, a.l);
        store_dense4(first, w);
    } else {
        store_unreduced(first, a);
    }
}

// The same, reduced below p; a may be loose, and must be below 2p.
template <class P>
CUZK_LANES_INLINE void store_each(u64* const (&rows)[8], const Lanes<P>& a, Mask mask = 0xff) {
    store_each_unreduced(rows, reduce_once<1>(a), mask);
}
template <class P>
CUZK_LANES_INLINE void store(u64* first, const Lanes<P>& a, std::size_t stride = Lanes<P>::kWords) {
    store_unreduced(first, reduce_once<1>(a), stride);
}
template <class P>
CUZK_LANES_INLINE void store_dense(u64* first, const Lanes<P>& a) {
    store_dense_unreduced(first, reduce_once<1>(a));
}

// --- inversion -------------------------------------------------------------------------------------------------------

// Lane i takes lane (i ^ kDistance).
template <unsigned kDistance, class P>
CUZK_LANES_INLINE Lanes<P> swap_lanes(const Lanes<P>& a) {
    static_assert(kDistance == 1 || kDistance == 2 || kDistance == 4);
    Lanes<P> r;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < Lanes<P>::N; ++i) {
        if constexpr (kDistance == 1)
            r.l[i] = _mm512_permutex_epi64(a.l[i], 0xb1);
        else if constexpr (kDistance == 2)
            r.l[i] = _mm512_permutex_epi64(a.l[i], 0x4e);
        else
            r.l[i] = _mm512_shuffle_i64x2(a.l[i], a.l[i], 0x4e);
    }
    return r;
}

// Inverse in the form x R': mul(a, inverse(a)) = R'. a normal and below 2p; a lane with 0 mod p gives 0. Montgomery's trick
// across the lanes leaves one inversion, which the scalar code does faster than a chain of 8-lane products would.
template <class P>
[[gnu::noinline]] Lanes<P> inverse(const Lanes<P>& a) {
    using L = Lanes<P>;
    const Mask zero = is_zero(a);
    const L x = select(zero, a, L::one());
    const L pairs = mul(x, swap_lanes<1>(x));
    const L fours = mul(pairs, swap_lanes<2>(pairs));
    const L all = mul(fours, swap_lanes<4>(fours));
    u64 words[8 * L::kWords];
    store_dense(words, all);
    invert_montgomery_words<P>(words);
    L r = mul(L::load_one(words), L::template constant<L::Format::power_of_two(3 * L::kR - 2 * L::kRaw)>());
    r = mul(mul(r, swap_lanes<4>(fours)), mul(swap_lanes<2>(pairs), swap_lanes<1>(x)));
    return select(zero, r, L::zero());
}

}  // namespace
}  // namespace cuzk::ifma
