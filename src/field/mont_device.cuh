// Montgomery arithmetic on a CUDA device: 32-bit words, carry chains in PTX. R = 2^(64 N), operands and results below the
// modulus, so numbers are those of the host bit for bit.
//
// A row a * b_i has products at even and at odd word positions. Each kind fills whole pairs of words without overlap, so
// it is one carry chain of multiply-adds, and the two kinds are kept in two accumulators that trade places as the sum
// moves down by a word.
#pragma once

#include "field/carry_chain.cuh"
#include "field/constants.hpp"

namespace cuzk::device {

// The words of p and of -p^-1, as constants that fold into the instructions.
template <class P>
struct Words {
    static constexpr int kCount = 2 * static_cast<int>(P::kLimbs);
    static constexpr u32 kN0 = static_cast<u32>(FieldConstants<P>::kN0);

    __device__ static __forceinline__ constexpr u32 modulus(int i) {
        constexpr auto kModulus = P::kModulus;
        return static_cast<u32>(kModulus.limb[i / 2] >> (32 * (i % 2)));
    }
    // p = 1 - 2^32 mod 2^64, as in BLS12-381's Fr: two products of each reduction row are sums then.
    static constexpr bool kSparse = P::kModulus.limb[0] == 0xffffffff00000001;
};

template <int W>
struct Wide {
    u32 word[W];

