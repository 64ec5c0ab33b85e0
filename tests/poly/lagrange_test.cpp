#include "poly/lagrange.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace cuzk {
namespace {

template <class Fr>
class LagrangeTest : public testing::Test {};
using Fields = testing::Types<Bls12_381Fr, Bn254Fr>;
TYPED_TEST_SUITE(LagrangeTest, Fields);

// sum_i f(root^i) L_i(tau) = f(tau) for random f.
TYPED_TEST(LagrangeTest, InterpolatesRandomPolynomials) {
    using Fr = TypeParam;
    SeededRandom random(1);
    for (const unsigned log_size : {0U, 1U, 2U, 5U, 8U, 13U, 16U}) {
        for (const auto& domain : {Domain<Fr>::zcash(log_size), Domain<Fr>::snarkjs(log_size)}) {
            const Fr tau = Fr::random(random);
            std::vector<Fr> f(domain.size());
            for (Fr& x : f) x = Fr::random(random);
            Fr expected;
            for (std::size_t i = f.size(); i-- > 0;) expected = expected * tau + f[i];
            const auto basis = lagrange_at(domain, tau);
            ASSERT_EQ(basis.size(), domain.size());
            domain.forward(f);
            Fr sum;
            for (std::size_t i = 0; i < f.size(); ++i) sum += f[i] * basis[i];
            EXPECT_TRUE(sum == expected) << log_size;
        }
    }
}

TYPED_TEST(LagrangeTest, IsAUnitVectorInsideTheDomain) {
    using Fr = TypeParam;
    for (const unsigned log_size : {0U, 3U, 13U}) {
        const auto domain = Domain<Fr>::snarkjs(log_size);
        for (const std::size_t k : {std::size_t{0}, domain.size() / 3, domain.size() - 1}) {
            const auto basis = lagrange_at(domain, domain.root().pow(k));
            for (std::size_t i = 0; i < basis.size(); ++i)
                ASSERT_TRUE(basis[i] == (i == k ? Fr::one() : Fr())) << log_size << " " << k << " " << i;
            EXPECT_TRUE(vanishing_at(domain, domain.root().pow(k)).is_zero());
        }
    }
}

TYPED_TEST(LagrangeTest, HandlesZero) {
    using Fr = TypeParam;
    const auto domain = Domain<Fr>::zcash(4);
    EXPECT_TRUE(vanishing_at(domain, Fr()) == -Fr::one());
    for (const Fr& x : lagrange_at(domain, Fr())) EXPECT_TRUE(x == domain.size_inverse());
}

}  // namespace
}  // namespace cuzk
