// Montgomery arithmetic in portable C++: the reference path, the path at compile time, and the fallback where the
// processor lacks ADX. R = 2^(64 N); operands and results are below the modulus.
#pragma once

#include "field/bigint.hpp"

namespace cuzk::portable {

// a - p if that is not negative, else a. `carry` is bit 64 N of a.
template <std::size_t N>
CUZK_HD constexpr BigInt<N> reduce_once(const BigInt<N>& a, u64 carry, const BigInt<N>& p) {
    BigInt<N> r = a;
    const u64 borrow = r.sub(p);
    return carry < borrow ? a : r;
}

template <std::size_t N>
CUZK_HD constexpr BigInt<N> add(const BigInt<N>& a, const BigInt<N>& b, const BigInt<N>& p) {
    BigInt<N> r = a;
    const u64 carry = r.add(b);
    return reduce_once(r, carry, p);
}

template <std::size_t N>
CUZK_HD constexpr BigInt<N> sub(const BigInt<N>& a, const BigInt<N>& b, const BigInt<N>& p) {
    BigInt<N> r = a;
    const u64 mask = 0 - r.sub(b);
    BigInt<N> fix;
    for (std::size_t i = 0; i < N; ++i) fix.limb[i] = p.limb[i] & mask;
    r.add(fix);
    return r;
}

// a b / R mod p, coarsely integrated operand scanning (Koç, Acar, Kaliski 1996). n0 = -p^-1 mod 2^64.
template <std::size_t N>
CUZK_HD constexpr BigInt<N> mont_mul(const BigInt<N>& a, const BigInt<N>& b, const BigInt<N>& p, u64 n0) {
    u64 t[N + 2] = {};
    for (std::size_t i = 0; i < N; ++i) {
        u64 carry = 0;
        for (std::size_t j = 0; j < N; ++j) {
            const u128 x = u128{a.limb[j]} * b.limb[i] + t[j] + carry;
            t[j] = static_cast<u64>(x);
            carry = static_cast<u64>(x >> 64);
        }
        u128 x = u128{t[N]} + carry;
        t[N] = static_cast<u64>(x);
        t[N + 1] = static_cast<u64>(x >> 64);

        const u64 m = t[0] * n0;
        x = u128{m} * p.limb[0] + t[0];
        carry = static_cast<u64>(x >> 64);
        for (std::size_t j = 1; j < N; ++j) {
            x = u128{m} * p.limb[j] + t[j] + carry;
            t[j - 1] = static_cast<u64>(x);
            carry = static_cast<u64>(x >> 64);
        }
        x = u128{t[N]} + carry;
        t[N - 1] = static_cast<u64>(x);
        t[N] = t[N + 1] + static_cast<u64>(x >> 64);
    }
    BigInt<N> r;
    for (std::size_t i = 0; i < N; ++i) r.limb[i] = t[i];
    return reduce_once(r, t[N], p);
}

}  // namespace cuzk::portable
