#include "curve/pairing.hpp"

#include "curve/frobenius.hpp"
#include "curve/gt.hpp"
#include "curve/vectors.hpp"
#include "field/cpu.hpp"

namespace cuzk {
namespace {

template <class C>
class PairingTest : public ::testing::Test {
protected:
    using G1 = typename C::G1;
    using G2 = typename C::G2;
    using Fr = typename C::Fr;
    using Gt = typename C::Gt;

    static Affine<G1> g1(u64 k) { return (Jacobian<G1>::generator() * Fr::from_u64(k)).to_affine(); }
    static Affine<G2> g2(u64 k) { return (Jacobian<G2>::generator() * Fr::from_u64(k)).to_affine(); }
    static Gt generator() { return pairing<C>(Affine<G1>::generator(), Affine<G2>::generator()); }

    SeededRandom random_{7};
};

using Curves = ::testing::Types<Bls12_381, Bn254>;
TYPED_TEST_SUITE(PairingTest, Curves);

TYPED_TEST(PairingTest, KnownAnswers) {
    using C = TypeParam;
    const auto& known = test::vectors<C>().at("pairing");
    typename C::Fr::Int fast_power;
    test::parse(known.at("fast_power"), fast_power);
    for (const auto& value : known.at("values")) {
        typename C::Fr a;
        typename C::Fr b;
        test::parse(value.at("a"), a);
        test::parse(value.at("b"), b);
        typename C::Gt expected;
        std::size_t at = 0;
        test::parse(value.at("value"), at, expected);
        ASSERT_EQ(at, 12U);
        const auto p = Jacobian<typename C::G1>::generator() * a;
        const auto q = Jacobian<typename C::G2>::generator() * b;
        EXPECT_EQ(pairing<C>(p.to_affine(), q.to_affine()), expected.pow(fast_power));
    }
}

TYPED_TEST(PairingTest, Bilinear) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    const auto e = this->generator();
    for (int i = 0; i < 3; ++i) {
        const Fr a = Fr::random(this->random_);
        const Fr b = Fr::random(this->random_);
        const auto p = (Jacobian<typename C::G1>::generator() * a).to_affine();
        const auto q = (Jacobian<typename C::G2>::generator() * b).to_affine();
        EXPECT_EQ(pairing<C>(p, q), gt_pow<C>(e, (a * b).to_int()));
        EXPECT_EQ(pairing<C>(-p, q), pairing<C>(p, -q));
        EXPECT_EQ(pairing<C>(-p, q), pairing<C>(p, q).conjugate());
    }
}

TYPED_TEST(PairingTest, NonDegenerateOfOrderR) {
    using C = TypeParam;
    const auto e = this->generator();
    EXPECT_FALSE(e.is_one());
    EXPECT_TRUE(e.pow(C::Fr::Params::kModulus).is_one());
    EXPECT_TRUE(gt_pow<C>(e, C::Fr::Params::kModulus).is_one());
}

TYPED_TEST(PairingTest, InfinityGivesOne) {
    using C = TypeParam;
    const auto p = Affine<typename C::G1>::generator();
    const auto q = Affine<typename C::G2>::generator();
    const auto p0 = Affine<typename C::G1>::infinity();
    const auto q0 = Affine<typename C::G2>::infinity();
    EXPECT_TRUE(pairing<C>(p0, q).is_one());
    EXPECT_TRUE(pairing<C>(p, q0).is_one());
    EXPECT_TRUE(pairing<C>(p0, q0).is_one());
    EXPECT_TRUE(multi_pairing<C>({}).is_one());

    const G2Prepared<C> prepared(q);
    const G2Prepared<C> prepared0(q0);
    EXPECT_TRUE(prepared0.is_infinity());
    const std::vector<PreparedPair<C>> pairs{{p0, &prepared}, {p, &prepared0}, {p0, &prepared0}};
    EXPECT_TRUE(multi_pairing<C>({}, pairs).is_one());
}

TYPED_TEST(PairingTest, PreparedEqualsFresh) {
    using C = TypeParam;
    for (int i = 0; i < 3; ++i) {
        const auto p = test::random_point<typename C::G1>(this->random_);
        const auto q = test::random_point<typename C::G2>(this->random_);
        const G2Prepared<C> prepared(q);
        const PreparedPair<C> pair{p, &prepared};
        EXPECT_EQ(multi_pairing<C>({}, std::span(&pair, 1)), pairing<C>(p, q));
    }
}

// Sizes around the lanes of a vector and around the chunks that are spread over threads, on every arithmetic path.
TYPED_TEST(PairingTest, MultiPairingIsTheProduct) {
    using C = TypeParam;
    for (const Isa isa : {Isa::kPortable, Isa::kAdx, Isa::kIfma}) {
        const IsaOverride override(isa);
        for (const u64 n : {1, 2, 3, 4, 5, 8, 9, 16, 31, 32, 33, 65}) {
            std::vector<PairingPair<C>> pairs;
            std::vector<G2Prepared<C>> prepared;
            std::vector<PreparedPair<C>> prepared_pairs;
            typename C::Fr sum = C::Fr::zero();
            for (u64 i = 0; i < n; ++i) {
                pairs.push_back({this->g1(i + 1), this->g2(2 * i)});  // infinity for i = 0
                prepared.emplace_back(this->g2(i + 5));
                sum += C::Fr::from_u64((i + 1) * (3 * i + 5));
            }
            for (u64 i = 0; i < n; ++i) prepared_pairs.push_back({this->g1(i + 1), &prepared[i]});
            const auto expected = gt_pow<C>(this->generator(), sum.to_int());
            EXPECT_EQ(multi_pairing<C>(pairs, prepared_pairs), expected)
                << isa_name(isa) << ", " << n << " pairs";
        }
    }
}

TYPED_TEST(PairingTest, LanesEqualSinglePairs) {
    using C = TypeParam;
    std::vector<PairingPair<C>> pairs;
    auto expected = C::Gt::one();
    for (int i = 0; i < 11; ++i) {
        pairs.push_back({test::random_point<typename C::G1>(this->random_),
                         test::random_point<typename C::G2>(this->random_)});
        expected *= pairing<C>(pairs.back().p, pairs.back().q);
        EXPECT_EQ(multi_pairing<C>(pairs), expected);
    }
}

TYPED_TEST(PairingTest, ProductThatCancels) {
    using C = TypeParam;
    const auto a = this->g1(1234);
    const auto b = this->g2(4321);
    const std::vector<PairingPair<C>> pairs{{a, b}, {-a, b}};
    EXPECT_TRUE(multi_pairing<C>(pairs).is_one());
}

TYPED_TEST(PairingTest, FinalExponentiationOfZeroIsZero) {
    using C = TypeParam;
    const auto zero = final_exponentiation<C>(typename C::Gt{});
    EXPECT_EQ(zero, typename C::Gt{});
}

TYPED_TEST(PairingTest, SparseProductsEqualFullOnes) {
    using C = TypeParam;
    using F2 = typename C::G2::Field;
    using Gt = typename C::Gt;
    const Gt f = Gt::random(this->random_);
    const F2 a = F2::random(this->random_);
    const F2 b = F2::random(this->random_);
    const F2 c = F2::random(this->random_);
    const F2 o = F2::zero();
    EXPECT_EQ(mul_by_014(f, a, b, c), (f * Gt{{a, b, o}, {o, c, o}}));
    EXPECT_EQ(mul_by_034(f, a, b, c), (f * Gt{{a, o, o}, {b, c, o}}));
    EXPECT_EQ(mul_by_01_monic(f, a, b), (f * Gt{{a, b, o}, {o, F2::one(), o}}));
    EXPECT_EQ(mul_by_34_monic(f, a, b), (f * Gt{{F2::one(), o, o}, {a, b, o}}));
}

TYPED_TEST(PairingTest, FrobeniusIsThePower) {
    using C = TypeParam;
    using Gt = typename C::Gt;
    const Gt f = Gt::random(this->random_);
    const auto& p = C::Fp::Params::kModulus;
    const Gt f1 = f.pow(p);
    const Gt f2 = f1.pow(p);
    EXPECT_EQ(frobenius<1>(f), f1);
    EXPECT_EQ(frobenius<2>(f), f2);
    EXPECT_EQ(frobenius<3>(f), f2.pow(p));
}

TYPED_TEST(PairingTest, FrobeniusKnownAnswers) {
    using C = TypeParam;
    const auto read = [](const nlohmann::json& j) {
        typename C::Gt f;
        std::size_t at = 0;
        test::parse(j, at, f);
        return f;
    };
    for (const auto& v : test::vectors<C>().at("fp12")) {
        const auto a = read(v.at("a"));
        EXPECT_EQ(frobenius<1>(a), read(v.at("frobenius").at(0)));
        EXPECT_EQ(frobenius<2>(a), read(v.at("frobenius").at(1)));
        EXPECT_EQ(frobenius<3>(a), read(v.at("frobenius").at(2)));
    }
}

TYPED_TEST(PairingTest, CyclotomicSquareIsTheSquare) {
    using C = TypeParam;
    auto f = this->generator();
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(cyclotomic_square(f), f.square());
        f = cyclotomic_square(f);
    }
    EXPECT_EQ(cyclotomic_square(C::Gt::one()), C::Gt::one());
}

// On the subgroup, psi is multiplication by p.
TYPED_TEST(PairingTest, TwistFrobeniusMultipliesByP) {
    using C = TypeParam;
    const auto q = test::random_point<typename C::G2>(this->random_);
    const auto expected = Jacobian<typename C::G2>::from_affine(q).mul(C::Fp::Params::kModulus).to_affine();
    EXPECT_EQ(TwistFrobenius<C>::get()(q), expected);
}

}  // namespace
}  // namespace cuzk
