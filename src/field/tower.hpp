// Fp6 = Fp2[v] / (v^3 - xi) and Fp12 = Fp6[w] / (w^2 - v), the target group's field. xi comes from the tower's
// parameters: 1 + u for BLS12-381, 9 + u for BN254. Formulas: Devegili, Ó hÉigeartaigh, Scott, Dahab 2006.
#pragma once

#include "field/fp2.hpp"

namespace cuzk {

struct Bls12_381Tower {
    using Fp = Bls12_381Fp;
    CUZK_HD static constexpr Fp2<Fp> mul_by_xi(const Fp2<Fp>& a) { return {a.c0 - a.c1, a.c0 + a.c1}; }
};

struct Bn254Tower {
    using Fp = Bn254Fp;
    CUZK_HD static constexpr Fp2<Fp> mul_by_xi(const Fp2<Fp>& a) {
        const Fp2<Fp> nine = a.dbl().dbl().dbl() + a;
        return {nine.c0 - a.c1, nine.c1 + a.c0};
    }
};

// c0 + c1 v + c2 v^2
template <class T>
struct Fp6 {
    using F2 = Fp2<typename T::Fp>;
    F2 c0, c1, c2;

    CUZK_HD static constexpr Fp6 zero() { return {}; }
    CUZK_HD static constexpr Fp6 one() { return {F2::one(), F2::zero(), F2::zero()}; }
    static Fp6 random(RandomSource& s) {
        Fp6 r;
        for (F2* c : {&r.c0, &r.c1, &r.c2}) *c = F2::random(s);
        return r;
    }
    CUZK_HD constexpr bool is_zero() const { return c0.is_zero() && c1.is_zero() && c2.is_zero(); }
    CUZK_HD friend constexpr bool operator==(const Fp6& a, const Fp6& b) {
        return a.c0 == b.c0 && a.c1 == b.c1 && a.c2 == b.c2;
    }
    CUZK_HD friend constexpr Fp6 operator+(const Fp6& a, const Fp6& b) {
        return {a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2};
    }
    CUZK_HD friend constexpr Fp6 operator-(const Fp6& a, const Fp6& b) {
        return {a.c0 - b.c0, a.c1 - b.c1, a.c2 - b.c2};
    }
    CUZK_HD constexpr Fp6 operator-() const { return {-c0, -c1, -c2}; }
    CUZK_HD friend constexpr Fp6 operator*(const Fp6& a, const Fp6& b) {
        const F2 v0 = a.c0 * b.c0;
        const F2 v1 = a.c1 * b.c1;
        const F2 v2 = a.c2 * b.c2;
        return {v0 + T::mul_by_xi((a.c1 + a.c2) * (b.c1 + b.c2) - v1 - v2),
                (a.c0 + a.c1) * (b.c0 + b.c1) - v0 - v1 + T::mul_by_xi(v2),
                (a.c0 + a.c2) * (b.c0 + b.c2) - v0 - v2 + v1};
    }
    CUZK_HD constexpr Fp6 square() const {
        // Chung, Hasan 2007, SQR2
        const F2 s0 = c0.square();
        const F2 s1 = (c0 * c1).dbl();
        const F2 s2 = (c0 - c1 + c2).square();
        const F2 s3 = (c1 * c2).dbl();
        const F2 s4 = c2.square();
        return {s0 + T::mul_by_xi(s3), s1 + T::mul_by_xi(s4), s1 + s2 + s3 - s0 - s4};
    }
    CUZK_HD constexpr Fp6 mul_by_v() const { return {T::mul_by_xi(c2), c0, c1}; }
    CUZK_HD constexpr Fp6 scale(const F2& k) const { return {c0 * k, c1 * k, c2 * k}; }
    CUZK_HD constexpr Fp6 inverse() const {
        const F2 t0 = c0.square() - T::mul_by_xi(c1 * c2);
        const F2 t1 = T::mul_by_xi(c2.square()) - c0 * c1;
        const F2 t2 = c1.square() - c0 * c2;
        const F2 d = (c0 * t0 + T::mul_by_xi(c2 * t1 + c1 * t2)).inverse();
        return {t0 * d, t1 * d, t2 * d};
    }
};

// c0 + c1 w
template <class T>
struct Fp12 {
    using F6 = Fp6<T>;
    F6 c0, c1;

    CUZK_HD static constexpr Fp12 one() { return {F6::one(), F6::zero()}; }
    static Fp12 random(RandomSource& s) {
        const F6 a = F6::random(s);
        return {a, F6::random(s)};
    }
    CUZK_HD constexpr bool is_one() const { return *this == one(); }
    CUZK_HD friend constexpr bool operator==(const Fp12& a, const Fp12& b) {
        return a.c0 == b.c0 && a.c1 == b.c1;
    }
    CUZK_HD friend constexpr Fp12 operator*(const Fp12& a, const Fp12& b) {
        const F6 v0 = a.c0 * b.c0;
        const F6 v1 = a.c1 * b.c1;
        return {v0 + v1.mul_by_v(), (a.c0 + a.c1) * (b.c0 + b.c1) - v0 - v1};
    }
    CUZK_HD constexpr Fp12& operator*=(const Fp12& b) { return *this = *this * b; }
    CUZK_HD constexpr Fp12 square() const {
        const F6 v = c0 * c1;
        return {(c0 + c1) * (c0 + c1.mul_by_v()) - v - v.mul_by_v(), v + v};
    }
    // x -> x^(p^6); the inverse for elements of the cyclotomic subgroup.
    CUZK_HD constexpr Fp12 conjugate() const { return {c0, -c1}; }
    CUZK_HD constexpr Fp12 inverse() const {
        const F6 d = (c0.square() - c1.square().mul_by_v()).inverse();
        return {c0 * d, -(c1 * d)};
    }
    template <std::size_t M>
    CUZK_HD constexpr Fp12 pow(const BigInt<M>& e) const {
        Fp12 r = one();
        for (std::size_t i = e.bit_length(); i-- > 0;) {
            r = r.square();
            if (e.bit(i)) r *= *this;
        }
        return r;
    }
};

}  // namespace cuzk
