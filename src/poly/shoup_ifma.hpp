// Products with prepared factors, 8 at a time. Only for *_ifma.cpp files.
#pragma once

#include "field/ifma_lanes.hpp"

namespace cuzk::ifma {
namespace {

// A factor w of all lanes, as ntt::prepared factors lie in memory: limbs of w, limbs of w' = floor(w 2^260 /
// p).
struct SharedFactor {
    const u64* words;
    CUZK_LANES_INLINE Vec value(std::size_t i) const { return splat(words[i]); }
    CUZK_LANES_INLINE Vec quotient(std::size_t i) const { return splat(words[5 + i]); }
};

// One factor a lane.
struct LaneFactor {
    const Vec* vectors;  // 10
    CUZK_LANES_INLINE Vec value(std::size_t i) const { return _mm512_load_si512(vectors + i); }
    CUZK_LANES_INLINE Vec quotient(std::size_t i) const { return _mm512_load_si512(vectors + 5 + i); }
};

// 2^260 - p: subtracting a multiple of p modulo 2^260 is a multiply-add of this.
template <class P>
consteval auto complement_of_modulus() {
    auto r = Limbs52<P>::multiple(1);
    u64 carry = 1;
    for (u64& limb : r.limb) {
        const u64 x = (~limb & Limbs52<P>::kMask) + carry;
        limb = x & Limbs52<P>::kMask;
        carry = x >> 52;
    }
    return r;
}

// -p^-1 mod 2^260, one limb after another.
template <class P>
consteval auto negative_inverse() {
    constexpr auto p = Limbs52<P>::multiple(1);
    typename Limbs52<P>::Limbs r{};
    u64 sum[5] = {1};  // r p + 1, of which one more limb vanishes each time
    for (std::size_t i = 0; i < 5; ++i) {
        r.limb[i] = (sum[i] * Limbs52<P>::kN0) & Limbs52<P>::kMask;
        u64 carry = 0;
        for (std::size_t j = 0; i + j < 5; ++j) {
            const u128 x = u128{r.limb[i]} * p.limb[j] + sum[i + j] + carry;
            sum[i + j] = static_cast<u64>(x) & Limbs52<P>::kMask;
            carry = static_cast<u64>(x >> 52);
        }
    }
    return r;
}

// a w - q p for the estimate q = floor(a w' / 2^260) or one less: congruent to a w and in [0, 3p), whatever the
// normal a below 2^260. (The exact floor leaves less than 2p; the columns below 2^208 that the estimate leaves
// out add less than one carry.) Both a w and q p are needed modulo 2^260 only: 84 multiply-adds where a
// Montgomery product takes 100, and no chain of five dependent quotients. Raw times plain is raw: no Montgomery
// factor is involved. Low and high halves are summed apart, since a chain of dependent multiply-adds is what a
// core with room for two or three of these products at a time waits for.
//
// The result is wrapped: its limbs lie in [0, 2^57) and it stands for its value modulo 2^260.
template <class P, class Factor>
CUZK_LANES_INLINE Lanes<P> shoup_mul_wrapped(const Lanes<P>& a, const Factor& w) {
    static_assert(Lanes<P>::N == 5);
    static constexpr auto kComplement = complement_of_modulus<P>();
    const Vec zero = _mm512_setzero_si512();
    const Vec mask = splat(Limbs52<P>::kMask);

    Vec low[6] = {zero, zero, zero, zero, zero, zero};  // columns 4 to 9 of a w', low halves of products
    Vec high[6] = {zero, zero, zero, zero, zero, zero};
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 5; ++i) {
#pragma GCC unroll 8
        for (std::size_t j = 0; j < 5; ++j) {
            if (i + j >= 4) low[i + j - 4] = _mm512_madd52lo_epu64(low[i + j - 4], a.l[i], w.quotient(j));
            if (i + j >= 3) high[i + j - 3] = _mm512_madd52hi_epu64(high[i + j - 3], a.l[i], w.quotient(j));
        }
    }
    Vec q[5];
    Vec carry = _mm512_srli_epi64(_mm512_add_epi64(low[0], high[0]), 52);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 5; ++i) {
        const Vec column = i < 4 ? _mm512_add_epi64(low[i + 1], high[i + 1]) : high[i + 1];
        const Vec x = _mm512_add_epi64(column, carry);
        q[i] = _mm512_and_si512(x, mask);
        carry = _mm512_srli_epi64(x, 52);
    }
    Vec t[5] = {zero, zero, zero, zero, zero};
    Vec u[5] = {zero, zero, zero, zero, zero};
#pragma GCC unroll 8
    for (std::size_t j = 0; j < 5; ++j) {
#pragma GCC unroll 8
        for (std::size_t i = 0; i + j < 5; ++i) {
            t[i + j] = _mm512_madd52lo_epu64(t[i + j], a.l[i], w.value(j));
            if (i + j < 4) t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], a.l[i], w.value(j));
        }
    }
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 5; ++i) {
#pragma GCC unroll 8
        for (std::size_t j = 0; i + j < 5; ++j) {
            u[i + j] = _mm512_madd52lo_epu64(u[i + j], q[i], splat(kComplement.limb[j]));
            if (i + j < 4)
                t[i + j + 1] = _mm512_madd52hi_epu64(t[i + j + 1], q[i], splat(kComplement.limb[j]));
        }
    }
    Lanes<P> r;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 5; ++i) r.l[i] = _mm512_add_epi64(t[i], u[i]);
    return r;
}

