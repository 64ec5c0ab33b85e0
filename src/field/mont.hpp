// Choice of the arithmetic path for one element: portable at compile time and where nothing better exists.
#pragma once

#include "field/constants.hpp"
#include "field/mont_portable.hpp"

namespace cuzk::mont {

template <class P>
CUZK_HD constexpr BigInt<P::kLimbs> add(const BigInt<P::kLimbs>& a, const BigInt<P::kLimbs>& b) {
    constexpr auto kModulus = FieldConstants<P>::kModulus;
    return portable::add(a, b, kModulus);
}

template <class P>
CUZK_HD constexpr BigInt<P::kLimbs> sub(const BigInt<P::kLimbs>& a, const BigInt<P::kLimbs>& b) {
    constexpr auto kModulus = FieldConstants<P>::kModulus;
    return portable::sub(a, b, kModulus);
}

template <class P>
CUZK_HD constexpr BigInt<P::kLimbs> mul(const BigInt<P::kLimbs>& a, const BigInt<P::kLimbs>& b) {
    constexpr auto kModulus = FieldConstants<P>::kModulus;
    return portable::mont_mul(a, b, kModulus, FieldConstants<P>::kN0);
}

template <class P>
CUZK_HD constexpr BigInt<P::kLimbs> sqr(const BigInt<P::kLimbs>& a) {
    return mul<P>(a, a);
}

// Inverse of a Montgomery number, in Montgomery form: Fermat, a^(p-2).
template <class P>
CUZK_HD constexpr BigInt<P::kLimbs> inverse(const BigInt<P::kLimbs>& a) {
    using C = FieldConstants<P>;
    constexpr auto kR = C::kR;
    constexpr auto kModulusMinusTwo = C::kModulusMinusTwo;
    BigInt<P::kLimbs> r = kR;
    for (std::size_t i = C::kBits; i-- > 0;) {
        r = sqr<P>(r);
        if (kModulusMinusTwo.bit(i)) r = mul<P>(r, a);
    }
    return r;
}

}  // namespace cuzk::mont
