// 8 elements of Fp2 = Fp[u] / (u^2 + 1) in vectors: two Lanes. Ranges and forms as in field/ifma_lanes.hpp. Only for
// *_ifma.cpp files.
#pragma once

#include "field/ifma_lanes.hpp"

namespace cuzk::ifma {
namespace {

template <class P>
struct Lanes2 {
    using Base = Lanes<P>;
    static constexpr std::size_t kWords = 2 * Base::kWords;

    Base c0, c1;

    CUZK_LANES_INLINE static Lanes2 zero() { return {Base::zero(), Base::zero()}; }
    CUZK_LANES_INLINE static Lanes2 one() { return {Base::one(), Base::zero()}; }
    CUZK_LANES_INLINE static Lanes2 load(const u64* first, std::size_t stride = kWords) {
        return {Base::load(first, stride), Base::load(first + Base::kWords, stride)};
    }
    CUZK_LANES_INLINE static Lanes2 load_each(const u64* const (&rows)[8]) {
        const u64* high[8];
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i) high[i] = rows[i] + Base::kWords;
        return {Base::load_each(rows), Base::load_each(high)};
    }
};

template <class P>
CUZK_LANES_INLINE Lanes2<P> normalize(const Lanes2<P>& a) {
    return {normalize(a.c0), normalize(a.c1)};
}
template <class P>
CUZK_LANES_INLINE Lanes2<P> add_loose(const Lanes2<P>& a, const Lanes2<P>& b) {
    return {add_loose(a.c0, b.c0), add_loose(a.c1, b.c1)};
}
template <class P>
CUZK_LANES_INLINE Lanes2<P> sub_loose(const Lanes2<P>& a, const Lanes2<P>& b) {
    return {sub_loose(a.c0, b.c0), sub_loose(a.c1, b.c1)};
}
template <u64 k, class P>
CUZK_LANES_INLINE Lanes2<P> add_multiple(const Lanes2<P>& a) {
    return {add_multiple<k>(a.c0), add_multiple<k>(a.c1)};
}
template <u64 k, class P>
CUZK_LANES_INLINE Lanes2<P> sub_multiple(const Lanes2<P>& a) {
    return {sub_multiple<k>(a.c0), sub_multiple<k>(a.c1)};
}
template <u64 k, class P>
CUZK_LANES_INLINE Lanes2<P> reduce_once(const Lanes2<P>& a) {
    return {reduce_once<k>(a.c0), reduce_once<k>(a.c1)};
}
template <u64 k, class P>
CUZK_LANES_INLINE Lanes2<P> raise_once(const Lanes2<P>& a) {
    return {raise_once<k>(a.c0), raise_once<k>(a.c1)};
}
template <class P>
CUZK_LANES_INLINE Lanes2<P> add_lazy(const Lanes2<P>& a, const Lanes2<P>& b) {
    return {add_lazy(a.c0, b.c0), add_lazy(a.c1, b.c1)};
}
template <u64 k, class P>
CUZK_LANES_INLINE Lanes2<P> sub_lazy(const Lanes2<P>& a, const Lanes2<P>& b) {
    return {sub_lazy<k>(a.c0, b.c0), sub_lazy<k>(a.c1, b.c1)};
}
template <class P>
CUZK_LANES_INLINE Lanes2<P> add(const Lanes2<P>& a, const Lanes2<P>& b) {
    return {add(a.c0, b.c0), add(a.c1, b.c1)};
}
template <class P>
CUZK_LANES_INLINE Lanes2<P> sub(const Lanes2<P>& a, const Lanes2<P>& b) {
    return {sub(a.c0, b.c0), sub(a.c1, b.c1)};
}
template <class P>
CUZK_LANES_INLINE Lanes2<P> neg(const Lanes2<P>& a) {
    return {neg(a.c0), neg(a.c1)};
}
template <class P>
CUZK_LANES_INLINE Lanes2<P> negate_where(Mask mask, const Lanes2<P>& a) {
    return {negate_where(mask, a.c0), negate_where(mask, a.c1)};
}
template <class P>
CUZK_LANES_INLINE Lanes2<P> select(Mask mask, const Lanes2<P>& a, const Lanes2<P>& b) {
    return {select(mask, a.c0, b.c0), select(mask, a.c1, b.c1)};
}
template <u64 k = 2, class P>
CUZK_LANES_INLINE Mask is_zero(const Lanes2<P>& a) {
    const Mask zero = is_zero<k>(a.c0);
    if (zero == 0) [[likely]]
        return 0;
    return zero & is_zero<k>(a.c1);
}
template <class P>
CUZK_LANES_INLINE Mask equal(const Lanes2<P>& a, const Lanes2<P>& b) {
    return is_zero<4>(sub_lazy<2>(a, b));
}
template <unsigned bits, class P>
CUZK_LANES_INLINE Lanes2<P> scale_down(const Lanes2<P>& a) {
    return {scale_down<bits>(a.c0), scale_down<bits>(a.c1)};
}

// -a - b
template <class P>
CUZK_LANES_INLINE Wide<P> negative_sum(const Wide<P>& a, const Wide<P>& b) {
    const Vec zero = _mm512_setzero_si512();
    Wide<P> r;
#pragma GCC unroll 16
    for (std::size_t k = 0; k < 2 * Lanes<P>::N; ++k)
        r.t[k] = _mm512_sub_epi64(zero, _mm512_add_epi64(a.t[k], b.t[k]));
    return r;
}

// Karatsuba with one reduction a component (Aranha, Karabina, Longa, Gebotys, López 2011): 3 products, 2 reductions.
// Operands normal and below 4p; each component of the result is below 2p.
template <class P>
CUZK_LANES_INLINE Lanes2<P> mul(const Lanes2<P>& a, const Lanes2<P>& b) {
    const Wide<P> v0 = mul_wide(a.c0, b.c0);
    const Wide<P> v1 = mul_wide(a.c1, b.c1);
    Wide<P> cross = negative_sum(v0, v1);
    // v0 - v1 > -16 p^2: its reduction is above -16 p^2 / R' > -p, and below 2p after one conditional sum
    const Lanes<P> real = redc_loose(sub_wide(v0, v1));
    accumulate(cross, add_lazy(a.c0, a.c1), add_lazy(b.c0, b.c1));
    return {raise_once<1>(real), normalize(redc_loose(cross))};
}

// ((c0 + c1)(c0 - c1), 2 c0 c1); operands normal and below 2p.
template <class P>
CUZK_LANES_INLINE Lanes2<P> sqr(const Lanes2<P>& a) {
    return {mul(add_lazy(a.c0, a.c1), sub_lazy<2>(a.c0, a.c1)), mul(add_lazy(a.c0, a.c0), a.c1)};
}

// a k, k in the base field
template <class P>
CUZK_LANES_INLINE Lanes2<P> mul(const Lanes2<P>& a, const Lanes<P>& k) {
    return {mul(a.c0, k), mul(a.c1, k)};
}

// In the form x R'; a below 2p; zero gives zero.
template <class P>
[[gnu::noinline]] Lanes2<P> inverse(const Lanes2<P>& a) {
    const Lanes<P> norm = normalize(redc_loose(add_wide(sqr_wide(a.c0), sqr_wide(a.c1))));
    const Lanes<P> n = inverse(norm);
    return {mul(a.c0, n), mul(neg(a.c1), n)};
}

template <class P>
CUZK_LANES_INLINE void store_each(u64* const (&rows)[8], const Lanes2<P>& a, Mask mask = 0xff) {
    u64* high[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) high[i] = rows[i] + Lanes<P>::kWords;
    store_each(rows, a.c0, mask);
    store_each(high, a.c1, mask);
}
template <class P>
CUZK_LANES_INLINE void store_each_unreduced(u64* const (&rows)[8], const Lanes2<P>& a, Mask mask = 0xff) {
    u64* high[8];
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) high[i] = rows[i] + Lanes<P>::kWords;
    store_each_unreduced(rows, a.c0, mask);
    store_each_unreduced(high, a.c1, mask);
}
template <class P>
CUZK_LANES_INLINE void store(u64* first, const Lanes2<P>& a, std::size_t stride = Lanes2<P>::kWords) {
    store(first, a.c0, stride);
    store(first + Lanes<P>::kWords, a.c1, stride);
}
template <class P>
CUZK_LANES_INLINE void store_unreduced(u64* first, const Lanes2<P>& a,
                                       std::size_t stride = Lanes2<P>::kWords) {
    store_unreduced(first, a.c0, stride);
    store_unreduced(first + Lanes<P>::kWords, a.c1, stride);
}

}  // namespace
}  // namespace cuzk::ifma
