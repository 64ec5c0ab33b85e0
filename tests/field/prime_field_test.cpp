#include <gtest/gtest.h>

#include <array>

#include "field/batch_inverse.hpp"
#include "field/cpu.hpp"
#include "field/operands.hpp"

namespace cuzk {
namespace {

template <class F>
class PrimeFieldTest : public testing::Test {};
TYPED_TEST_SUITE(PrimeFieldTest, field_test::Fields);

TYPED_TEST(PrimeFieldTest, RingLawsHold) {
    using F = TypeParam;
    const auto a = field_test::operands<F>(40, 1);
    const auto c = field_test::random_operands<F>(a.size(), 2);
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a.size(); ++j) {
            const F &x = a[i], &y = a[j], &z = c[(i + j) % c.size()];
            EXPECT_EQ(x + y, y + x);
            EXPECT_EQ(x * y, y * x);
            EXPECT_EQ((x + y) - y, x);
            EXPECT_EQ(x - y, -(y - x));
            EXPECT_EQ((x + y) + z, x + (y + z));
            EXPECT_EQ((x * y) * z, x * (y * z));
            EXPECT_EQ(x * (y + z), x * y + x * z);
            EXPECT_EQ((x + y).square(), x.square() + (x * y).dbl() + y.square());
        }
        EXPECT_EQ(a[i] + F::zero(), a[i]);
        EXPECT_EQ(a[i] * F::one(), a[i]);
        EXPECT_EQ(a[i] * F::zero(), F::zero());
        EXPECT_EQ(a[i] - a[i], F::zero());
        EXPECT_EQ(a[i] + (-a[i]), F::zero());
        EXPECT_EQ(a[i].dbl(), a[i] + a[i]);
        EXPECT_EQ(a[i].square(), a[i] * a[i]);
        EXPECT_TRUE(a[i].montgomery() < F::Constants::kModulus);
    }
}

// Each way to compute: the portable formulas, the native functions under either path, the compile-time evaluation.
TYPED_TEST(PrimeFieldTest, PathsAgree) {
    using F = TypeParam;
    using P = typename F::Params;
    using C = typename F::Constants;
    if (!cpu_features().adx) std::puts("no ADX on this processor: the mulx path is not covered");
    const auto a = field_test::operands<F>(300, 3);
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a.size(); j += i < 60 ? 1 : 7) {
            const auto &x = a[i].montgomery(), &y = a[j].montgomery();
            const auto product = portable::mont_mul(x, y, C::kModulus, C::kN0);
            EXPECT_EQ((a[i] + a[j]).montgomery(), portable::add(x, y, C::kModulus));
            EXPECT_EQ((a[i] - a[j]).montgomery(), portable::sub(x, y, C::kModulus));
            for (Isa isa : {Isa::kPortable, Isa::kAdx}) {
                const IsaOverride path(isa);
                EXPECT_EQ(native::mul<P>(x, y), product) << isa_name(isa);
                auto assigned = x;
                native::mul_assign<P>(assigned, i == j ? assigned : y);
                EXPECT_EQ(assigned, product) << isa_name(isa);
                if (i == j) {
                    EXPECT_EQ(native::sqr<P>(x), product) << isa_name(isa);
                }
            }
        }
    }
}

TYPED_TEST(PrimeFieldTest, CompileTimeAgreesWithRunTime) {
    using F = TypeParam;
    using C = typename F::Constants;
    constexpr F x = F::from_int(C::kHalf), y = F::from_int(C::kR2);
    constexpr F product = x * y, sum = x + y, difference = y - x, inverse = y.inverse(), square = y.square();
    const F a = F::from_int(C::kHalf), b = F::from_int(C::kR2);
    EXPECT_EQ(a * b, product);
    EXPECT_EQ(a + b, sum);
    EXPECT_EQ(b - a, difference);
    EXPECT_EQ(b.inverse(), inverse);
    EXPECT_EQ(b.square(), square);
}

