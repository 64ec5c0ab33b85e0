// Quadratic extension Fp2 = Fp[u] / (u^2 + 1). Both supported base fields have p = 3 mod 4, so -1 is no square.
#pragma once

#include <optional>

#include "field/fp.hpp"
#if defined(__CUDACC__)
#include "field/fp2_device.cuh"
#endif

namespace cuzk {

// c0 + c1 u. Memory layout: c0, then c1 (the order of snarkjs; the Zcash encodings put c1 first).
template <class F>
struct Fp2 {
    using Base = F;
    static constexpr std::size_t kBytes = 2 * F::kBytes;

    F c0, c1;

    CUZK_HD static constexpr Fp2 zero() { return {}; }
    CUZK_HD static constexpr Fp2 one() { return {F::one(), F::zero()}; }
    CUZK_HD static constexpr Fp2 from_u64(u64 x) { return {F::from_u64(x), F::zero()}; }
    static Fp2 random(RandomSource& source) {
        const F a = F::random(source);
        return {a, F::random(source)};
    }

    CUZK_HD constexpr bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
    CUZK_HD constexpr bool is_one() const { return c0.is_one() && c1.is_zero(); }
    // The order of the Zcash encodings: by c1, then c0.
    CUZK_HD constexpr bool is_lexicographically_largest() const {
        return c1.is_zero() ? c0.is_lexicographically_largest() : c1.is_lexicographically_largest();
    }

    CUZK_HD friend constexpr bool operator==(const Fp2& a, const Fp2& b) {
        return a.c0 == b.c0 && a.c1 == b.c1;
    }
    CUZK_HD friend constexpr Fp2 operator+(const Fp2& a, const Fp2& b) { return {a.c0 + b.c0, a.c1 + b.c1}; }
    CUZK_HD friend constexpr Fp2 operator-(const Fp2& a, const Fp2& b) { return {a.c0 - b.c0, a.c1 - b.c1}; }
    CUZK_HD friend constexpr Fp2 operator*(const Fp2& a, const Fp2& b) { return product(a, b); }
    CUZK_HD friend constexpr Fp2 operator*(const Fp2& a, const F& b) { return {a.c0 * b, a.c1 * b}; }
    CUZK_HD constexpr Fp2 operator-() const { return {-c0, -c1}; }
    CUZK_HD constexpr Fp2& operator+=(const Fp2& b) { return *this = *this + b; }
    CUZK_HD constexpr Fp2& operator-=(const Fp2& b) { return *this = *this - b; }
    CUZK_HD constexpr Fp2& operator*=(const Fp2& b) { return *this = *this * b; }

    CUZK_HD constexpr Fp2 dbl() const { return {c0.dbl(), c1.dbl()}; }
    // (c0 + c1)(c0 - c1) + 2 c0 c1 u: 2 products.
    CUZK_HD constexpr Fp2 square() const { return {product(c0 + c1, c0 - c1), product(c0, c1).dbl()}; }
    // x -> x^p
    CUZK_HD constexpr Fp2 conjugate() const { return {c0, -c1}; }
    // c0^2 + c1^2
    CUZK_HD constexpr F norm() const { return c0.square() + c1.square(); }

    // Multiplicative inverse; zero maps to zero.
    CUZK_HD constexpr Fp2 inverse() const {
        const F n = norm().inverse();
        return {c0 * n, -(c1 * n)};
    }

    template <std::size_t M>
    CUZK_HD constexpr Fp2 pow(const BigInt<M>& e) const {
        Fp2 r = one();
        for (std::size_t i = e.bit_length(); i-- > 0;) {
            r = r.square();
            if (e.bit(i)) r *= *this;
        }
        return r;
    }

    // A square root, if there is one. With p = 3 mod 4: via the norm (Adj, Rodríguez-Henríquez 2012, section 5).
    std::optional<Fp2> sqrt() const {
        if (c1.is_zero()) {
            if (auto r = c0.sqrt()) return Fp2{*r, F::zero()};
            const auto r = (-c0).sqrt();  // -1 is no square, so one of the two is
            return Fp2{F::zero(), *r};
        }
        const auto n = norm().sqrt();
        if (!n) return std::nullopt;
        const F half = F::from_u64(2).inverse();
        F t = (c0 + *n) * half;
        auto x = t.sqrt();
        if (!x) {
            t = (c0 - *n) * half;
            x = t.sqrt();
            if (!x) return std::nullopt;
        }
        return Fp2{*x, c1 * (x->dbl()).inverse()};
    }

private:
    // Karatsuba: 3 products. On a device by calls: elements of Fp2 leave no registers for several inlined products.
    CUZK_HD static constexpr Fp2 product(const Fp2& a, const Fp2& b) {
#if defined(__CUDA_ARCH__)
        if constexpr (device::kReducesLazily<F>)
            if (!std::is_constant_evaluated()) return device::quadratic_product(a, b);
#endif
        const F v0 = product(a.c0, b.c0);
        const F v1 = product(a.c1, b.c1);
        return {v0 - v1, product(a.c0 + a.c1, b.c0 + b.c1) - v0 - v1};
    }
    CUZK_HD static constexpr F product(const F& a, const F& b) {
#if defined(__CUDA_ARCH__)
        if (!std::is_constant_evaluated()) return device::called_product(a, b);
#endif
        return a * b;
    }
};

}  // namespace cuzk
