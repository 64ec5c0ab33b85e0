// Products in Fp2 on a CUDA device: three products of words and two reductions, where products of elements would take three
// reductions (lazy reduction; Aranha et al.: Faster explicit formulas for computing pairings over ordinary curves, 2011).
#pragma once

#include "field/call_device.cuh"
#include "field/mont_device.cuh"

namespace cuzk::device {

// All words of a b. As in a square, rows are summed by the parity of their words' positions.
template <int W>
__device__ __forceinline__ void multiply_words(u32* t, const u32* a, const u32* b) {
    u32 even[2 * W + 2] = {};
    u32 odd[2 * W + 2] = {};
    CUZK_UNROLL
    for (int i = 0; i < W; ++i) {
        CUZK_UNROLL
        for (int h = 0; h <= 1; ++h) {
            u32* acc = h == 1 ? odd : even;
            const int begin = (i + h) % 2;
            CUZK_UNROLL
            for (int j = begin; j < W; j += 2) {
                const int k = i + j;
                if (i == 0)
                    product(acc[k], acc[k + 1], a[j], b[i]);
                else if (j == begin)
                    mad_first(acc[k], acc[k + 1], a[j], b[i]);
                else
                    mad_next(acc[k], acc[k + 1], a[j], b[i]);
            }
            // A row from word 0 of a ends at a pair that the row before has filled; its carry goes above.
            if (i > 0 && begin == 0) add_last(acc[i + W], 0);
        }
    }
    t[0] = even[0];
    CUZK_UNROLL
    for (int i = 1; i < 2 * W; ++i) t[i] = even[i];
    add_first(t[1], odd[1]);
    CUZK_UNROLL
    for (int i = 2; i < 2 * W - 1; ++i) add_next(t[i], odd[i]);
    add_last(t[2 * W - 1], odd[2 * W - 1]);
}

// a - b; returns all ones where that is negative, else 0.
template <int N>
__device__ __forceinline__ u32 subtract_words(u32* a, const u32* b) {
    sub_first(a[0], b[0]);
    CUZK_UNROLL
    for (int i = 1; i < N; ++i) sub_next(a[i], b[i]);
    return borrow_mask();
}

// a + b, which fits.
template <int N>
__device__ __forceinline__ void add_words(u32* a, const u32* b) {
    add_first(a[0], b[0]);
    CUZK_UNROLL
    for (int i = 1; i < N - 1; ++i) add_next(a[i], b[i]);
    add_last(a[N - 1], b[N - 1]);
}

// (a0 + a1 u)(b0 + b1 u) with u^2 = -1. Sums of two elements fit, since the top bit of p is free; 4 p^2 and p R do as well.
template <class P>
__device__ __forceinline__ void multiply_quadratic(BigInt<P::kLimbs>& c0, BigInt<P::kLimbs>& c1,
                                                   const BigInt<P::kLimbs>& a0, const BigInt<P::kLimbs>& a1,
                                                   const BigInt<P::kLimbs>& b0, const BigInt<P::kLimbs>& b1) {
    constexpr int W = Words<P>::kCount;
    u32 t0[2 * W], t1[2 * W], t2[2 * W];
    {
        Wide<W> a(a0), b(b0);
        const Wide<W> x(a1), y(b1);
        multiply_words<W>(t0, a.word, b.word);
        multiply_words<W>(t1, x.word, y.word);
        add_words<W>(a.word, x.word);
        add_words<W>(b.word, y.word);
        multiply_words<W>(t2, a.word, b.word);
    }
    subtract_words<2 * W>(t2, t0);
    subtract_words<2 * W>(t2, t1);
    const u32 negative = subtract_words<2 * W>(t0, t1);
    u32 p[W];
    CUZK_UNROLL
    for (int i = 0; i < W; ++i) p[i] = Words<P>::modulus(i) & negative;
    add_words<W>(t0 + W, p);
    c0 = reduce_product<P>(t0);
    c1 = reduce_product<P>(t2);
}

// Whether that pays. With 381 bits it takes more registers than an addition of points can spare: 1.07 G additions/s against
// 1.16 by products of elements on an H200; with 254 bits 2.61 against 2.26.
template <class F>
inline constexpr bool kReducesLazily = F::kLimbs <= 4;

// The same as a call: elements of Fp2 leave no registers for several inlined products.
template <class F2>
__device__ __noinline__ F2 quadratic_product(F2 a, F2 b) {
    using F = typename F2::Base;
    typename F::Int c0, c1;
    multiply_quadratic<typename F::Params>(c0, c1, a.c0.montgomery(), a.c1.montgomery(), b.c0.montgomery(),
                                           b.c1.montgomery());
    return {F::from_montgomery(c0), F::from_montgomery(c1)};
}

}  // namespace cuzk::device
