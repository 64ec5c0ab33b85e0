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

// a b / R mod p, coarsely integrated operand scanning (Koç, Acar, Kaliski 1996), both inner loops in one. The top bit of p
// must be free: then the running sum fits N words. n0 = -p^-1 mod 2^64.
template <std::size_t N>
CUZK_HD constexpr BigInt<N> mont_mul(const BigInt<N>& a, const BigInt<N>& b, const BigInt<N>& p, u64 n0) {
    BigInt<N> t;
    CUZK_UNROLL
    for (std::size_t i = 0; i < N; ++i) {
        u128 x = u128{a.limb[0]} * b.limb[i] + t.limb[0];
        const u64 m = static_cast<u64>(x) * n0;
        u128 y = u128{m} * p.limb[0] + static_cast<u64>(x);
        CUZK_UNROLL
        for (std::size_t j = 1; j < N; ++j) {
            x = u128{a.limb[j]} * b.limb[i] + t.limb[j] + static_cast<u64>(x >> 64);
            y = u128{m} * p.limb[j] + static_cast<u64>(x) + static_cast<u64>(y >> 64);
            t.limb[j - 1] = static_cast<u64>(y);
        }
        t.limb[N - 1] = static_cast<u64>(x >> 64) + static_cast<u64>(y >> 64);
    }
    return reduce_once(t, 0, p);
}

}  // namespace cuzk::portable
