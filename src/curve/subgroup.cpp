#include "curve/subgroup.hpp"

#include "curve/endomorphism.hpp"
#include "curve/parallel_search.hpp"

namespace cuzk {

namespace {

// |x| p
template <class C, class Point>
auto times_x(const Point& p) {
    auto r = Jacobian<typename Point::Group>::infinity() + p;
    for (std::size_t i = BigInt<1>::from_u64(C::kX).bit_length() - 1; i-- > 0;) {
        r = r.dbl();
        if (((C::kX >> i) & 1) != 0) r += p;
    }
    return r;
}

// Without the inversion that a conversion to affine coordinates would take.
template <class G>
bool equal(const Jacobian<G>& a, const Affine<G>& b) {
    return a == Jacobian<G>::from_affine(b);
}

bool check(const Affine<Bls12_381G1>& p) {
    const auto xxp = times_x<Bls12_381>(times_x<Bls12_381>(p));
    return equal(-xxp, CubeRootEndomorphism<Bls12_381>::get()(p));
}

bool check(const Affine<Bls12_381G2>& q) {
    static_assert(Bls12_381::kXIsNegative);
    return equal(-times_x<Bls12_381>(q), TwistFrobenius<Bls12_381>::get()(q));
}

bool check(const Affine<Bn254G1>& /*p*/) { return true; }

bool check(const Affine<Bn254G2>& q) {
    static_assert(!Bn254::kXIsNegative);
    const auto xq = times_x<Bn254>(q);
    const auto& psi = TwistFrobenius<Bn254>::get();
    const auto psi1 = psi(xq);
    const auto psi2 = psi(psi1);
    const auto psi3 = psi(psi2);
    return xq + q + psi1 + psi2 == psi3.dbl();
}

}  // namespace

template <class G>
bool in_subgroup(const Affine<G>& p) {
    return p.is_infinity() || check(p);
}

template <class G>
std::optional<std::size_t> find_invalid(AffineView<G> points) {
    constexpr std::size_t kGrain = 64;
    return first_failure(points.size(), kGrain, [&](std::size_t i) { return !is_valid(points[i]); });
}

#define CUZK_DEFINE_SUBGROUP(G)                  \
    template bool in_subgroup(const Affine<G>&); \
    template std::optional<std::size_t> find_invalid(AffineView<G>)
CUZK_DEFINE_SUBGROUP(Bls12_381G1);
CUZK_DEFINE_SUBGROUP(Bls12_381G2);
CUZK_DEFINE_SUBGROUP(Bn254G1);
CUZK_DEFINE_SUBGROUP(Bn254G2);
#undef CUZK_DEFINE_SUBGROUP

}  // namespace cuzk
