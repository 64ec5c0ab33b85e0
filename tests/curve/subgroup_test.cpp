#include "curve/subgroup.hpp"

#include "curve/endomorphism.hpp"
#include "curve/vectors.hpp"
#include "field/cpu.hpp"

namespace cuzk {
namespace {

// The oracle: multiplication by r.
template <class G>
bool has_order_dividing_r(const Affine<G>& p) {
    return Jacobian<G>::from_affine(p).mul(G::Scalar::Params::kModulus).is_infinity();
}

// Small primes that divide the cofactor, and cofactor / prime.
template <class G>
struct Cofactor;
template <>
struct Cofactor<Bls12_381G1> {
    static constexpr auto kValue = BigInt<2>::from_hex("396c8c005555e1568c00aaab0000aaab");
    static constexpr u64 kPrimes[] = {3, 11, 10177, 859267};
};
template <>
struct Cofactor<Bls12_381G2> {
    static constexpr auto kValue = BigInt<8>::from_hex(
        "5d543a95414e7f1091d50792876a202cd91de4547085abaa68a205b2e5a7ddfa628f1cb4d9e82ef2"
        "1537e293a6691ae1616ec6e786f0c70cf1c38e31c7238e5");
    static constexpr u64 kPrimes[] = {13, 23, 2713, 11953, 262069};
};
template <>
struct Cofactor<Bn254G2> {
    static constexpr auto kValue =
        BigInt<4>::from_hex("30644e72e131a029b85045b68181585e06ceecda572a2489345f2299c0f9fa8d");
    static constexpr u64 kPrimes[] = {10069};
};

// a without its factors d, of which it has one at least.
template <std::size_t N>
BigInt<N> without(BigInt<N> a, u64 d) {
    for (bool divided = false;; divided = true) {
        BigInt<N> quotient;
        u64 rest = 0;
        for (std::size_t i = N; i-- > 0;) {
            const u128 t = (u128{rest} << 64) | a.limb[i];
            quotient.limb[i] = static_cast<u64>(t / d);
            rest = static_cast<u64>(t % d);
        }
        if (rest != 0) {
            EXPECT_TRUE(divided) << d << " does not divide the cofactor";
            return a;
        }
        a = quotient;
    }
}

// Greatest common divisor by subtraction and halving; both odd.
template <std::size_t N>
BigInt<N> gcd_odd(BigInt<N> a, BigInt<N> b) {
    while (!(a == b)) {
        if (a < b) std::swap(a, b);
        a.sub(b);
        while (!a.bit(0)) a = a.shr(1);
    }
    return a;
}

template <class G>
class SubgroupTest : public ::testing::Test {
protected:
    // The batch check must find `bad`, wherever it stands among good points and infinities.
    void expect_single_bad_lane(const Affine<G>& bad) {
        std::vector<Affine<G>> points(19);
        for (std::size_t i = 0; i < points.size(); ++i) {
            points[i] = i % 5 == 3 ? Affine<G>::infinity() : test::random_point<G>(random_);
        }
        for (const Isa isa : {Isa::kPortable, Isa::kAdx, Isa::kIfma}) {
            const IsaOverride override(isa);
            EXPECT_EQ(first_outside_subgroup<G>(points), std::nullopt) << isa_name(isa);
            for (const std::size_t at : {0, 3, 7, 8, 15, 16, 18}) {
                const auto saved = points[at];
                points[at] = bad;
                EXPECT_EQ(first_outside_subgroup<G>(points), at) << isa_name(isa);
                points[at] = saved;
            }
        }
    }

