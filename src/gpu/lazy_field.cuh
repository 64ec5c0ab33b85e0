// Device arithmetic on numbers below 2p instead of p, for long chains of sums and of products with constants.
#pragma once

#include "field/mont_device.cuh"
#include "gpu/lazy_factor.hpp"

namespace cuzk::gpu {

// Numbers of 8 words that stand for residues mod p and lie below 2p, which fits.
template <class F>
struct Lazy {
    using P = typename F::Params;
    using Words = device::Words<P>;
    static constexpr int W = Words::kCount;
    static_assert(W == 8);
    using Value = device::Wide<W>;

    __device__ static __forceinline__ constexpr u32 twice_modulus(int i) {
        return (Words::modulus(i) << 1) | (i == 0 ? 0 : Words::modulus(i - 1) >> 31);
    }
    // A sum of two values needs a bit more than the words have.
    static constexpr bool kWideSums = (P::kModulus.limb[P::kLimbs - 1] >> 62) != 0;

    __device__ static __forceinline__ Value add(const Value& a, const Value& b) {
        Value sum = a;
        device::add_first(sum.word[0], b.word[0]);
        CUZK_UNROLL
        for (int i = 1; i < W - 1; ++i) device::add_next(sum.word[i], b.word[i]);
        u32 top = 0;
        if constexpr (kWideSums) {
            device::add_next(sum.word[W - 1], b.word[W - 1]);
            device::add_last(top, 0);
        } else {
            device::add_last(sum.word[W - 1], b.word[W - 1]);
        }
        Value less = sum;
        device::sub_first(less.word[0], twice_modulus(0));
        CUZK_UNROLL
        for (int i = 1; i < W; ++i) device::sub_next(less.word[i], twice_modulus(i));
        const u32 borrow = device::borrow_mask();
        const bool keep = borrow != 0 && top == 0;
        CUZK_UNROLL
        for (int i = 0; i < W; ++i) sum.word[i] = keep ? sum.word[i] : less.word[i];
        return sum;
    }

    __device__ static __forceinline__ Value sub(const Value& a, const Value& b) {
        Value r = a;
        device::sub_first(r.word[0], b.word[0]);
        CUZK_UNROLL
        for (int i = 1; i < W; ++i) device::sub_next(r.word[i], b.word[i]);
        const u32 negative = device::borrow_mask();
        device::add_first(r.word[0], twice_modulus(0) & negative);
        CUZK_UNROLL
        for (int i = 1; i < W - 1; ++i) device::add_next(r.word[i], twice_modulus(i) & negative);
        device::add_last(r.word[W - 1], twice_modulus(W - 1) & negative);
        return r;
    }

    // The high half of x y, or one less. Products below column 6 are left out; they change it by less than 2^-29.
    __device__ static __forceinline__ Value high_product(const Value& x, const Value& y) {
        constexpr int kFirst = W - 2;
        u32 even[W + 2] = {};  // columns 6 to 15
        u32 odd[W + 1] = {};   // columns 7 to 15
        CUZK_UNROLL
        for (int i = 0; i < W; ++i) {
            CUZK_UNROLL
            for (int parity = 0; parity < 2; ++parity) {
                u32* sums = parity == 0 ? even : odd;
                const int first = kFirst + parity;
                int last = -1;
                CUZK_UNROLL
                for (int c = first; c <= i + W - 1; c += 2) {
                    if (c < i) continue;
                    if (last < 0)
                        device::mad_first(sums[c - first], sums[c - first + 1], y.word[c - i], x.word[i]);
                    else
                        device::mad_next(sums[c - first], sums[c - first + 1], y.word[c - i], x.word[i]);
                    last = c - first;
                }
                // A row that adds no new pair of words leaves a carry above its last one.
                if (i > 0 && i % 2 == parity && last >= 0) device::add_last(sums[last + 2], 0);
            }
        }
        device::add_first(even[1], odd[0]);
        CUZK_UNROLL
        for (int k = 2; k < W + 1; ++k) device::add_next(even[k], odd[k - 1]);
        device::add_last(even[W + 1], odd[W]);
        Value r;
        CUZK_UNROLL
        for (int k = 0; k < W; ++k) r.word[k] = even[k + 2];
        return r;
    }

    // even (columns 0 to 7) and odd (1 to 7) += x y 2^(32 shift) mod 2^256, of the words below W - shift.
    template <int kShift, class Word>
    __device__ static __forceinline__ void add_low_product(u32* even, u32* odd, const Value& x,
                                                           const Word& y) {
        CUZK_UNROLL
        for (int i = 0; i < W - kShift; ++i) {
            CUZK_UNROLL
            for (int parity = 0; parity < 2; ++parity) {
                bool started = false;
                CUZK_UNROLL
                for (int k = 0; k < W - kShift - i; ++k) {
                    const int c = i + k + kShift;
                    if (c % 2 != parity) continue;
                    u32* sum = parity == 0 ? even + c : odd + (c - 1);
                    if (c == W - 1) {  // the high word is beyond the top
                        if (started)
                            device::mad_low_last(sum[0], x.word[i], y(k));
                        else
                            device::mad_low(sum[0], x.word[i], y(k));
                    } else if (!started) {
                        device::mad_first(sum[0], sum[1], x.word[i], y(k));
                    } else {
                        device::mad_next(sum[0], sum[1], x.word[i], y(k));
                    }
                    started = true;
                }
            }
        }
    }

    // x w, for any x of 8 words.
    __device__ static __forceinline__ Value mul(const Value& x, const Value& w, const Value& w_quotient) {
        const Value q = high_product(x, w_quotient);
        // x w - q p mod 2^256, where -p is the complement of p and one
        u32 even[W] = {};
        u32 odd[W - 1] = {};
        add_low_product<0>(even, odd, x, [&](int k) { return w.word[k]; });
        if constexpr (Words::kSparse)  // -p = 2^32 - 1 + 2^64 (complement of the upper words)
            add_low_product<2>(even, odd, q, [](int k) { return ~Words::modulus(k + 2); });
        else
            add_low_product<0>(even, odd, q,
                               [](int k) { return k == 0 ? 0 - Words::modulus(0) : ~Words::modulus(k); });
        device::add_first(even[1], odd[0]);
        CUZK_UNROLL
        for (int k = 2; k < W - 1; ++k) device::add_next(even[k], odd[k - 1]);
        device::add_last(even[W - 1], odd[W - 2]);
        if constexpr (Words::kSparse) {
            device::add_first(even[1], q.word[0]);
            CUZK_UNROLL
            for (int k = 2; k < W - 1; ++k) device::add_next(even[k], q.word[k - 1]);
            device::add_last(even[W - 1], q.word[W - 2]);
            device::sub_first(even[0], q.word[0]);
            CUZK_UNROLL
            for (int k = 1; k < W; ++k) device::sub_next(even[k], q.word[k]);
        }
        Value r;
        CUZK_UNROLL
        for (int k = 0; k < W; ++k) r.word[k] = even[k];
        return r;
    }

    __device__ static __forceinline__ F canonical(Value x) {
        device::reduce_once<P>(x);
        return F::from_montgomery(x.packed());
    }
};

}  // namespace cuzk::gpu