TYPED_TEST(PrimeFieldTest, InverseIsExact) {
    using F = TypeParam;
    auto a = field_test::operands<F>(500, 4);
    for (u64 k = 1; k < 200; ++k) {
        a.push_back(F::from_montgomery(F::Int::from_u64(k)));
        a.push_back(-F::from_u64(k));
        a.push_back(F::from_u64(2).pow(k));
    }
    for (const F& x : a) {
        if (x.is_zero()) {
            EXPECT_TRUE(x.inverse().is_zero());
        } else {
            EXPECT_TRUE((x * x.inverse()).is_one());
            EXPECT_TRUE(x.inverse().montgomery() < F::Constants::kModulus);
        }
    }
    for (const F& x : field_test::operands<F>(3, 5))
        EXPECT_EQ(x.inverse(), x.pow(F::Constants::kModulusMinusTwo));
}

TYPED_TEST(PrimeFieldTest, PowersFollowTheirLaws) {
    using F = TypeParam;
    for (const F& x : field_test::operands<F>(5, 6)) {
        EXPECT_TRUE(x.pow(u64{0}).is_one());
        EXPECT_EQ(x.pow(u64{1}), x);
        EXPECT_EQ(x.pow(u64{5}), x * x * x * x * x);
        EXPECT_EQ(x.pow(u64{40}) * x.pow(u64{23}), x.pow(u64{63}));
        EXPECT_EQ(x.pow(F::Constants::kModulus), x);
    }
}

TYPED_TEST(PrimeFieldTest, SquareRootsAndLegendre) {
    using F = TypeParam;
    const F non_residue = F::from_u64(F::Params::kGenerator);  // a generator is no square
    EXPECT_EQ(non_residue.legendre(), -1);
    EXPECT_EQ(F::zero().legendre(), 0);
    EXPECT_EQ(F::zero().sqrt(), F::zero());
    for (const F& x : field_test::operands<F>(20, 7)) {
        if (x.is_zero()) continue;
        const F s = x.square();
        EXPECT_EQ(s.legendre(), 1);
        const auto root = s.sqrt();
        ASSERT_TRUE(root.has_value());
        EXPECT_TRUE(*root == x || *root == -x);
        EXPECT_EQ((s * non_residue).legendre(), -1);
        EXPECT_FALSE((s * non_residue).sqrt().has_value());
    }
}

TYPED_TEST(PrimeFieldTest, BytesRoundTripAndNonCanonicalOnesAreRefused) {
    using F = TypeParam;
    std::array<u8, F::kBytes> le, be;
    for (const F& x : field_test::operands<F>(50, 8)) {
        x.to_bytes_le(le);
        x.to_bytes_be(be);
        for (std::size_t i = 0; i < F::kBytes; ++i) EXPECT_EQ(le[i], be[F::kBytes - 1 - i]);
        EXPECT_EQ(F::from_bytes_le(le), x);
        EXPECT_EQ(F::from_bytes_be(be), x);
    }
    const auto encode = [&](const typename F::Int& x) {
        for (std::size_t i = 0; i < F::kBytes; ++i) {
            le[i] = static_cast<u8>(x.limb[i / 8] >> (8 * (i % 8)));
            be[F::kBytes - 1 - i] = le[i];
        }
    };
    typename F::Int x = F::Constants::kModulusMinusOne;
    encode(x);
    EXPECT_EQ(F::from_bytes_le(le), -F::one());
    EXPECT_EQ(F::from_bytes_be(be), -F::one());
    for (int i = 0; i < 3; ++i) {  // p, p + 1, p + 2
        x.add(F::Int::from_u64(1));
        encode(x);
        EXPECT_FALSE(F::from_bytes_le(le).has_value());
        EXPECT_FALSE(F::from_bytes_be(be).has_value());
    }
    le.fill(0xff);
    EXPECT_FALSE(F::from_bytes_le(le).has_value());
    EXPECT_FALSE(F::from_bytes_be(le).has_value());
}