    Wide() = default;
    __device__ __forceinline__ explicit Wide(const BigInt<W / 2>& a) {
        CUZK_UNROLL
        for (int i = 0; i < W / 2; ++i) {
            word[2 * i] = static_cast<u32>(a.limb[i]);
            word[2 * i + 1] = static_cast<u32>(a.limb[i] >> 32);
        }
    }
    __device__ __forceinline__ BigInt<W / 2> packed() const {
        BigInt<W / 2> r;
        CUZK_UNROLL
        for (int i = 0; i < W / 2; ++i) r.limb[i] = word[2 * i] | (u64{word[2 * i + 1]} << 32);
        return r;
    }
};

// acc = products of the even words of a with b.
template <int W>
__device__ __forceinline__ void row(u32* acc, const u32* a, u32 b) {
    CUZK_UNROLL
    for (int j = 0; j < W; j += 2) product(acc[j], acc[j + 1], a[j], b);
}

// acc += the same; the carry is left to the caller.
template <int W>
__device__ __forceinline__ void row_add(u32* acc, const u32* a, u32 b) {
    mad_first(acc[0], acc[1], a[0], b);
    CUZK_UNROLL
    for (int j = 2; j < W; j += 2) mad_next(acc[j], acc[j + 1], a[j], b);
}

// acc = acc / 2^64 + the same + the carry that the caller left.
template <int W>
__device__ __forceinline__ void row_add_shifted(u32* acc, const u32* a, u32 b) {
    CUZK_UNROLL
    for (int j = 0; j < W - 2; j += 2) mad_next_to(acc[j], acc[j + 1], a[j], b, acc[j + 2], acc[j + 3]);
    product_last(acc[W - 2], acc[W - 1], a[W - 2], b);
}

// m times words 0 and 1 of a sparse modulus: m, and the pair (-m, high_of_word_1(m)).
__device__ __forceinline__ u32 high_of_word_1(u32 m) {
    return m - min(m, 1u);
}

// even += m p_even; carry left to the caller. p holds all words of the modulus.
template <class P>
__device__ __forceinline__ void reduce_even(u32* even, const u32* p, u32 m) {
    constexpr int W = Words<P>::kCount;
    if constexpr (Words<P>::kSparse) {
        add_first(even[0], m);
        add_next(even[1], 0);
    } else {
        mad_first(even[0], even[1], p[0], m);
    }
    CUZK_UNROLL
    for (int j = 2; j < W; j += 2) mad_next(even[j], even[j + 1], p[j], m);
}

// odd += m p_odd; for a sparse modulus m = -low and high = high_of_word_1(m).
template <class P>
__device__ __forceinline__ void reduce_odd(u32* odd, const u32* p, u32 m, u32 low, u32 high) {
    constexpr int W = Words<P>::kCount;
    if constexpr (Words<P>::kSparse) {
        add_first(odd[0], low);
        add_next(odd[1], high);
    } else {
        mad_first(odd[0], odd[1], p[1], m);
    }
    CUZK_UNROLL
    for (int j = 2; j < W; j += 2) mad_next(odd[j], odd[j + 1], p[j + 1], m);
}

// odd = odd / 2^64 + m p_odd + the carry that the caller left
template <class P>
__device__ __forceinline__ void reduce_odd_shifted(u32* odd, const u32* p, u32 m) {
    constexpr int W = Words<P>::kCount;
    if constexpr (Words<P>::kSparse) {
        const u32 low = 0 - m;
        const u32 high = high_of_word_1(m);  // by a minimum: the carry flag is in use
        add_next_to(odd[0], odd[1], low, high, odd[2], odd[3]);
        CUZK_UNROLL
        for (int j = 2; j < W - 2; j += 2)
            mad_next_to(odd[j], odd[j + 1], p[j + 1], m, odd[j + 2], odd[j + 3]);
        product_last(odd[W - 2], odd[W - 1], p[W - 1], m);
    } else {
        row_add_shifted<W>(odd, p + 1, m);
    }
}

// a - p if that is not negative, else a.
template <class P>
__device__ __forceinline__ void reduce_once(Wide<Words<P>::kCount>& a) {
    constexpr int W = Words<P>::kCount;
    Wide<W> s = a;
    sub_first(s.word[0], Words<P>::modulus(0));
    CUZK_UNROLL
    for (int i = 1; i < W; ++i) sub_next(s.word[i], Words<P>::modulus(i));
    const u32 negative = borrow_mask();
    CUZK_UNROLL
    for (int i = 0; i < W; ++i) a.word[i] = negative != 0 ? a.word[i] : s.word[i];
}

// even += odd * 2^32: the two accumulators become one number.
template <int W>
__device__ __forceinline__ void join(u32* even, const u32* odd) {
    add_first(even[0], odd[1]);
    CUZK_UNROLL
    for (int i = 1; i < W - 1; ++i) add_next(even[i], odd[i + 1]);
    add_last(even[W - 1], 0);
}

template <class P>
__device__ __forceinline__ BigInt<P::kLimbs> add(const BigInt<P::kLimbs>& a, const BigInt<P::kLimbs>& b) {
    constexpr int W = Words<P>::kCount;
    Wide<W> r(a);
    const Wide<W> y(b);
    add_first(r.word[0], y.word[0]);
    CUZK_UNROLL
    for (int i = 1; i < W - 1; ++i) add_next(r.word[i], y.word[i]);
    add_last(r.word[W - 1], y.word[W - 1]);
    reduce_once<P>(r);
    return r.packed();
}

template <class P>
__device__ __forceinline__ BigInt<P::kLimbs> sub(const BigInt<P::kLimbs>& a, const BigInt<P::kLimbs>& b) {
    constexpr int W = Words<P>::kCount;
    Wide<W> r(a);
    const Wide<W> y(b);
    sub_first(r.word[0], y.word[0]);
    CUZK_UNROLL
    for (int i = 1; i < W; ++i) sub_next(r.word[i], y.word[i]);
    const u32 negative = borrow_mask();
    add_first(r.word[0], Words<P>::modulus(0) & negative);
    CUZK_UNROLL
    for (int i = 1; i < W - 1; ++i) add_next(r.word[i], Words<P>::modulus(i) & negative);
    add_last(r.word[W - 1], Words<P>::modulus(W - 1) & negative);
    return r.packed();
}

// a b / R, the reduction of each row right after it. The top bit of p is free, so the sum of both accumulators stays below
// 2^(32 W + 32) and the odd one, which stands a word higher, holds the carries of the even one.
template <class P>
__device__ __forceinline__ BigInt<P::kLimbs> mul(const BigInt<P::kLimbs>& a, const BigInt<P::kLimbs>& b) {
    constexpr int W = Words<P>::kCount;
    const Wide<W> x(a);
    const Wide<W> y(b);
    u32 p[W];
    CUZK_UNROLL
    for (int i = 0; i < W; ++i) p[i] = Words<P>::modulus(i);

    Wide<W> first, second;
    CUZK_UNROLL
    for (int i = 0; i < W; ++i) {
        u32* even = i % 2 != 0 ? second.word : first.word;
        u32* odd = i % 2 != 0 ? first.word : second.word;
        if (i == 0) {
            row<W>(odd, x.word + 1, y.word[0]);
            row<W>(even, x.word, y.word[0]);
        } else {
            add_first(even[0], odd[1]);
            row_add_shifted<W>(odd, x.word + 1, y.word[i]);
            row_add<W>(even, x.word, y.word[i]);
            add_last(odd[W - 1], 0);
        }
        u32 m, high = 0;
        const u32 low = even[0];
        // As links of a chain: a plain negation the compiler folds into the products, which then fall apart.
        if constexpr (Words<P>::kSparse)
            negate(m, high, low);
        else
            m = low * Words<P>::kN0;
        reduce_odd<P>(odd, p, m, low, high);
        reduce_even<P>(even, p, m);
        add_last(odd[W - 1], 0);
    }
    join<W>(first.word, second.word);
    reduce_once<P>(first);
    return first.packed();
}

// t / R for t below p R: the reduction of the lower half of a product, then the upper half on top.
template <class P>
__device__ __forceinline__ BigInt<P::kLimbs> reduce_product(const u32* t) {
    constexpr int W = Words<P>::kCount;
    u32 p[W];
    Wide<W> first, second;
    CUZK_UNROLL
    for (int i = 0; i < W; ++i) {
        p[i] = Words<P>::modulus(i);
        first.word[i] = t[i];
    }
    CUZK_UNROLL
    for (int i = 0; i < W; ++i) {
        u32* low = i % 2 != 0 ? second.word : first.word;
        u32* high = i % 2 != 0 ? first.word : second.word;
        if (i > 0) add_first(low[0], high[1]);
        const u32 m = low[0] * Words<P>::kN0;
        if (i == 0)
            row<W>(high, p + 1, m);
        else
            reduce_odd_shifted<P>(high, p, m);
        reduce_even<P>(low, p, m);
        add_last(high[W - 1], 0);
    }
    join<W>(first.word, second.word);
    add_first(first.word[0], t[W]);
    CUZK_UNROLL
    for (int i = 1; i < W - 1; ++i) add_next(first.word[i], t[W + i]);
    add_last(first.word[W - 1], t[2 * W - 1]);
    reduce_once<P>(first);
    return first.packed();
}

// The products a_i a_j with i < j once, doubled, then the squares, then the reduction.
template <class P>
__device__ __forceinline__ BigInt<P::kLimbs> sqr(const BigInt<P::kLimbs>& a) {
    constexpr int W = Words<P>::kCount;
    const Wide<W> x(a);
    u32 even[2 * W + 2] = {};
    u32 odd[2 * W + 2] = {};
    CUZK_UNROLL
    for (int i = 0; i < W - 1; ++i) {
        CUZK_UNROLL
        for (int h = 1; h <= 2; ++h) {
            u32* acc =
                h == 1 ? odd : even;  // i + j is odd for h = 1; each accumulator is aligned to its first row
            int last = 0;
            CUZK_UNROLL
            for (int j = i + h; j < W; j += 2) {
                const int k = i + j;
                last = k;
                if (i == 0)
                    product(acc[k], acc[k + 1], x.word[j], x.word[i]);
                else if (j == i + h)
                    mad_first(acc[k], acc[k + 1], x.word[j], x.word[i]);
                else
                    mad_next(acc[k], acc[k + 1], x.word[j], x.word[i]);
            }
            // A row that ends below the accumulator's top leaves its carry there; the row before has filled one more pair.
            if (i > 0 && last > 0 && (h == 1) == (i % 2 != 0)) add_last(acc[last + 2], 0);
        }
    }
    u32 t[2 * W];
    t[0] = 0;
    t[1] = odd[1];
    CUZK_UNROLL
    for (int i = 2; i < 2 * W; ++i) t[i] = even[i];
    add_first(t[2], odd[2]);
    CUZK_UNROLL
    for (int i = 3; i < 2 * W - 1; ++i) add_next(t[i], odd[i]);
    add_last(t[2 * W - 1], odd[2 * W - 1]);
    add_first(t[1], t[1]);
    CUZK_UNROLL
    for (int i = 2; i < 2 * W - 1; ++i) add_next(t[i], t[i]);
    add_last(t[2 * W - 1], t[2 * W - 1]);
    mad_first(t[0], t[1], x.word[0], x.word[0]);
    CUZK_UNROLL
    for (int i = 1; i < W; ++i) mad_next(t[2 * i], t[2 * i + 1], x.word[i], x.word[i]);

    return reduce_product<P>(t);
}

}  // namespace cuzk::device
