// The type of field/ifma_lanes.hpp, which explains forms and ranges, with loads, carries, sums and comparisons. Only for
// *_ifma.cpp files.
#pragma once

#include "field/ifma_memory.hpp"
#include "field/limbs52.hpp"

namespace cuzk::ifma {
namespace {

template <class P>
struct Lanes {
    using Format = Limbs52<P>;
    static constexpr std::size_t N = Format::kLimbs;
    static constexpr std::size_t kWords = Format::kWords;
    static constexpr std::size_t kR = 52 * N;         // log2 R'
    static constexpr std::size_t kRaw = 64 * kWords;  // log2 R
    using Int = BigInt<kWords>;

    // c in mul(raw, c) = x R', and in mul(x R', c) = raw
    static constexpr Int kToLanes = Format::power_of_two(2 * kR - kRaw);
    static constexpr Int kToRaw = Format::power_of_two(kRaw);

    Vec l[N];

    CUZK_LANES_INLINE static Lanes zero() {
        Lanes r;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < N; ++i) r.l[i] = _mm512_setzero_si512();
        return r;
    }
    // The same limbs (as of Limbs52::split) in all lanes.
    CUZK_LANES_INLINE static Lanes broadcast(const u64* limbs) {
        Lanes r;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < N; ++i) r.l[i] = splat(limbs[i]);
        return r;
    }
    // A compile-time integer in all lanes.
    template <Int kValue>
    CUZK_LANES_INLINE static Lanes constant() {
        static constexpr auto kSplit = Format::split(kValue);
        return broadcast(kSplit.limb);
    }
    // One of the form x R'.
    CUZK_LANES_INLINE static Lanes one() {
        return constant<Format::kOne>();
    }

    // 8 elements, the first words of which are `stride` words apart. Any integers of kWords words; raw if reduced.
    CUZK_LANES_INLINE static Lanes load(const u64* first, std::size_t stride = kWords) {
        const u64* const rows[8] = {first,
                                    first + stride,
                                    first + 2 * stride,
                                    first + 3 * stride,
                                    first + 4 * stride,
                                    first + 5 * stride,
                                    first + 6 * stride,
                                    first + 7 * stride};
        return load_each(rows);
    }
    // One element in all lanes.
    CUZK_LANES_INLINE static Lanes load_one(const u64* words) {
        Vec w[kWords];
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kWords; ++i) w[i] = splat(words[i]);
        Lanes r;
        split_words<kWords>(r.l, w);
        return r;
    }
    // 8 elements without gaps.
    CUZK_LANES_INLINE static Lanes load_dense(const u64* first) {
        if constexpr (kWords == 4) {
            Vec w[4];
            load_dense4(w, first);
            Lanes r;
            split_words<4>(r.l, w);
            return r;
        } else {
            return load(first);
        }
    }
    // Element i from rows[i], any alignment.
    CUZK_LANES_INLINE static Lanes load_each(const u64* const (&rows)[8]) {
        Vec w[kWords];
        load_rows4(w, rows);
        if constexpr (kWords == 6) load_rows2(w + 4, rows);
        Lanes r;
        split_words<kWords>(r.l, w);
        return r;
    }
};

// --- carries ---------------------------------------------------------------------------------------------------------

// Loose to normal; the value must be in [0, R').
template <class P>
CUZK_LANES_INLINE Lanes<P> normalize(const Lanes<P>& a) {
    constexpr std::size_t N = Lanes<P>::N;
    const Vec mask = splat(Limbs52<P>::kMask);
    Lanes<P> r;
    Vec t = a.l[0];
#pragma GCC unroll 8
    for (std::size_t i = 0; i + 1 < N; ++i) {
        r.l[i] = _mm512_and_si512(t, mask);
        t = _mm512_add_epi64(a.l[i + 1], _mm512_srai_epi64(t, 52));
    }
    r.l[N - 1] = t;
    return r;
}

// Lanes in which the loose value is negative.
template <class P>
CUZK_LANES_INLINE Mask negative(const Lanes<P>& a) {
    Vec t = a.l[0];
#pragma GCC unroll 8
    for (std::size_t i = 1; i < Lanes<P>::N; ++i) t = _mm512_add_epi64(a.l[i], _mm512_srai_epi64(t, 52));
    return _mm512_movepi64_mask(t);
}

// --- sums ------------------------------------------------------------------------------------------------------------

// a + b, loose
template <class P>
CUZK_LANES_INLINE Lanes<P> add_loose(const Lanes<P>& a, const Lanes<P>& b) {
    Lanes<P> r;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < Lanes<P>::N; ++i) r.l[i] = _mm512_add_epi64(a.l[i], b.l[i]);
    return r;
}

// a - b, loose; may be negative
template <class P>
CUZK_LANES_INLINE Lanes<P> sub_loose(const Lanes<P>& a, const Lanes<P>& b) {
    Lanes<P> r;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < Lanes<P>::N; ++i) r.l[i] = _mm512_sub_epi64(a.l[i], b.l[i]);
    return r;
}

