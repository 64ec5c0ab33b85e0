// Fixed-size unsigned integers of N 64-bit limbs, least significant limb first. Plain values: no modulus here.
#pragma once

#include <string_view>

#include "base/types.hpp"

// Before a loop of a fixed, small count in arithmetic code.
#if defined(__CUDACC__)
#define CUZK_UNROLL _Pragma("unroll")
#elif defined(__clang__)
#define CUZK_UNROLL _Pragma("clang loop unroll(full)")
#else
#define CUZK_UNROLL _Pragma("GCC unroll 8")
#endif

namespace cuzk {

template <std::size_t N>
struct BigInt {
    static constexpr std::size_t kLimbs = N;
    static constexpr std::size_t kBits = 64 * N;
    static constexpr std::size_t kBytes = 8 * N;

    u64 limb[N] = {};

    CUZK_HD static constexpr BigInt from_u64(u64 value) {
        BigInt r;
        r.limb[0] = value;
        return r;
    }

    // Big-endian hexadecimal digits without prefix; evaluated at compile time for moduli and constants.
    static constexpr BigInt from_hex(std::string_view digits) {
        BigInt r;
        std::size_t bit = 0;
        for (std::size_t i = digits.size(); i-- > 0; bit += 4) {
            const char c = digits[i];
            const u64 d = c <= '9' ? static_cast<u64>(c - '0') : static_cast<u64>((c | 0x20) - 'a' + 10);
            if (d != 0) r.limb[bit / 64] |= d << (bit % 64);
        }
        return r;
    }

    CUZK_HD constexpr bool bit(std::size_t i) const { return ((limb[i / 64] >> (i % 64)) & 1) != 0; }

    CUZK_HD constexpr bool is_zero() const {
        u64 any = 0;
        for (std::size_t i = 0; i < N; ++i) any |= limb[i];
        return any == 0;
    }

    // Position of the highest set bit plus one; 0 for zero.
    CUZK_HD constexpr std::size_t bit_length() const {
        for (std::size_t i = N; i-- > 0;)
            if (limb[i] != 0) {
                std::size_t bits = 64 * i;
                for (u64 w = limb[i]; w != 0; w >>= 1) ++bits;
                return bits;
            }
        return 0;
    }

    // The `count` (at most 64) bits that start at bit `first`; bits past the top read as zero.
    CUZK_HD constexpr u64 bits(std::size_t first, std::size_t count) const {
        const std::size_t k = first / 64;
        const std::size_t s = first % 64;
        if (k >= N) return 0;
        u64 w = limb[k] >> s;
        if (s != 0 && k + 1 < N) w |= limb[k + 1] << (64 - s);
        return count >= 64 ? w : w & ((u64{1} << count) - 1);
    }

    CUZK_HD friend constexpr bool operator==(const BigInt& a, const BigInt& b) {
        u64 diff = 0;
        for (std::size_t i = 0; i < N; ++i) diff |= a.limb[i] ^ b.limb[i];
        return diff == 0;
    }

    // Numeric order.
    CUZK_HD friend constexpr bool operator<(const BigInt& a, const BigInt& b) {
        u64 borrow = 0;
        for (std::size_t i = 0; i < N; ++i) {
            const u128 d = u128{a.limb[i]} - b.limb[i] - borrow;
            borrow = static_cast<u64>(d >> 64) & 1;
        }
        return borrow != 0;
    }
    CUZK_HD friend constexpr bool operator>=(const BigInt& a, const BigInt& b) { return !(a < b); }

    // this += b; returns the carry out.
    CUZK_HD constexpr u64 add(const BigInt& b) {
        u64 carry = 0;
        for (std::size_t i = 0; i < N; ++i) {
            const u128 s = u128{limb[i]} + b.limb[i] + carry;
            limb[i] = static_cast<u64>(s);
            carry = static_cast<u64>(s >> 64);
        }
        return carry;
    }

    // this -= b; returns the borrow out.
    CUZK_HD constexpr u64 sub(const BigInt& b) {
        u64 borrow = 0;
        for (std::size_t i = 0; i < N; ++i) {
            const u128 d = u128{limb[i]} - b.limb[i] - borrow;
            limb[i] = static_cast<u64>(d);
            borrow = static_cast<u64>(d >> 64) & 1;
        }
        return borrow;
    }

    CUZK_HD constexpr BigInt shr(std::size_t count) const {
        BigInt r;
        for (std::size_t i = 0; i < N; ++i) r.limb[i] = bits(64 * i + count, 64);
        return r;
    }
};

}  // namespace cuzk
