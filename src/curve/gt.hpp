// Operations in Fp12 that only a pairing needs: products with sparse line values, and squaring and powers in the cyclotomic
// subgroup (the elements with f^(p^4 - p^2 + 1) = 1), where inversion is conjugation.
#pragma once

#include "field/tower.hpp"

namespace cuzk {

// a * (b0 + b1 v): 5 products of Fp2.
template <class T>
constexpr Fp6<T> mul_by_01(const Fp6<T>& a, const Fp2<typename T::Fp>& b0, const Fp2<typename T::Fp>& b1) {
    const auto v0 = a.c0 * b0;
    const auto v1 = a.c1 * b1;
    return {v0 + T::mul_by_xi((a.c1 + a.c2) * b1 - v1), (a.c0 + a.c1) * (b0 + b1) - v0 - v1,
            (a.c0 + a.c2) * b0 - v0 + v1};
}

// a * b1 v: 3 products.
template <class T>
constexpr Fp6<T> mul_by_1(const Fp6<T>& a, const Fp2<typename T::Fp>& b1) {
    return {T::mul_by_xi(a.c2 * b1), a.c0 * b1, a.c1 * b1};
}

// f * (c0 + c1 v + c4 v w): the line values of an M-twist. 13 products.
template <class T>
constexpr Fp12<T> mul_by_014(const Fp12<T>& f, const Fp2<typename T::Fp>& c0, const Fp2<typename T::Fp>& c1,
                             const Fp2<typename T::Fp>& c4) {
    const auto v0 = mul_by_01(f.c0, c0, c1);
    const auto v1 = mul_by_1(f.c1, c4);
    return {v0 + v1.mul_by_v(), mul_by_01(f.c0 + f.c1, c0, c1 + c4) - v0 - v1};
}

// f * (c0 + c3 w + c4 v w): the line values of a D-twist. 13 products.
template <class T>
constexpr Fp12<T> mul_by_034(const Fp12<T>& f, const Fp2<typename T::Fp>& c0, const Fp2<typename T::Fp>& c3,
                             const Fp2<typename T::Fp>& c4) {
    const auto v0 = f.c0.scale(c0);
    const auto v1 = mul_by_01(f.c1, c3, c4);
    return {v0 + v1.mul_by_v(), mul_by_01(f.c0 + f.c1, c0 + c3, c4) - v0 - v1};
}

// f * (c0 + c1 v + v w): 10 products.
template <class T>
constexpr Fp12<T> mul_by_01_monic(const Fp12<T>& f, const Fp2<typename T::Fp>& c0,
                                  const Fp2<typename T::Fp>& c1) {
    return {mul_by_01(f.c0, c0, c1) + f.c1.mul_by_v().mul_by_v(), mul_by_01(f.c1, c0, c1) + f.c0.mul_by_v()};
}

// f * (1 + c3 w + c4 v w): 10 products.
template <class T>
constexpr Fp12<T> mul_by_34_monic(const Fp12<T>& f, const Fp2<typename T::Fp>& c3,
                                  const Fp2<typename T::Fp>& c4) {
    return {f.c0 + mul_by_01(f.c1, c3, c4).mul_by_v(), f.c1 + mul_by_01(f.c0, c3, c4)};
}

// f^2 for f in the cyclotomic subgroup: three squarings in Fp4 (Granger, Scott 2010).
template <class T>
constexpr Fp12<T> cyclotomic_square(const Fp12<T>& f) {
    using F2 = Fp2<typename T::Fp>;
    struct Fp4Square {
        F2 c0, c1;
        constexpr Fp4Square(const F2& a, const F2& b) {
            const F2 ab = a * b;
            c0 = (a + b) * (a + T::mul_by_xi(b)) - ab - T::mul_by_xi(ab);
            c1 = ab.dbl();
        }
    };
    // 3 s - 2 z and 3 s + 2 z
    const auto minus = [](const F2& s, const F2& z) { return (s - z).dbl() + s; };
    const auto plus = [](const F2& s, const F2& z) { return (s + z).dbl() + s; };

    const Fp4Square a(f.c0.c0, f.c1.c1);
    const Fp4Square b(f.c1.c0, f.c0.c2);
    const Fp4Square c(f.c0.c1, f.c1.c2);
    return {{minus(a.c0, f.c0.c0), minus(b.c0, f.c0.c1), minus(c.c0, f.c0.c2)},
            {plus(T::mul_by_xi(c.c1), f.c1.c0), plus(a.c1, f.c1.c1), plus(b.c1, f.c1.c2)}};
}

}  // namespace cuzk
