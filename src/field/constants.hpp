// Everything a Montgomery field needs, derived from its modulus at compile time.
#pragma once

#include "field/mont_portable.hpp"

namespace cuzk {

template <class P>
struct FieldConstants {
    static constexpr std::size_t N = P::kLimbs;
    using Int = BigInt<N>;

    static constexpr Int kModulus = P::kModulus;
    static constexpr std::size_t kBits = kModulus.bit_length();

    // -p^-1 mod 2^64, by Newton iteration.
    static constexpr u64 kN0 = [] {
        u64 x = 1;
        for (int i = 0; i < 6; ++i) x *= 2 - kModulus.limb[0] * x;
        return 0 - x;
    }();

    // 2^k mod p, by doubling.
    static constexpr Int power_of_two(std::size_t k) {
        Int r = Int::from_u64(1);
        for (std::size_t i = 0; i < k; ++i) r = portable::add(r, r, kModulus);
        return r;
    }
    static constexpr Int kR = power_of_two(64 * N);       // one in Montgomery form
    static constexpr Int kR2 = power_of_two(2 * 64 * N);  // turns canonical into Montgomery
    static constexpr Int kR3 = power_of_two(3 * 64 * N);

    static constexpr Int kModulusMinusOne = [] {
        Int r = kModulus;
        r.sub(Int::from_u64(1));
        return r;
    }();
    static constexpr Int kModulusMinusTwo = [] {
        Int r = kModulus;
        r.sub(Int::from_u64(2));
        return r;
    }();
    static constexpr Int kHalf = kModulusMinusOne.shr(1);  // (p - 1) / 2

    // p - 1 = 2^kTwoAdicity * odd
    static constexpr std::size_t kTwoAdicity = [] {
        std::size_t s = 0;
        while (!kModulusMinusOne.bit(s)) ++s;
        return s;
    }();
    static constexpr Int kOddPart = kModulusMinusOne.shr(kTwoAdicity);
};

}  // namespace cuzk
