// Choice of the arithmetic path for one element: portable at compile time and where nothing better exists.
#pragma once

#include "field/constants.hpp"
#include "field/mont_portable.hpp"

namespace cuzk::mont {

template <class P>
CUZK_HD constexpr BigInt<P::kLimbs> add(const BigInt<P::kLimbs>& a, const BigInt<P::kLimbs>& b) {
    return portable::add(a, b, FieldConstants<P>::kModulus);
}

template <class P>
CUZK_HD constexpr BigInt<P::kLimbs> sub(const BigInt<P::kLimbs>& a, const BigInt<P::kLimbs>& b) {
    return portable::sub(a, b, FieldConstants<P>::kModulus);
}

template <class P>
CUZK_HD constexpr BigInt<P::kLimbs> mul(const BigInt<P::kLimbs>& a, const BigInt<P::kLimbs>& b) {
    return portable::mont_mul(a, b, FieldConstants<P>::kModulus, FieldConstants<P>::kN0);
}

template <class P>
CUZK_HD constexpr BigInt<P::kLimbs> sqr(const BigInt<P::kLimbs>& a) {
    return mul<P>(a, a);
}

// Inverse of a Montgomery number, in Montgomery form: Fermat, a^(p-2).
template <class P>
CUZK_HD constexpr BigInt<P::kLimbs> inverse(const BigInt<P::kLimbs>& a) {
    using C = FieldConstants<P>;
    BigInt<P::kLimbs> r = C::kR;
    for (std::size_t i = C::kBits; i-- > 0;) {
        r = sqr<P>(r);
        if (C::kModulusMinusTwo.bit(i)) r = mul<P>(r, a);
    }
    return r;
}

}  // namespace cuzk::mont
