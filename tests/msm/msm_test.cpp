#include "msm/msm.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.hpp"
#include "msm/fixed_base.hpp"

namespace cuzk {
namespace {

template <class G>
class Msm : public testing::Test {};
using Groups = testing::Types<Bls12_381G1, Bls12_381G2, Bn254G1, Bn254G2>;
TYPED_TEST_SUITE(Msm, Groups);

TYPED_TEST(Msm, AgreesWithTheDefinition) {
    using G = TypeParam;
    SeededRandom random(1);
    std::vector<typename G::Scalar> k;
    std::vector<typename G::Scalar::Int> s;
    for (int i = 0; i < 40; ++i) {
        k.push_back(G::Scalar::random(random));
        s.push_back(G::Scalar::random(random).to_int());
    }
    const auto bases = fixed_base_mul<G>(Affine<G>::generator(), k);
    for (std::size_t i = 0; i < k.size(); ++i)
        EXPECT_EQ(Jacobian<G>::from_affine(bases[i]), Jacobian<G>::generator() * k[i]);
    for (std::size_t n = 0; n <= k.size(); ++n) {
        const AffineView<G> view = AffineView<G>(std::span<const Affine<G>>(bases)).subview(0, n);
        const auto scalars = std::span<const typename G::Scalar::Int>(s).first(n);
        EXPECT_EQ(msm<G>(view, scalars), msm_naive<G>(view, scalars)) << n;
    }
}

TYPED_TEST(Msm, RefusesUnequalSizes) {
    using G = TypeParam;
    const std::vector<typename G::Scalar::Int> scalars(3);
    EXPECT_THROW(msm<G>(AffineView<G>(), scalars), Error);
}

}  // namespace
}  // namespace cuzk
