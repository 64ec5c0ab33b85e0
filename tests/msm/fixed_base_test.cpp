#include "msm/fixed_base.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.hpp"
#include "field/cpu.hpp"
#include "msm/msm_cases.hpp"

namespace cuzk {
namespace {

template <class G>
class FixedBase : public testing::Test {};
using Groups = testing::Types<Bls12_381G1, Bls12_381G2, Bn254G1, Bn254G2>;
TYPED_TEST_SUITE(FixedBase, Groups);

TYPED_TEST(FixedBase, AgreesWithDoubleAndAdd) {
    using G = TypeParam;
    using Fr = typename G::Scalar;
    SeededRandom random(1);
    const Affine<G> base = (Jacobian<G>::generator() * Fr::random(random)).to_affine();
    std::vector<Fr> scalars;
    for (const auto& shape : testing_msm::scalar_shapes<Fr>())
        for (const auto& s : testing_msm::scalars_of(shape, 12)) scalars.push_back(Fr::from_int(s));
    std::vector<Affine<G>> want;
    for (const Fr& s : scalars) want.push_back((Jacobian<G>::from_affine(base) * s).to_affine());
    for (const Isa isa : {Isa::kPortable, Isa::kAdx, Isa::kIfma}) {
        const IsaOverride path(isa);
        EXPECT_EQ(fixed_base_mul<G>(base, scalars), want) << isa_name(active_isa());
        for (std::size_t n = 0; n < 20; ++n) {
            const auto some = fixed_base_mul<G>(base, std::span<const Fr>(scalars).first(n));
            EXPECT_TRUE(std::equal(some.begin(), some.end(), want.begin())) << n;
        }
    }
}

// Enough scalars for wide windows and several blocks; neighbours differ by the base.
TYPED_TEST(FixedBase, ManyScalars) {
    using G = TypeParam;
    using Fr = typename G::Scalar;
    SeededRandom random(2);
    std::vector<Fr> scalars(20000);
    const Fr start = Fr::random(random);
    for (std::size_t i = 0; i < scalars.size(); ++i) scalars[i] = start * Fr::from_u64(i);
    const Affine<G> base = Affine<G>::generator();
    const auto points = fixed_base_mul<G>(base, scalars);
    Jacobian<G> walk = Jacobian<G>::infinity();
    const Affine<G> step = (Jacobian<G>::generator() * start).to_affine();
    for (std::size_t i = 0; i < points.size(); ++i) {
        ASSERT_EQ(Jacobian<G>::from_affine(points[i]), walk) << i;
        walk += step;
    }
}

TYPED_TEST(FixedBase, InfinityAndSizes) {
    using G = TypeParam;
    using Fr = typename G::Scalar;
    const std::vector<Fr> scalars(5, Fr::from_u64(3));
    for (const auto& p : fixed_base_mul<G>(Affine<G>::infinity(), scalars)) EXPECT_TRUE(p.is_infinity());
    std::vector<Affine<G>> out(4);
    EXPECT_THROW(fixed_base_mul<G>(Affine<G>::generator(), scalars, out), Error);
}

}  // namespace
}  // namespace cuzk
