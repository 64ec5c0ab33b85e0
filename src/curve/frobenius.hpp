// The Frobenius map on Fp12, and what it induces on the twist that holds G2.
#pragma once

#include <array>

#include "curve/jacobian.hpp"

namespace cuzk {

// Constants of x -> x^p on the powers of w: w^(p i) = w^i * powers_of_one[i], with powers_of_one[i] = xi^(i (p-1)/6).
template <class T>
struct FrobeniusConstants {
    using F = typename T::Fp;
    using F2 = Fp2<F>;

    std::array<F2, 6> gamma1;  // for x^p
    std::array<F, 6> gamma2;   // for x^(p^2): the norms of gamma1
    std::array<F2, 6> gamma3;  // for x^(p^3)

    // Computed on first use. Thread-safe.
    static const FrobeniusConstants& get();
};

// f^(p^kPower), kPower in 1, 2, 3. Conjugations and 5 products by constants.
template <int kPower, class T>
Fp12<T> frobenius(const Fp12<T>& f) {
    static_assert(kPower >= 1 && kPower <= 3);
    const auto& k = FrobeniusConstants<T>::get();
    const auto& gamma = [&]() -> const auto& {
        if constexpr (kPower == 1) {
            return k.gamma1;
        } else if constexpr (kPower == 2) {
            return k.gamma2;
        } else {
            return k.gamma3;
        }
    }
    ();
    const auto conjugate = [](const Fp2<typename T::Fp>& a) { return kPower == 2 ? a : a.conjugate(); };
    return {{conjugate(f.c0.c0), conjugate(f.c0.c1) * gamma[2], conjugate(f.c0.c2) * gamma[4]},
            {conjugate(f.c1.c0) * gamma[1], conjugate(f.c1.c1) * gamma[3], conjugate(f.c1.c2) * gamma[5]}};
}

// psi: the p-power Frobenius of E carried to the twist (untwist, x -> x^p, twist). On G2 it is multiplication by p.
// (x, y) -> (conj(x) cx, conj(y) cy) with the constants of get().
template <class C>
struct TwistFrobenius {
    using F2 = typename C::G2::Field;

    F2 cx, cy;

    static const TwistFrobenius& get();

    Affine<typename C::G2> operator()(const Affine<typename C::G2>& q) const {
        return {q.x.conjugate() * cx, q.y.conjugate() * cy};
    }
    Jacobian<typename C::G2> operator()(const Jacobian<typename C::G2>& q) const {
        return {q.x.conjugate() * cx, q.y.conjugate() * cy, q.z.conjugate()};
    }
};

extern template struct FrobeniusConstants<Bls12_381Tower>;
extern template struct FrobeniusConstants<Bn254Tower>;
extern template struct TwistFrobenius<Bls12_381>;
extern template struct TwistFrobenius<Bn254>;

}  // namespace cuzk
