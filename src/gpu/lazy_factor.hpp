// Constant factors prepared for products without a division.
#pragma once

#include <vector_types.h>

#include "field/fp.hpp"

namespace cuzk::gpu {

// A table of numbers w below p with floor(w 2^256 / p), canonical: x w mod p is x w - q p, or p more, where q is the high half of
// x times the second number (Shoup's method). Four planes of 16 bytes an entry, w's halves and its quotient's, so that threads
// with neighbouring entries read neighbouring memory.
template <class F>
struct LazyFactors {
    static_assert(F::kBytes == 32);

    uint4* planes = nullptr;
    u32 size = 0;

    static constexpr std::size_t kBytes = 64;  // of an entry
};

// -p^-1 mod 2^256, which turns a Montgomery form w 2^256 mod p into that quotient: w 2^256 = quotient p + (w 2^256 mod p).
template <class F>
constexpr typename F::Int negative_modulus_inverse() {
    using Int = typename F::Int;
    const auto product = [](const Int& a, const Int& b) {
        Int r;
        for (std::size_t i = 0; i < Int::kLimbs; ++i) {
            u64 carry = 0;
            for (std::size_t j = 0; i + j < Int::kLimbs; ++j) {
                const u128 x = u128{a.limb[i]} * b.limb[j] + r.limb[i + j] + carry;
                r.limb[i + j] = static_cast<u64>(x);
                carry = static_cast<u64>(x >> 64);
            }
        }
        return r;
    };
    Int x = Int::from_u64(1);
    for (int i = 0; i < 8; ++i) {  // each step doubles the number of right bits: 1 to 256
        Int t = Int::from_u64(2);
        t.sub(product(F::Params::kModulus, x));
        x = product(x, t);
    }
    Int r;
    r.sub(x);
    return r;
}

}  // namespace cuzk::gpu
