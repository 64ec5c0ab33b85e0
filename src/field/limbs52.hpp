// The number format of the 8-lane vector path: limbs of 52 bits, Montgomery factor R' = 2^(52 N). Plain constexpr code,
// so that ordinary files can prepare constants and tables for the vector files. What the vector files themselves use is
// consteval or plain data: they must not give rise to a function that the linker could pick for everybody.
#pragma once

#include "field/constants.hpp"

namespace cuzk {

template <class P>
struct Limbs52 {
    static constexpr std::size_t kWords = P::kLimbs;                  // 64-bit limbs in memory
    static constexpr std::size_t kLimbs = (64 * kWords + 51) / 52;    // 5 for 4 words, 8 for 6
    static constexpr std::size_t kExtra = 52 * kLimbs - 64 * kWords;  // e: R' = 2^(64 words + e); 4 or 32
    static constexpr u64 kMask = (u64{1} << 52) - 1;

    using Int = BigInt<kWords>;
    struct Limbs {
        u64 limb[kLimbs];
    };

    // Any integer of kWords words.
    static constexpr Limbs split(const Int& x) {
        Limbs r{};
        for (std::size_t i = 0; i < kLimbs; ++i) r.limb[i] = x.bits(52 * i, 52);
        return r;
    }

    // k p; must be below R'.
    static consteval Limbs multiple(u64 k) {
        Limbs r{};
        const Limbs p = split(P::kModulus);
        u64 carry = 0;
        for (std::size_t i = 0; i < kLimbs; ++i) {
            const u128 x = u128{p.limb[i]} * k + carry;
            r.limb[i] = static_cast<u64>(x) & kMask;
            carry = static_cast<u64>(x >> 52);
        }
        return r;
    }

    // 2^k mod p
    static consteval Int power_of_two(std::size_t k) { return FieldConstants<P>::power_of_two(k); }

    static constexpr u64 kN0 = FieldConstants<P>::kN0 & kMask;  // -p^-1 mod 2^52
    static constexpr Int kOne =
        FieldConstants<P>::power_of_two(52 * kLimbs);  // R' mod p: one of the vector path
};

}  // namespace cuzk