    SeededRandom random_{11};
};
using Groups = ::testing::Types<Bls12_381G1, Bls12_381G2, Bn254G1, Bn254G2>;
TYPED_TEST_SUITE(SubgroupTest, Groups);

TYPED_TEST(SubgroupTest, AcceptsTheSubgroup) {
    using G = TypeParam;
    EXPECT_TRUE(in_subgroup(Affine<G>::infinity()));
    EXPECT_TRUE(in_subgroup(Affine<G>::generator()));
    for (int i = 0; i < 20; ++i) {
        const auto p = test::random_point<G>(this->random_);
        ASSERT_TRUE(p.is_on_curve());
        EXPECT_TRUE(in_subgroup(p));
        EXPECT_TRUE(in_subgroup(-p));
    }
}

TYPED_TEST(SubgroupTest, AgreesWithMultiplicationByROnTheWholeCurve) {
    using G = TypeParam;
    for (int i = 0; i < 20; ++i) {
        const auto p = test::random_curve_point<G>(this->random_);
        ASSERT_TRUE(p.is_on_curve());
        EXPECT_EQ(in_subgroup(p), has_order_dividing_r(p));
        EXPECT_EQ(in_subgroup(p), (std::is_same_v<G, Bn254G1>));
    }
}

// Points whose order is small, or r times small: where an inexact check would err.
TYPED_TEST(SubgroupTest, RejectsSmallOrders) {
    using G = TypeParam;
    if constexpr (!std::is_same_v<G, Bn254G1>) {  // that curve has no other subgroup
        for (const u64 prime : Cofactor<G>::kPrimes) {
            const auto factor = BigInt<1>::from_u64(prime);
            const auto rest = without(Cofactor<G>::kValue, prime);
            auto small = Jacobian<G>::infinity();
            auto mixed = small;
            while (small.is_infinity()) {
                mixed = Jacobian<G>::from_affine(test::random_curve_point<G>(this->random_)).mul(rest);
                small = mixed.mul(G::Scalar::Params::kModulus);
            }
            for (auto next = small.mul(factor); !next.is_infinity(); next = next.mul(factor)) small = next;
            this->expect_single_bad_lane(small.to_affine());
            EXPECT_FALSE(in_subgroup(small.to_affine())) << prime;
            EXPECT_FALSE(in_subgroup(mixed.to_affine())) << prime;
            const auto shifted = small + Jacobian<G>::from_affine(test::random_point<G>(this->random_));
            EXPECT_FALSE(in_subgroup(shifted.to_affine())) << prime;
        }
    }
}

TYPED_TEST(SubgroupTest, BatchesAgreeWithSingleChecks) {
    using G = TypeParam;
    EXPECT_EQ(first_outside_subgroup<G>({}), std::nullopt);
    if constexpr (!std::is_same_v<G, Bn254G1>) {
        for (int i = 0; i < 5; ++i) {
            const auto outside = test::random_curve_point<G>(this->random_);
            this->expect_single_bad_lane(outside);
            // Outside by a part of the cofactor alone: r times the point.
            const auto cleared = Jacobian<G>::from_affine(outside).mul(G::Scalar::Params::kModulus);
            this->expect_single_bad_lane(cleared.to_affine());
        }
    }
}

TYPED_TEST(SubgroupTest, KnownPointsOutside) {
    using G = TypeParam;
    constexpr bool kIsBls = std::is_same_v<G, Bls12_381G1> || std::is_same_v<G, Bls12_381G2>;
    constexpr bool kIsG1 = std::is_same_v<G, Bls12_381G1> || std::is_same_v<G, Bn254G1>;
    const auto& all = test::vectors<std::conditional_t<kIsBls, Bls12_381, Bn254>>().at("off_subgroup");
    for (const auto& j : all.at(kIsG1 ? "g1" : "g2")) {
        const auto p = test::parse_point<G>(j);
        EXPECT_TRUE(p.is_on_curve());
        EXPECT_FALSE(in_subgroup(p));
        EXPECT_FALSE(is_valid(p));
    }
}

TYPED_TEST(SubgroupTest, FindsTheFirstInvalidPoint) {
    using G = TypeParam;
    std::vector<Affine<G>> points;
    for (u64 i = 0; i < 300; ++i)
        points.push_back((Jacobian<G>::generator() * G::Scalar::from_u64(i)).to_affine());
    EXPECT_EQ(find_invalid(AffineView<G>(points)), std::nullopt);
    EXPECT_EQ(find_invalid(AffineView<G>()), std::nullopt);
    points[299].y = points[299].y + G::Field::one();
    EXPECT_EQ(find_invalid(AffineView<G>(points)), 299U);
    points[131].x = points[131].x.dbl();
    points[130].y = points[130].y.dbl();
    EXPECT_EQ(find_invalid(AffineView<G>(points)), 130U);
    if constexpr (!std::is_same_v<G, Bn254G1>) {
        points[64] = test::random_curve_point<G>(this->random_);
        EXPECT_EQ(find_invalid(AffineView<G>(points)), 64U);
    }
}

// What the exactness of the BLS12-381 G2 check rests on.
TEST(SubgroupConstants, CofactorsOfBls12_381AreCoprime) {
    auto h1 = BigInt<8>::from_hex("396c8c005555e1568c00aaab0000aaab");
    EXPECT_EQ(gcd_odd(h1, Cofactor<Bls12_381G2>::kValue), BigInt<8>::from_u64(1));
}

TEST(SubgroupConstants, CofactorsClear) {
    SeededRandom random(3);
    const auto check = [&]<class G>(G) {
        const auto p = Jacobian<G>::from_affine(test::random_curve_point<G>(random))
                           .mul(Cofactor<G>::kValue)
                           .to_affine();
        EXPECT_FALSE(p.is_infinity());
        EXPECT_TRUE(has_order_dividing_r(p));
        EXPECT_TRUE(in_subgroup(p));
    };
    check(Bls12_381G1{});
    check(Bls12_381G2{});
    check(Bn254G2{});
}

TEST(Endomorphism, CubeRootHasItsEigenvalue) {
    SeededRandom random(5);
    const auto p = test::random_point<Bls12_381G1>(random);
    const auto x = BigInt<1>::from_u64(Bls12_381::kX);
    const auto image = CubeRootEndomorphism<Bls12_381>::get()(p);
    EXPECT_TRUE(image.is_on_curve());
    EXPECT_EQ(image, (-Jacobian<Bls12_381G1>::from_affine(p).mul(x).mul(x)).to_affine());

    const auto q = Jacobian<Bn254G1>::from_affine(test::random_point<Bn254G1>(random));
    const auto& phi = CubeRootEndomorphism<Bn254>::get();
    EXPECT_TRUE((q + phi(q) + phi(phi(q))).is_infinity());
    EXPECT_FALSE(phi(q) == q);
}

}  // namespace
}  // namespace cuzk
