// Decimal text of fixed-size integers, as snarkjs' JSON holds numbers.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "field/bigint.hpp"

namespace cuzk {

// Canonical decimal only: digits, no sign, no leading zero; nothing if it is something else or does not fit N limbs.
template <std::size_t N>
std::optional<BigInt<N>> from_decimal(std::string_view text) {
    // Longer than any N-limb number: refused before the quadratic work below.
    if (text.empty() || text.size() > 20 * N || (text.size() > 1 && text[0] == '0')) return std::nullopt;
    BigInt<N> value;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        u128 carry = static_cast<u64>(c - '0');
        for (u64& limb : value.limb) {
            carry += u128{limb} * 10;
            limb = static_cast<u64>(carry);
            carry >>= 64;
        }
        if (carry != 0) return std::nullopt;
    }
    return value;
}

template <std::size_t N>
std::string to_decimal(BigInt<N> value) {
    if (value.is_zero()) return "0";
    constexpr u64 kChunk = 10'000'000'000'000'000'000U;  // 10^19
    std::string reversed;
    while (!value.is_zero()) {
        u64 remainder = 0;
        for (std::size_t i = N; i-- > 0;) {
            const u128 part = u128{remainder} << 64 | value.limb[i];
            value.limb[i] = static_cast<u64>(part / kChunk);
            remainder = static_cast<u64>(part % kChunk);
        }
        for (int digit = 0; digit < 19 && (remainder != 0 || !value.is_zero()); ++digit) {
            reversed += static_cast<char>('0' + remainder % 10);
            remainder /= 10;
        }
    }
    std::reverse(reversed.begin(), reversed.end());
    return reversed;
}

// Lower-case hexadecimal, zero-padded to at least `digits`, no prefix.
template <std::size_t N>
std::string to_hex(const BigInt<N>& value, std::size_t digits) {
    const std::size_t used = std::max(digits, (value.bit_length() + 3) / 4);
    std::string text(used, '0');
    for (std::size_t i = 0; i < used; ++i) text[used - 1 - i] = "0123456789abcdef"[value.bits(4 * i, 4)];
    return text;
}

}  // namespace cuzk
