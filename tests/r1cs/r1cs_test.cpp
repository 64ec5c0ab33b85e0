#include "r1cs/r1cs.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "r1cs/matrix_builder.hpp"

namespace cuzk {
namespace {

template <class Fr>
class R1csTest : public testing::Test {
protected:
    // x_{i+1} = x_i^2 + 1 for `steps` rows: z = (1, x_steps, x_0, x_1, ...), row i holds x_i x_i = x_{i+1} -
    // 1.
    static R1cs<Fr> chain(u32 steps) {
        const auto at = [steps](u32 i) { return i == steps ? 1 : i + 2; };
        R1cs<Fr> r;
        r.public_inputs = 1;
        r.variables = steps + 2;
        MatrixBuilder<Fr> a(r.variables);
        MatrixBuilder<Fr> b(r.variables);
        MatrixBuilder<Fr> c(r.variables);
        for (u32 i = 0; i < steps; ++i) {
            const Term<Fr> x{at(i), Fr::one()};
            a.add_row({&x, 1});
            b.add_row({&x, 1});
            const Term<Fr> next[] = {{at(i + 1), Fr::one()}, {0, -Fr::one()}};
            c.add_row(next);
        }
        r.a = std::move(a).finish();
        r.b = std::move(b).finish();
        r.c = std::move(c).finish();
        return r;
    }
    static std::vector<Fr> assignment(u32 steps) {
        std::vector<Fr> z(steps + 2);
        z[0] = Fr::one();
        Fr x = Fr::from_u64(3);
        for (u32 i = 0; i <= steps; ++i) {
            z[i == steps ? 1 : i + 2] = x;
            x = x.square() + Fr::one();
        }
        return z;
    }
};
using Fields = testing::Types<Bls12_381Fr, Bn254Fr>;
TYPED_TEST_SUITE(R1csTest, Fields);

TYPED_TEST(R1csTest, AcceptsASatisfyingAssignment) {
    for (const u32 steps : {1U, 2U, 100U, 10000U})
        EXPECT_FALSE(this->chain(steps).first_violation(this->assignment(steps)).has_value());
}

TYPED_TEST(R1csTest, NamesTheFirstBrokenRowAndItsValues) {
    using Fr = TypeParam;
    constexpr u32 kSteps = 10000;
    const auto r1cs = this->chain(kSteps);
    for (const std::size_t threads : {1U, 6U}) {
        const ThreadLimit limit(threads);
        for (const u32 broken : {0U, 1U, 1023U, 1024U, 5000U, kSteps - 1}) {
            // x_{broken + 1} is the first wrong value: row `broken` fails, and so do later ones.
            auto z = this->assignment(kSteps);
            const u32 at = broken + 1 == kSteps ? 1 : broken + 3;
            z[at] += Fr::one();
            if (broken + 2000 < kSteps) z[broken + 2000] = Fr();
            const auto violation = r1cs.first_violation(z);
            ASSERT_TRUE(violation.has_value());
            EXPECT_EQ(violation->row, broken);
            EXPECT_TRUE(violation->a == z[broken + 2]);
            EXPECT_TRUE(violation->b == z[broken + 2]);
            EXPECT_TRUE(violation->c == z[at] - Fr::one());
        }
    }
}

TYPED_TEST(R1csTest, AcceptsAnythingWithoutConstraints) {
    using Fr = TypeParam;
    R1cs<Fr> r;
    r.variables = 3;
    for (auto* m : {&r.a, &r.b, &r.c}) *m = std::move(MatrixBuilder<Fr>(3)).finish();
    EXPECT_FALSE(r.first_violation(std::vector<Fr>(3)).has_value());
    EXPECT_EQ(r.constraints(), 0U);
}

TYPED_TEST(R1csTest, EmptyRowsMeanZero) {
    using Fr = TypeParam;
    // 0 * 0 = 0 holds; 0 * 0 = 1 does not.
    R1cs<Fr> r;
    for (auto* m : {&r.a, &r.b}) {
        MatrixBuilder<Fr> builder(1);
        builder.end_row();
        builder.end_row();
        *m = std::move(builder).finish();
    }
    MatrixBuilder<Fr> c(1);
    c.end_row();
    c.add_term(0, Fr::one());
    c.end_row();
    r.c = std::move(c).finish();
    const auto violation = r.first_violation(std::vector<Fr>(1, Fr::one()));
    ASSERT_TRUE(violation.has_value());
    EXPECT_EQ(violation->row, 1U);
    EXPECT_TRUE(violation->a.is_zero() && violation->b.is_zero() && violation->c.is_one());
}

TYPED_TEST(R1csTest, RefusesWrongShapes) {
    auto r = this->chain(4);
    auto z = this->assignment(4);
    z.pop_back();
    EXPECT_THROW(r.first_violation(z), Error);
    r.c = this->chain(5).c;
    EXPECT_THROW(r.check_shape(), Error);
    r = this->chain(4);
    r.public_inputs = r.variables;
    EXPECT_THROW(r.check_shape(), Error);
    r.variables = 0;
    EXPECT_THROW(r.check_shape(), Error);
}

}  // namespace
}  // namespace cuzk
