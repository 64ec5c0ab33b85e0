// The two building blocks of a Miller loop over a sextic twist: the sequence of steps, and the steps themselves with their
// lines. Used by the pairing only.
#pragma once

#include <array>

#include "curve/affine.hpp"
#include "curve/frobenius.hpp"

namespace cuzk::miller {

// Signed digits of the loop count, most significant first; the leading 1 is left out. Between digits the point doubles.
template <class C>
struct Loop;

// |x|: sparse in plain binary.
template <>
struct Loop<Bls12_381> {
    static constexpr auto kDigits = [] {
        std::array<signed char, 63> d{};
        for (std::size_t i = 0; i < d.size(); ++i)
            d[i] = static_cast<signed char>((Bls12_381::kX >> (62 - i)) & 1);
        return d;
    }();
    static constexpr bool kFrobeniusLines = false;
};

// 6 x + 2 in non-adjacent form.
template <>
struct Loop<Bn254> {
    static constexpr std::size_t kMaxDigits = 67;
    static constexpr auto kReversed = [] {
        std::array<signed char, kMaxDigits> d{};
        u128 k = u128{6} * Bn254::kX + 2;
        for (std::size_t i = 0; k != 0; ++i, k >>= 1) {
            if ((k & 1) == 0) continue;
            const int digit = 2 - static_cast<int>(k & 3);  // 1 or -1, such that the next digit is 0
            d[i] = static_cast<signed char>(digit);
            k = digit == 1 ? k - 1 : k + 1;
        }
        return d;
    }();
    static constexpr std::size_t kTop = [] {
        std::size_t top = kMaxDigits - 1;
        while (kReversed[top] == 0) --top;
        return top;
    }();
    static constexpr auto kDigits = [] {
        std::array<signed char, kTop> d{};
        for (std::size_t i = 0; i < kTop; ++i) d[i] = kReversed[kTop - 1 - i];
        return d;
    }();
    static constexpr bool kFrobeniusLines = true;
};

// Number of lines of one point.
template <class C>
constexpr std::size_t line_count() {
    std::size_t n = Loop<C>::kDigits.size() + (Loop<C>::kFrobeniusLines ? 2 : 0);
    for (const signed char d : Loop<C>::kDigits) n += d != 0 ? 1 : 0;
    return n;
}

// Homogeneous projective coordinates on the twist: (x / z, y / z).
template <class F2>
struct TwistPoint {
    F2 x, y, z;
};

// The line vertical * y + slope * x + offset = 0, scaled by an arbitrary constant of Fp2.
template <class F2>
struct ScaledLine {
    F2 vertical, slope, offset;
};

// b' * a for the twist's b'.
template <class C, class F2>
constexpr F2 mul_by_twist_b(const F2& a) {
    if constexpr (C::kTwist == Twist::kM) {
        return C::Tower::mul_by_xi(a).dbl().dbl();  // b = 4
    } else {
        return a * C::G2::b();
    }
}

// T <- 2 T; the tangent at the old T. Costello, Lange, Naehrig 2010 (section 5), as in Aranha et al. 2011, with the new T
// scaled by 4 in place of the halvings.
template <class C, class F2>
constexpr ScaledLine<F2> double_step(TwistPoint<F2>& t) {
    const F2 a = t.x * t.y;
    const F2 b = t.y.square();
    const F2 c = t.z.square();
    const F2 e = mul_by_twist_b<C>(c.dbl() + c);
    const F2 f = e.dbl() + e;
    const F2 h = (t.y + t.z).square() - (b + c);
    const F2 j = t.x.square();
    const F2 ee = e.square().dbl().dbl();
    t = {a.dbl() * (b - f), (b + f).square() - (ee.dbl() + ee), (b * h).dbl().dbl()};
    return {-h, j.dbl() + j, e - b};
}

// T <- T + Q; the line through the old T and Q.
template <class C, class F2>
constexpr ScaledLine<F2> add_step(TwistPoint<F2>& t, const F2& qx, const F2& qy) {
    const F2 theta = t.y - qy * t.z;
    const F2 lambda = t.x - qx * t.z;
    const F2 c = theta.square();
    const F2 d = lambda.square();
    const F2 e = lambda * d;
    const F2 g = t.x * d;
    const F2 h = e + t.z * c - g.dbl();
    t = {lambda * h, theta * (g - h) - e * t.y, t.z * e};
    return {lambda, -theta, theta * qx - lambda * qy};
}

}  // namespace cuzk::miller
