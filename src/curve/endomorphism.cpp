#include "curve/endomorphism.hpp"

namespace cuzk {

namespace {

template <class C>
bool has_chosen_eigenvalue(const CubeRootEndomorphism<C>& phi) {
    constexpr auto kX = BigInt<1>::from_u64(C::kX);
    const auto p = Jacobian<typename C::G1>::generator();
    const auto xp = p.mul(kX);
    const auto image = phi(p);
    if constexpr (std::is_same_v<C, Bls12_381>) {
        return image == -xp.mul(kX);
    } else {
        const auto x_image = image.mul(kX);
        const auto xx_image = x_image.mul(kX);
        const auto six = BigInt<1>::from_u64(6);
        return xp.dbl() + p == -(xx_image.mul(six) + x_image.dbl().dbl() + image);
    }
}

}  // namespace

template <class C>
const CubeRootEndomorphism<C>& CubeRootEndomorphism<C>::get() {
    static const CubeRootEndomorphism kPhi = [] {
        // A root of X^2 + X + 1: (-1 + sqrt(-3)) / 2, or its conjugate.
        const F root = *(-F::from_u64(3)).sqrt();
        const F half = F::from_u64(2).inverse();
        const CubeRootEndomorphism phi{(root - F::one()) * half};
        return has_chosen_eigenvalue(phi) ? phi : CubeRootEndomorphism{phi.beta.square()};
    }();
    return kPhi;
}

template struct CubeRootEndomorphism<Bls12_381>;
template struct CubeRootEndomorphism<Bn254>;

}  // namespace cuzk
