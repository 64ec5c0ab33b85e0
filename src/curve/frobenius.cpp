#include "curve/frobenius.hpp"

namespace cuzk {

namespace {

// (p - 1) / 6 by long division from the top limb.
template <class Int>
constexpr Int sixth(Int x) {
    u64 rest = 0;
    for (std::size_t i = Int::kLimbs; i-- > 0;) {
        const u128 t = (u128{rest} << 64) | x.limb[i];
        x.limb[i] = static_cast<u64>(t / 6);
        rest = static_cast<u64>(t % 6);
    }
    return x;
}

}  // namespace

template <class T>
const FrobeniusConstants<T>& FrobeniusConstants<T>::get() {
    static const FrobeniusConstants kConstants = [] {
        FrobeniusConstants c;
        const F2 root = T::mul_by_xi(F2::one()).pow(sixth(F::Constants::kModulusMinusOne));
        F2 power = F2::one();
        for (std::size_t i = 0; i < 6; ++i) {
            c.gamma1[i] = power;
            c.gamma2[i] = power.norm();
            c.gamma3[i] = power * power.norm();
            power *= root;
        }
        return c;
    }();
    return kConstants;
}

template <class C>
const TwistFrobenius<C>& TwistFrobenius<C>::get() {
    static const TwistFrobenius kConstants = [] {
        const auto& gamma = FrobeniusConstants<typename C::Tower>::get().gamma1;
        if constexpr (C::kTwist == Twist::kM) {
            return TwistFrobenius{gamma[2].inverse(), gamma[3].inverse()};
        } else {
            return TwistFrobenius{gamma[2], gamma[3]};
        }
    }();
    return kConstants;
}

template struct FrobeniusConstants<Bls12_381Tower>;
template struct FrobeniusConstants<Bn254Tower>;
template struct TwistFrobenius<Bls12_381>;
template struct TwistFrobenius<Bn254>;

}  // namespace cuzk