TYPED_TEST(PrimeFieldTest, IntegersConvert) {
    using F = TypeParam;
    EXPECT_TRUE(F::from_u64(0).is_zero());
    EXPECT_TRUE(F::from_u64(1).is_one());
    EXPECT_EQ(F::from_u64(6) * F::from_u64(7), F::from_u64(42));
    EXPECT_EQ(F::from_u64(42).to_int(), F::Int::from_u64(42));
    EXPECT_EQ((-F::one()).to_int(), F::Constants::kModulusMinusOne);
    for (const F& x : field_test::operands<F>(50, 9)) EXPECT_EQ(F::from_int(x.to_int()), x);
    EXPECT_FALSE(F::from_int(F::Constants::kHalf).is_lexicographically_largest());
    EXPECT_TRUE((F::from_int(F::Constants::kHalf) + F::one()).is_lexicographically_largest());
    EXPECT_TRUE((-F::one()).is_lexicographically_largest());
    EXPECT_FALSE(F::zero().is_lexicographically_largest());
}

TYPED_TEST(PrimeFieldTest, RandomElementsDiffer) {
    using F = TypeParam;
    OsRandom source;
    const F a = F::random(source), b = F::random(source);
    EXPECT_FALSE(a == b);
    EXPECT_EQ(field_test::random_operands<F>(3, 10), field_test::random_operands<F>(3, 10));
}

TYPED_TEST(PrimeFieldTest, BatchInverseKeepsZeros) {
    using F = TypeParam;
    for (std::size_t count : {0u, 1u, 2u, 3u, 7u, 8u, 9u, 64u, 100u}) {
        auto a = field_test::random_operands<F>(count, 11 + count);
        for (std::size_t i = 0; i < count; i += 3) a[i] = F::zero();
        auto b = a;
        batch_inverse(std::span<F>(b));
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(b[i], a[i].inverse()) << i << " of " << count;
    }
    std::vector<F> zeros(5);
    batch_inverse(std::span<F>(zeros));
    for (const F& x : zeros) EXPECT_TRUE(x.is_zero());
}

TYPED_TEST(PrimeFieldTest, ConstantsFitTheModulus) {
    using F = TypeParam;
    using C = typename F::Constants;
    EXPECT_EQ(C::kModulus.limb[0] * C::kN0, ~u64{0});
    const F g = F::from_u64(F::Params::kGenerator);
    EXPECT_TRUE(g.pow(C::kModulusMinusOne).is_one());
    // g^odd has order exactly 2^two-adicity
    F root = g.pow(C::kOddPart);
    for (std::size_t i = 0; i + 1 < C::kTwoAdicity; ++i) root = root.square();
    EXPECT_EQ(root, -F::one());
    EXPECT_EQ(F::from_u64(2).pow(64 * F::kLimbs).to_int(), C::kR);
    EXPECT_EQ(F::from_u64(2).pow(128 * F::kLimbs).to_int(), C::kR2);
    EXPECT_EQ(F::from_u64(2).pow(192 * F::kLimbs).to_int(), C::kR3);
}

TEST(TwoAdicityTest, IsTheKnownOne) {
    EXPECT_EQ(Bls12_381Fr::Constants::kTwoAdicity, 32u);
    EXPECT_EQ(Bn254Fr::Constants::kTwoAdicity, 28u);
    EXPECT_EQ(Bls12_381Fp::Constants::kTwoAdicity, 1u);
    EXPECT_EQ(Bn254Fp::Constants::kTwoAdicity, 1u);
    EXPECT_EQ(Bls12_381Fr::kBits, 255u);
    EXPECT_EQ(Bls12_381Fp::kBits, 381u);
    EXPECT_EQ(Bn254Fr::kBits, 254u);
    EXPECT_EQ(Bn254Fp::kBits, 254u);
}

}  // namespace
}  // namespace cuzk