// Normal form of a wrapped number: sums and differences of wrapped numbers are wrapped too, as long as limbs keep within
// 64 bits and the value they stand for is in [0, 2^260).
template <class P>
CUZK_LANES_INLINE Lanes<P> unwrap(const Lanes<P>& a) {
    Lanes<P> r = normalize(a);
    r.l[4] = _mm512_and_si512(r.l[4], splat(Limbs52<P>::kMask));
    return r;
}

template <class P, class Factor>
CUZK_LANES_INLINE Lanes<P> shoup_mul(const Lanes<P>& a, const Factor& w) {
    return unwrap(shoup_mul_wrapped(a, w));
}

// Normal a below 2^260 to a - q p below 2p: the quotient is estimated from the top limb, at most one too low.
template <class P>
CUZK_LANES_INLINE Lanes<P> reduce_far(const Lanes<P>& a) {
    static constexpr auto kComplement = complement_of_modulus<P>();
    constexpr unsigned kShift = 40;
    constexpr u64 kTop = Limbs52<P>::multiple(1).limb[4] + 1;
    constexpr u64 kReciprocal = static_cast<u64>((u128{1} << (52 + kShift)) / kTop);
    static_assert(kReciprocal < (u64{1} << 52));
    const Vec zero = _mm512_setzero_si512();
    const Vec mask = splat(Limbs52<P>::kMask);
    const Vec q = _mm512_srli_epi64(_mm512_madd52hi_epu64(zero, a.l[4], splat(kReciprocal)), kShift);
    Lanes<P> r;
    Vec carry = zero;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 5; ++i) {
        Vec x = _mm512_madd52lo_epu64(_mm512_add_epi64(a.l[i], carry), q, splat(kComplement.limb[i]));
        if (i > 0) x = _mm512_madd52hi_epu64(x, q, splat(kComplement.limb[i - 1]));
        r.l[i] = _mm512_and_si512(x, mask);
        carry = _mm512_srli_epi64(x, 52);
    }
    return r;
}

// One factor a lane from its form w R': out gets the limbs of w and of floor(w 2^260 / p). w R' = w 2^260 mod
// p is the remainder of that division, so the quotient is -(w R') / p modulo 2^260.
template <class P>
CUZK_LANES_INLINE void prepare_lanes(const Lanes<P>& w_lanes, Vec* out) {
    const Vec zero = _mm512_setzero_si512();
    const Vec mask = splat(Limbs52<P>::kMask);
    const Lanes<P> remainder = reduce_once<1>(w_lanes);
    static constexpr u64 kUnit[5] = {1};
    static constexpr auto kNegativeInverse = negative_inverse<P>();
    const Lanes<P> value = reduce_once<1>(mul(remainder, Lanes<P>::broadcast(kUnit)));
    Vec t[5] = {zero, zero, zero, zero, zero};
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 5; ++i) {
#pragma GCC unroll 8
        for (std::size_t j = 0; i + j < 5; ++j) {
            t[i + j] = _mm512_madd52lo_epu64(t[i + j], remainder.l[i], splat(kNegativeInverse.limb[j]));
            if (i + j < 4)
                t[i + j + 1] =
                    _mm512_madd52hi_epu64(t[i + j + 1], remainder.l[i], splat(kNegativeInverse.limb[j]));
        }
    }
    Vec carry = zero;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < 5; ++i) {
        const Vec x = _mm512_add_epi64(t[i], carry);
        _mm512_store_si512(out + i, value.l[i]);
        _mm512_store_si512(out + 5 + i, _mm512_and_si512(x, mask));
        carry = _mm512_srli_epi64(x, 52);
    }
}

}  // namespace
}  // namespace cuzk::ifma
