// Choice of the arithmetic path for one element: portable at compile time, PTX on a device, else what the processor offers.
#pragma once

#include <type_traits>

#include "field/constants.hpp"
#include "field/mont_native.hpp"
#include "field/mont_portable.hpp"
#if defined(__CUDACC__)
#include "field/inverse_device.cuh"
#include "field/mont_device.cuh"
#endif

#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__CUDA_ARCH__)
#define CUZK_NATIVE_SUMS 1
#endif

namespace cuzk::mont {

// The modulus by value: device code can use a constant's value, not its address.
template <class P>
CUZK_HD constexpr BigInt<P::kLimbs> modulus() {
    constexpr auto kValue = P::kModulus;
    return kValue;
}

template <class P>
CUZK_HD constexpr BigInt<P::kLimbs> add(const BigInt<P::kLimbs>& a, const BigInt<P::kLimbs>& b) {
#if defined(__CUDA_ARCH__)
    if (!std::is_constant_evaluated()) return device::add<P>(a, b);
#elif defined(CUZK_NATIVE_SUMS)
    if (!std::is_constant_evaluated()) return native::add(a, b, P::kModulus);
#endif
    return portable::add(a, b, modulus<P>());
}

template <class P>
CUZK_HD constexpr BigInt<P::kLimbs> sub(const BigInt<P::kLimbs>& a, const BigInt<P::kLimbs>& b) {
#if defined(__CUDA_ARCH__)
    if (!std::is_constant_evaluated()) return device::sub<P>(a, b);
#elif defined(CUZK_NATIVE_SUMS)
    if (!std::is_constant_evaluated()) return native::sub(a, b, P::kModulus);
#endif
    return portable::sub(a, b, modulus<P>());
}

template <class P>
CUZK_HD constexpr BigInt<P::kLimbs> mul(const BigInt<P::kLimbs>& a, const BigInt<P::kLimbs>& b) {
#if defined(__CUDA_ARCH__)
    if (!std::is_constant_evaluated()) return device::mul<P>(a, b);
#else
    if (!std::is_constant_evaluated()) return native::mul<P>(a, b);
#endif
    return portable::mont_mul(a, b, modulus<P>(), FieldConstants<P>::kN0);
}

// a = a b; b may be a.
template <class P>
CUZK_HD constexpr void mul_assign(BigInt<P::kLimbs>& a, const BigInt<P::kLimbs>& b) {
#if defined(__CUDA_ARCH__)
    if (!std::is_constant_evaluated()) {
        a = device::mul<P>(a, b);
        return;
    }
#else
    if (!std::is_constant_evaluated()) return native::mul_assign<P>(a, b);
#endif
    a = portable::mont_mul(a, b, modulus<P>(), FieldConstants<P>::kN0);
}

template <class P>
CUZK_HD constexpr BigInt<P::kLimbs> sqr(const BigInt<P::kLimbs>& a) {
#if defined(__CUDA_ARCH__)
    if (!std::is_constant_evaluated()) return device::sqr<P>(a);
#else
    if (!std::is_constant_evaluated()) return native::sqr<P>(a);
#endif
    return portable::mont_mul(a, a, modulus<P>(), FieldConstants<P>::kN0);
}

// Inverse of a Montgomery number, in Montgomery form; 0 for 0. At compile time by Fermat: a^(p-2).
template <class P>
CUZK_HD constexpr BigInt<P::kLimbs> inverse(const BigInt<P::kLimbs>& a) {
#if defined(__CUDA_ARCH__)
    if (!std::is_constant_evaluated()) return device::inverse<P>(a);
#else
    if (!std::is_constant_evaluated()) return native::inverse<P>(a);
#endif
    using C = FieldConstants<P>;
    constexpr auto kExponent = C::kModulusMinusTwo;
    constexpr auto kOne = C::kR;
    BigInt<P::kLimbs> r = kOne;
    for (std::size_t i = C::kBits; i-- > 0;) {
        r = sqr<P>(r);
        if (kExponent.bit(i)) r = mul<P>(r, a);
    }
    return r;
}

}  // namespace cuzk::mont