// a + k p, loose
template <u64 k, class P>
CUZK_LANES_INLINE Lanes<P> add_multiple(const Lanes<P>& a) {
    static constexpr auto kMultiple = Limbs52<P>::multiple(k);
    Lanes<P> r;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < Lanes<P>::N; ++i) r.l[i] = _mm512_add_epi64(a.l[i], splat(kMultiple.limb[i]));
    return r;
}

// a - k p, loose
template <u64 k, class P>
CUZK_LANES_INLINE Lanes<P> sub_multiple(const Lanes<P>& a) {
    static constexpr auto kMultiple = Limbs52<P>::multiple(k);
    Lanes<P> r;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < Lanes<P>::N; ++i) r.l[i] = _mm512_sub_epi64(a.l[i], splat(kMultiple.limb[i]));
    return r;
}

// Normal a + b without reduction: below (A + B) p.
template <class P>
CUZK_LANES_INLINE Lanes<P> add_lazy(const Lanes<P>& a, const Lanes<P>& b) {
    return normalize(add_loose(a, b));
}

// Normal a - b + k p; needs b <= a + k p. Below (A + k) p.
template <u64 k, class P>
CUZK_LANES_INLINE Lanes<P> sub_lazy(const Lanes<P>& a, const Lanes<P>& b) {
    return normalize(add_multiple<k>(sub_loose(a, b)));
}

// Normal a + k p where a is negative, else a; a loose and in [-k p, R').
template <u64 k, class P>
CUZK_LANES_INLINE Lanes<P> raise_once(const Lanes<P>& a) {
    static constexpr auto kMultiple = Limbs52<P>::multiple(k);
    const Mask below = negative(a);
    Lanes<P> r;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < Lanes<P>::N; ++i)
        r.l[i] = _mm512_mask_add_epi64(a.l[i], below, a.l[i], splat(kMultiple.limb[i]));
    return normalize(r);
}

// Normal a - k p where that is not negative, else a; a loose and in [0, R').
template <u64 k, class P>
CUZK_LANES_INLINE Lanes<P> reduce_once(const Lanes<P>& a) {
    return raise_once<k>(sub_multiple<k>(a));
}

// a + b, a - b: operands and result below 2p
template <class P>
CUZK_LANES_INLINE Lanes<P> add(const Lanes<P>& a, const Lanes<P>& b) {
    return reduce_once<2>(add_loose(a, b));
}
template <class P>
CUZK_LANES_INLINE Lanes<P> sub(const Lanes<P>& a, const Lanes<P>& b) {
    return raise_once<2>(sub_loose(a, b));
}
template <class P>
CUZK_LANES_INLINE Lanes<P> neg(const Lanes<P>& a) {
    return raise_once<2>(sub_loose(Lanes<P>::zero(), a));
}

// 2p - a in the lanes of mask, else a; a below 2p, the result at most 2p (0 becomes 2p): an operand of products and of
// lazy forms.
template <class P>
CUZK_LANES_INLINE Lanes<P> negate_where(Mask mask, const Lanes<P>& a) {
    static constexpr auto kMultiple = Limbs52<P>::multiple(2);
    Lanes<P> r;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < Lanes<P>::N; ++i)
        r.l[i] = _mm512_mask_sub_epi64(a.l[i], mask, splat(kMultiple.limb[i]), a.l[i]);
    return normalize(r);
}

// b in the lanes of mask, else a
template <class P>
CUZK_LANES_INLINE Lanes<P> select(Mask mask, const Lanes<P>& a, const Lanes<P>& b) {
    Lanes<P> r;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < Lanes<P>::N; ++i) r.l[i] = _mm512_mask_mov_epi64(a.l[i], mask, b.l[i]);
    return r;
}

// --- comparisons -----------------------------------------------------------------------------------------------------

// Lanes of `maybe` with a = m p for an m in [from, to].
template <u64 from, u64 to, class P>
CUZK_LANES_INLINE Mask is_multiple(const Lanes<P>& a, Mask maybe) {
    static constexpr auto kMultiple = Limbs52<P>::multiple(from);
    Mask same = maybe;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < Lanes<P>::N; ++i)
        same = _mm512_mask_cmpeq_epi64_mask(same, a.l[i], splat(kMultiple.limb[i]));
    if constexpr (from < to) same |= is_multiple<from + 1, to>(a, maybe);
    return same;
}

// Lanes with a = 0 mod p; a normal and at most k p. Cheap when none is, the usual case: only the lowest limbs are looked
// at.
template <u64 k = 2, class P>
CUZK_LANES_INLINE Mask is_zero(const Lanes<P>& a) {
    Mask maybe = _mm512_testn_epi64_mask(a.l[0], a.l[0]);
#pragma GCC unroll 8
    for (u64 m = 1; m <= k; ++m)
        maybe |= _mm512_cmpeq_epi64_mask(a.l[0], splat((P::kModulus.limb[0] * m) & Limbs52<P>::kMask));
    if (maybe == 0) [[likely]]
        return 0;
    return is_multiple<0, k>(a, maybe);
}

// Lanes with a = b mod p; operands below 2p.
template <class P>
CUZK_LANES_INLINE Mask equal(const Lanes<P>& a, const Lanes<P>& b) {
    return is_zero<4>(sub_lazy<2>(a, b));
}

}  // namespace
}  // namespace cuzk::ifma
