#include "poly/pointwise.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.hpp"
#include "field/cpu.hpp"

namespace cuzk {
namespace {

template <class Fr>
class PointwiseTest : public testing::Test {
protected:
    // Lengths around the lanes and the grain of tasks; extreme residues among random ones.
    template <class Body>
    static void for_each_case(const Body& body) {
        for (const Isa isa : {Isa::kPortable, Isa::kAdx, Isa::kIfma}) {
            const IsaOverride path(isa);
            for (const std::size_t size : {0U, 1U, 7U, 8U, 9U, 1000U, 4096U, 4097U, 20003U}) {
                SCOPED_TRACE(size);
                SeededRandom random(size);
                const Fr extremes[] = {Fr(), Fr::one(), -Fr::one(),
                                       Fr::from_montgomery(Fr::Constants::kModulusMinusOne)};
                std::vector<Fr> v[3];
                for (auto& x : v)
                    for (std::size_t i = 0; i < size; ++i) {
                        u8 kind = 0;
                        random.fill(std::span(&kind, 1));
                        x.push_back(kind < 64 ? extremes[kind % 4] : Fr::random(random));
                    }
                body(v[0], v[1], v[2], Fr::random(random));
            }
        }
    }
};
using Fields = testing::Types<Bls12_381Fr, Bn254Fr>;
TYPED_TEST_SUITE(PointwiseTest, Fields);

TYPED_TEST(PointwiseTest, MatchesSingleElements) {
    using Fr = TypeParam;
    using In = std::span<const Fr>;
    this->for_each_case(
        [](const std::vector<Fr>& a, const std::vector<Fr>& b, const std::vector<Fr>& c, const Fr& k) {
            auto product = a;
            multiply_into<Fr>(product, b);
            auto difference = a;
            multiply_subtract_into<Fr>(difference, b, c);
            auto scaled = a;
            subtract_scale_into<Fr>(scaled, b, k);
            std::vector<Fr> out(a.size());
            multiply<Fr>(In(a), In(b), out);
            for (std::size_t i = 0; i < a.size(); ++i) {
                ASSERT_TRUE(product[i] == a[i] * b[i]) << i;
                ASSERT_TRUE(out[i] == product[i]) << i;
                ASSERT_TRUE(difference[i] == a[i] * b[i] - c[i]) << i;
                ASSERT_TRUE(scaled[i] == (a[i] - b[i]) * k) << i;
            }
        });
}

TYPED_TEST(PointwiseTest, RefusesDifferentLengths) {
    using Fr = TypeParam;
    std::vector<Fr> a(3), b(4);
    EXPECT_THROW(multiply_into<Fr>(a, b), Error);
    EXPECT_THROW(multiply_subtract_into<Fr>(a, a, b), Error);
    EXPECT_THROW(subtract_scale_into<Fr>(a, b, Fr::one()), Error);
    EXPECT_THROW(multiply<Fr>(a, a, b), Error);
}

}  // namespace
}  // namespace cuzk
