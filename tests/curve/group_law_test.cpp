// Group laws in all coordinate systems, and the multiplications built on them.
#include "curve/endomorphism.hpp"
#include "curve/scalar_mul.hpp"
#include "curve/vectors.hpp"
#include "curve/xyzz.hpp"

namespace cuzk {
namespace {

template <class G>
class GroupLawTest : public ::testing::Test {
protected:
    using Fr = typename G::Scalar;
    using C = std::conditional_t<std::is_same_v<Fr, Bls12_381Fr>, Bls12_381, Bn254>;

    static const nlohmann::json& known() {
        return test::vectors<C>().at(std::is_same_v<G, typename C::G1> ? "g1" : "g2");
    }
    // The same point with another Z.
    Jacobian<G> rescaled(const Jacobian<G>& p) {
        const auto s = G::Field::random(random_);
        const auto s2 = s.square();
        return {p.x * s2, p.y * s2 * s, p.z * s};
    }
    Xyzz<G> rescaled(const Xyzz<G>& p) {
        const auto s = G::Field::random(random_);
        const auto s2 = s.square();
        return {p.x * s2, p.y * s2 * s, p.zz * s2, p.zzz * s2 * s};
    }

    SeededRandom random_{31};
};
using Groups = ::testing::Types<Bls12_381G1, Bls12_381G2, Bn254G1, Bn254G2>;
TYPED_TEST_SUITE(GroupLawTest, Groups);

TYPED_TEST(GroupLawTest, GeneratorIsOnTheCurveAndOfOrderR) {
    using G = TypeParam;
    const auto g = Affine<G>::generator();
    EXPECT_TRUE(g.is_on_curve());
    EXPECT_FALSE(g.is_infinity());
    EXPECT_TRUE(Jacobian<G>::generator().mul(G::Scalar::Params::kModulus).is_infinity());
    EXPECT_TRUE(Affine<G>::infinity().is_on_curve());
    EXPECT_FALSE((Affine<G>{g.x, g.y + G::Field::one()}).is_on_curve());
}

TYPED_TEST(GroupLawTest, KnownMultiples) {
    using G = TypeParam;
    for (const auto& v : this->known().at("multiples")) {
        typename G::Scalar k;
        test::parse(v.at("k"), k);
        const auto expected = test::parse_point<G>(v.at("point"));
        EXPECT_EQ((Jacobian<G>::generator() * k).to_affine(), expected);
        EXPECT_EQ(scalar_mul(Affine<G>::generator(), k.to_int()).to_affine(), expected);
    }
}

TYPED_TEST(GroupLawTest, KnownSums) {
    using G = TypeParam;
    for (const auto& v : this->known().at("additions")) {
        const auto a = test::parse_point<G>(v.at("a"));
        const auto b = test::parse_point<G>(v.at("b"));
        const auto sum = test::parse_point<G>(v.at("sum"));
        EXPECT_EQ((Jacobian<G>::from_affine(a) + b).to_affine(), sum);
        EXPECT_EQ((Xyzz<G>::from_affine(a) + b).to_affine(), sum);
        EXPECT_EQ(Jacobian<G>::from_affine(a).dbl().to_affine(), test::parse_point<G>(v.at("double_a")));
    }
}

// Every kind of addition on points k G for small k of both signs: infinity, equal, opposite and unrelated operands, in
// representations with Z = 1 and without. The expected sum comes from the scalars.
TYPED_TEST(GroupLawTest, AdditionTable) {
    using G = TypeParam;
    constexpr int kLimit = 4;
    const auto multiple = [](int k) {
        const auto p = Jacobian<G>::generator().mul(BigInt<1>::from_u64(static_cast<u64>(std::abs(k))));
        return (k < 0 ? -p : p).to_affine();
    };
    std::vector<Affine<G>> table;
    for (int k = -2 * kLimit; k <= 2 * kLimit; ++k) table.push_back(multiple(k));
    const auto at = [&](int k) { return table[static_cast<std::size_t>(k + 2 * kLimit)]; };

    for (int a = -kLimit; a <= kLimit; ++a) {
        const auto ja = Jacobian<G>::from_affine(at(a));
        const auto xa = Xyzz<G>::from_affine(at(a));
        const auto ra = this->rescaled(ja);
        const auto rxa = this->rescaled(xa);
        EXPECT_EQ(ra.to_affine(), at(a));
        EXPECT_EQ(rxa.to_affine(), at(a));
        EXPECT_EQ(ra.dbl().to_affine(), at(2 * a));
        EXPECT_EQ(rxa.dbl().to_affine(), at(2 * a));
        EXPECT_EQ((-ra).to_affine(), at(-a));
        EXPECT_EQ((-rxa).to_affine(), at(-a));
        for (int b = -kLimit; b <= kLimit; ++b) {
            SCOPED_TRACE(std::to_string(a) + " + " + std::to_string(b));
            const auto expected = at(a + b);
            const auto rb = this->rescaled(Jacobian<G>::from_affine(at(b)));
            const auto rxb = this->rescaled(Xyzz<G>::from_affine(at(b)));
            EXPECT_EQ((ja + at(b)).to_affine(), expected);
            EXPECT_EQ((ra + at(b)).to_affine(), expected);
            EXPECT_EQ((ja + rb).to_affine(), expected);
            EXPECT_EQ((ra + rb).to_affine(), expected);
            EXPECT_EQ((ra - rb).to_affine(), at(a - b));
            EXPECT_EQ((xa + at(b)).to_affine(), expected);
            EXPECT_EQ((rxa + at(b)).to_affine(), expected);
            EXPECT_EQ((rxa + rxb).to_affine(), expected);
            EXPECT_EQ((rxa + rxb).to_jacobian(), ra + rb);
            EXPECT_EQ(ra == rb, a == b);
        }
    }
}

TYPED_TEST(GroupLawTest, LawsOnRandomPoints) {
    using G = TypeParam;
    using Fr = typename G::Scalar;
    for (int i = 0; i < 4; ++i) {
        const auto a = this->rescaled(Jacobian<G>::from_affine(test::random_point<G>(this->random_)));
        const auto b = this->rescaled(Jacobian<G>::from_affine(test::random_point<G>(this->random_)));
        const auto c = this->rescaled(Jacobian<G>::from_affine(test::random_curve_point<G>(this->random_)));
        EXPECT_EQ(a + b, b + a);
        EXPECT_EQ((a + b) + c, a + (b + c));
        EXPECT_EQ(a + a, a.dbl());
        EXPECT_TRUE((c - c).is_infinity());
        EXPECT_TRUE((a + c).to_affine().is_on_curve());
        const Fr k = Fr::random(this->random_);
        const Fr m = Fr::random(this->random_);
        EXPECT_EQ(a * k + a * m, a * (k + m));
        EXPECT_EQ((a * k) * m, a * (k * m));
        EXPECT_EQ(a * k + b * k, (a + b) * k);
    }
}

TYPED_TEST(GroupLawTest, BatchToAffine) {
    using G = TypeParam;
    std::vector<Jacobian<G>> points;
    for (u64 k : {0, 1, 5, 0, 0, 7, 2}) {
        points.push_back(this->rescaled(Jacobian<G>::generator().mul(BigInt<1>::from_u64(k))));
    }
    const auto affine = batch_to_affine<G>(points);
    ASSERT_EQ(affine.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(affine[i], points[i].to_affine());
    EXPECT_TRUE(batch_to_affine<G>(std::span<const Jacobian<G>>()).empty());
}

TYPED_TEST(GroupLawTest, ScalarMulEqualsDoubleAndAdd) {
    using G = TypeParam;
    using Fr = typename G::Scalar;
    using Int = typename Fr::Int;
    std::vector<Int> scalars{Int{}, Fr::Params::kModulus, Fr::Constants::kModulusMinusOne,
                             Fr::Constants::kHalf};
    Int all_ones;
    for (auto& limb : all_ones.limb) limb = ~u64{0};
    scalars.push_back(all_ones);
    // Around the powers of the families' parameters, where the split scalars wrap.
    for (const u64 x : {Bls12_381::kX, Bn254::kX}) {
        Fr power = Fr::one();
        for (int i = 0; i < 4; ++i) {
            for (const Fr& k :
                 {power, power + Fr::one(), power - Fr::one(), -power, power * Fr::from_u64(6)}) {
                scalars.push_back(k.to_int());
            }
            power *= Fr::from_u64(x);
        }
    }
    for (std::size_t bit = 0; bit < 256; bit += 9) {
        Int k;
        k.limb[bit / 64] = u64{1} << (bit % 64);
        scalars.push_back(k);
        k.sub(Int::from_u64(1));
        scalars.push_back(k);
    }
    for (int i = 0; i < 50; ++i) scalars.push_back(Fr::random(this->random_).to_int());

    const auto p = test::random_point<G>(this->random_);
    const auto q = this->rescaled(Jacobian<G>::from_affine(p));
    for (const auto& k : scalars) {
        const auto expected = q.mul(k);
        EXPECT_EQ(scalar_mul(p, k), expected);
        EXPECT_EQ(scalar_mul(q, k), expected);
    }
    EXPECT_TRUE(scalar_mul(Affine<G>::infinity(), all_ones).is_infinity());
}

template <class C>
class EndomorphismMulTest : public ::testing::Test {};
using Curves = ::testing::Types<Bls12_381, Bn254>;
TYPED_TEST_SUITE(EndomorphismMulTest, Curves);

TYPED_TEST(EndomorphismMulTest, ShortMultiplication) {
    using C = TypeParam;
    using G1 = typename C::G1;
    using Fr = typename C::Fr;
    SeededRandom random(8);
    const auto p = test::random_point<G1>(random);
    const Fr lambda = endomorphism_eigenvalue<G1>();
    EXPECT_TRUE((lambda.square() + lambda + Fr::one()).is_zero());
    EXPECT_EQ(CubeRootEndomorphism<C>::get()(p), (Jacobian<G1>::from_affine(p) * lambda).to_affine());
    for (const auto& [a, b] : std::vector<std::pair<u64, u64>>{
             {0, 0}, {1, 0}, {0, 1}, {~u64{0}, ~u64{0}}, {0x123456789abcdef, 0xfedcba9876543210}}) {
        EXPECT_EQ(short_endomorphism_mul(p, a, b),
                  Jacobian<G1>::from_affine(p) * (Fr::from_u64(a) + Fr::from_u64(b) * lambda));
    }
    EXPECT_TRUE(short_endomorphism_mul(Affine<G1>::infinity(), 5, 6).is_infinity());
}

}  // namespace
}  // namespace cuzk
