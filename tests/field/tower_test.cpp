#include "field/tower.hpp"

#include <gtest/gtest.h>

#include "field/batch_inverse.hpp"
#include "field/operands.hpp"

namespace cuzk {
namespace {

template <class E>
class ExtensionTest : public testing::Test {};
using Extensions = testing::Types<Fp2<Bls12_381Fp>, Fp6<Bls12_381Tower>, Fp12<Bls12_381Tower>, Fp2<Bn254Fp>,
                                  Fp6<Bn254Tower>, Fp12<Bn254Tower>>;
TYPED_TEST_SUITE(ExtensionTest, Extensions);

template <class E>
bool is_one(const E& x) {
    return x == E::one();
}

TYPED_TEST(ExtensionTest, MultiplicativeLawsHold) {
    using E = TypeParam;
    SeededRandom source(1);
    for (int i = 0; i < 30; ++i) {
        const E a = E::random(source), b = E::random(source), c = E::random(source);
        EXPECT_EQ(a * b, b * a);
        EXPECT_EQ((a * b) * c, a * (b * c));
        EXPECT_EQ(a.square(), a * a);
        EXPECT_EQ(a * E::one(), a);
        EXPECT_TRUE(is_one(a * a.inverse()));
        EXPECT_EQ((a * b).inverse(), a.inverse() * b.inverse());
    }
    EXPECT_EQ(E{}.inverse(), E{});
    EXPECT_EQ(E::one().inverse(), E::one());
}

template <class E>
class AdditiveExtensionTest : public testing::Test {};
using AdditiveExtensions =
    testing::Types<Fp2<Bls12_381Fp>, Fp6<Bls12_381Tower>, Fp2<Bn254Fp>, Fp6<Bn254Tower>>;
TYPED_TEST_SUITE(AdditiveExtensionTest, AdditiveExtensions);

TYPED_TEST(AdditiveExtensionTest, RingLawsHold) {
    using E = TypeParam;
    SeededRandom source(2);
    for (int i = 0; i < 30; ++i) {
        const E a = E::random(source), b = E::random(source), c = E::random(source);
        EXPECT_EQ(a + b, b + a);
        EXPECT_EQ((a + b) - b, a);
        EXPECT_EQ(a - b, -(b - a));
        EXPECT_EQ(a * (b + c), a * b + a * c);
        EXPECT_EQ((a + b) * (a - b), a.square() - b.square());
        EXPECT_TRUE((a - a).is_zero());
        EXPECT_TRUE((a + (-a)).is_zero());
    }
}

template <class T>
class TowerTest : public testing::Test {};
using Towers = testing::Types<Bls12_381Tower, Bn254Tower>;
TYPED_TEST_SUITE(TowerTest, Towers);

TYPED_TEST(TowerTest, DefiningEquationsHold) {
    using F = typename TypeParam::Fp;
    using F2 = Fp2<F>;
    using F6 = Fp6<TypeParam>;
    using F12 = Fp12<TypeParam>;
    const F2 u{F::zero(), F::one()};
    EXPECT_EQ(u.square(), -F2::one());
    const F2 xi = TypeParam::mul_by_xi(F2::one());
    const F6 v{F2::zero(), F2::one(), F2::zero()};
    EXPECT_EQ(v * v * v, (F6{xi, F2::zero(), F2::zero()}));
    const F12 w{F6::zero(), F6::one()};
    EXPECT_EQ(w.square(), (F12{v, F6::zero()}));
    SeededRandom source(3);
    for (int i = 0; i < 10; ++i) {
        const F2 a = F2::random(source);
        const F6 b = F6::random(source);
        const F12 c = F12::random(source);
        EXPECT_EQ(TypeParam::mul_by_xi(a), a * xi);
        EXPECT_EQ(b.mul_by_v(), b * v);
        EXPECT_EQ(b.scale(a), b * (F6{a, F2::zero(), F2::zero()}));
        EXPECT_EQ(c.conjugate().conjugate(), c);
        EXPECT_EQ(c * c.conjugate(), (F12{c.c0.square() - c.c1.square().mul_by_v(), F6::zero()}));
    }
    // xi is neither a square nor a cube in Fp2, so both extensions are fields: xi^((p^2-1)/2) = norm(xi)^((p-1)/2)
    EXPECT_EQ(xi.norm().legendre(), -1);
}

TYPED_TEST(TowerTest, Fp2SquareRoots) {
    using F = typename TypeParam::Fp;
    using F2 = Fp2<F>;
    SeededRandom source(4);
    std::vector<F2> a = {F2::zero(), F2::one(), -F2::one(), {F::zero(), F::one()}, {F::zero(), -F::one()}};
    for (int i = 0; i < 20; ++i) a.push_back(F2::random(source));
    for (int i = 0; i < 4; ++i) {
        a.push_back({F::random(source), F::zero()});
        a.push_back({F::zero(), F::random(source)});
    }
    std::size_t squares = 0;
    for (const F2& x : a) {
        const auto root = x.square().sqrt();
        ASSERT_TRUE(root.has_value());
        EXPECT_TRUE(*root == x || *root == -x);
        // x is a square exactly if its norm is one in the base field
        const auto own = x.sqrt();
        EXPECT_EQ(own.has_value(), x.norm().legendre() >= 0);
        if (own) {
            EXPECT_EQ(own->square(), x);
            ++squares;
        }
    }
    EXPECT_GT(squares, 5u);
    EXPECT_LT(squares, a.size());
}

TYPED_TEST(TowerTest, Fp2OrderIsByTheSecondComponentFirst) {
    using F = typename TypeParam::Fp;
    using F2 = Fp2<F>;
    EXPECT_TRUE((F2{F::one(), -F::one()}).is_lexicographically_largest());
    EXPECT_FALSE((F2{-F::one(), F::one()}).is_lexicographically_largest());
    EXPECT_TRUE((F2{-F::one(), F::zero()}).is_lexicographically_largest());
    EXPECT_FALSE((F2{F::one(), F::zero()}).is_lexicographically_largest());
    EXPECT_FALSE(F2::zero().is_lexicographically_largest());
}

TYPED_TEST(TowerTest, Fp2BatchInverseKeepsZeros) {
    using F2 = Fp2<typename TypeParam::Fp>;
    SeededRandom source(5);
    std::vector<F2> a(20);
    for (std::size_t i = 0; i < a.size(); ++i)
        if (i % 4 != 1) a[i] = F2::random(source);
    auto b = a;
    batch_inverse(std::span<F2>(b));
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(b[i], a[i].inverse());
}

}  // namespace
}  // namespace cuzk
