#include "poly/domain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "field/cpu.hpp"

namespace cuzk {
namespace {

template <class Fr>
Fr from_hex(std::string_view digits) {
    return Fr::from_int(Fr::Int::from_hex(digits));
}

template <class Fr>
std::vector<Fr> random_vector(std::size_t size, u64 seed) {
    SeededRandom random(seed);
    std::vector<Fr> v(size);
    // x^2 + c from a random start: as irregular as needed here, and quicker than a hash an element.
    Fr x = Fr::random(random);
    const Fr c = Fr::random(random);
    for (Fr& y : v) {
        y = x;
        x = x.square() + c;
    }
    return v;
}

// Values at first * root^i by Horner's rule: the definition.
template <class Fr>
std::vector<Fr> evaluate_all(const std::vector<Fr>& coefficients, const Fr& root, const Fr& first) {
    std::vector<Fr> values;
    Fr point = first;
    for (std::size_t i = 0; i < coefficients.size(); ++i) {
        Fr sum;
        for (std::size_t k = coefficients.size(); k-- > 0;) sum = sum * point + coefficients[k];
        values.push_back(sum);
        point *= root;
    }
    return values;
}

template <class Fr>
Fr evaluate(std::span<const Fr> coefficients, const Fr& point) {
    Fr sum;
    for (std::size_t k = coefficients.size(); k-- > 0;) sum = sum * point + coefficients[k];
    return sum;
}

std::vector<Isa> paths() {
    std::vector<Isa> r = {Isa::kPortable};
    if (best_isa() >= Isa::kAdx) r.push_back(Isa::kAdx);
    if (best_isa() >= Isa::kIfma) r.push_back(Isa::kIfma);
    return r;
}

template <class Fr>
class DomainTest : public testing::Test {
protected:
    // Calls body(domain) for both root families.
    template <class Body>
    static void for_each_domain(unsigned log_size, const Body& body) {
        body(Domain<Fr>::zcash(log_size));
        body(Domain<Fr>::snarkjs(log_size));
    }
    template <class Body>
    static void for_each_path(const Body& body) {
        for (const Isa isa : paths()) {
            SCOPED_TRACE(isa_name(isa));
            const IsaOverride path(isa);
            body();
        }
    }
};

using Fields = testing::Types<Bls12_381Fr, Bn254Fr>;
TYPED_TEST_SUITE(DomainTest, Fields);

TYPED_TEST(DomainTest, RootsHaveExactlyTheOrderOfTheDomain) {
    using Fr = TypeParam;
    for (unsigned log_size = 0; log_size <= Domain<Fr>::kMaxLogSize; ++log_size) {
        this->for_each_domain(log_size, [&](const Domain<Fr>& domain) {
            EXPECT_EQ(domain.size(), std::size_t{1} << log_size);
            Fr power = domain.root();
            for (unsigned i = 0; i < log_size; ++i) {
                EXPECT_FALSE(power.is_one());
                power = power.square();
            }
            EXPECT_TRUE(power.is_one());
            EXPECT_TRUE((domain.root() * domain.root_inverse()).is_one());
            EXPECT_TRUE((domain.size_inverse() * Fr::from_u64(u64{1} << log_size)).is_one());
        });
    }
}

TYPED_TEST(DomainTest, RefusesSizesBeyondTheTwoAdicity) {
    using Fr = TypeParam;
    for (const unsigned log_size : {Domain<Fr>::kMaxLogSize + 1, 64U, 1000U}) {
        EXPECT_THROW(Domain<Fr>::zcash(log_size), Error);
        EXPECT_THROW(Domain<Fr>::snarkjs(log_size), Error);
        EXPECT_THROW(Domain<Fr>::snarkjs_coset_shift(log_size), Error);
    }
}

TYPED_TEST(DomainTest, RefusesWrongLengthsAndZeroShift) {
    using Fr = TypeParam;
    const auto domain = Domain<Fr>::zcash(4);
    std::vector<Fr> wrong(15);
    EXPECT_THROW(domain.forward(wrong), Error);
    EXPECT_THROW(domain.inverse(wrong), Error);
    EXPECT_THROW(domain.coset_forward(wrong, Fr::one()), Error);
    EXPECT_THROW(domain.coset_inverse(wrong, Fr::one()), Error);
    EXPECT_THROW(domain.to_coset(wrong, Fr::one()), Error);
    std::vector<Fr> right(16);
    EXPECT_THROW(domain.coset_forward(right, Fr()), Error);
    EXPECT_THROW(domain.coset_inverse(right, Fr()), Error);
    EXPECT_THROW(domain.to_coset(right, Fr()), Error);
}

TYPED_TEST(DomainTest, MatchesTheDefinitionAtSmallSizes) {
    using Fr = TypeParam;
    for (unsigned log_size = 0; log_size <= 10; ++log_size) {
        SCOPED_TRACE(log_size);
        const auto input = random_vector<Fr>(std::size_t{1} << log_size, log_size);
        const Fr shift = Fr::from_u64(7);
        this->for_each_domain(log_size, [&](const Domain<Fr>& domain) {
            const auto values = evaluate_all(input, domain.root(), Fr::one());
            const auto coset_values = evaluate_all(input, domain.root(), shift);
            this->for_each_path([&] {
                auto v = input;
                domain.forward(v);
                EXPECT_TRUE(v == values);
                domain.to_coset(v, shift);
                EXPECT_TRUE(v == coset_values);
                domain.coset_inverse(v, shift);
                EXPECT_TRUE(v == input);
                domain.coset_forward(v, shift);
                EXPECT_TRUE(v == coset_values);
                v = values;
                domain.inverse(v);
                EXPECT_TRUE(v == input);
            });
        });
    }
}

// Chosen positions against Horner's rule, everything else by the inverse.
template <class Fr>
void check_by_identities(const Domain<Fr>& domain, u64 seed) {
    const std::size_t n = domain.size();
    const Fr shift = Domain<Fr>::snarkjs_coset_shift(domain.log_size());
    const auto input = random_vector<Fr>(n, seed);
    auto values = input;
    domain.forward(values);
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, n / 2 + 1, n / 3, n - 1})
        EXPECT_TRUE(values[i] == evaluate<Fr>(input, domain.root().pow(i))) << i;

    auto coset_values = input;
    domain.coset_forward(coset_values, shift);
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}, n / 2 + 3, n - 1})
        EXPECT_TRUE(coset_values[i] == evaluate<Fr>(input, shift * domain.root().pow(i))) << i;

    auto v = values;
    domain.to_coset(v, shift);
    EXPECT_TRUE(v == coset_values);
    domain.coset_inverse(v, shift);
    EXPECT_TRUE(v == input);
    domain.inverse(values);
    EXPECT_TRUE(values == input);
}

TYPED_TEST(DomainTest, KeepsTheIdentitiesAtMiddleSizes) {
    using Fr = TypeParam;
    for (unsigned log_size = 11; log_size <= 16; ++log_size) {
        SCOPED_TRACE(log_size);
        this->for_each_domain(log_size, [&](const Domain<Fr>& domain) {
            this->for_each_path([&] { check_by_identities(domain, log_size); });
        });
    }
}

TYPED_TEST(DomainTest, KeepsTheIdentitiesAtLargeSizes) {
    using Fr = TypeParam;
    // Two digits, equal and not, up to the longest; then three.
    for (const unsigned log_size : {20U, 21U, 22U, 23U}) {
        SCOPED_TRACE(log_size);
        check_by_identities(Domain<Fr>::snarkjs(log_size), log_size);
    }
}

TYPED_TEST(DomainTest, PathsAgreeOnTwoAndThreeDigits) {
    using Fr = TypeParam;
    for (const unsigned log_size : {19U, 23U}) {
        SCOPED_TRACE(log_size);
        const auto domain = Domain<Fr>::zcash(log_size);
        const auto input = random_vector<Fr>(domain.size(), 99);
        std::vector<std::vector<Fr>> results;
        for (const Isa isa : {Isa::kAdx, Isa::kIfma}) {
            const IsaOverride path(isa);
            auto v = input;
            domain.coset_forward(v, Fr::from_u64(7));
            results.push_back(std::move(v));
        }
        EXPECT_TRUE(results[0] == results[1]);
    }
}

// Largest residues everywhere: the vector path's lazy sums come closest to their bounds.
TYPED_TEST(DomainTest, HandlesExtremeValues) {
    using Fr = TypeParam;
    const Fr largest = -Fr::one();
    // The largest Montgomery representation, which is what the lanes hold.
    const Fr largest_word = Fr::from_montgomery(Fr::Constants::kModulusMinusOne);
    for (const unsigned log_size : {0U, 3U, 6U, 7U, 12U, 13U, 18U, 22U}) {
        SCOPED_TRACE(log_size);
        const auto domain = Domain<Fr>::zcash(log_size);
        const std::size_t n = domain.size();
        this->for_each_path([&] {
            if (log_size > 13 && active_isa() < best_isa()) return;
            for (const Fr& x : {largest_word, Fr(), largest, Fr::one()}) {
                if (log_size > 18 && !(x == largest_word)) continue;
                // A constant vector is n x at the root 1 and nothing elsewhere; a delta is constant.
                std::vector<Fr> v(n, x);
                domain.forward(v);
                EXPECT_TRUE(v[0] == x * Fr::from_u64(n));
                EXPECT_TRUE(std::all_of(v.begin() + 1, v.end(), [](const Fr& y) { return y.is_zero(); }));
                domain.inverse(v);
                EXPECT_TRUE(v == std::vector<Fr>(n, x));

                std::vector<Fr> delta(n);
                delta[0] = x;
                domain.coset_forward(delta, largest_word);
                EXPECT_TRUE(delta == std::vector<Fr>(n, x));
                domain.to_coset(delta, largest_word);
                EXPECT_TRUE(delta == std::vector<Fr>(n, x));
            }
            // Alternating extremes.
            std::vector<Fr> v(n);
            for (std::size_t i = 0; i < n; ++i) v[i] = i % 2 == 0 ? largest_word : Fr();
            const auto before = v;
            domain.forward(v);
            EXPECT_TRUE(v[0] == largest_word * Fr::from_u64((n + 1) / 2));
            domain.inverse(v);
            EXPECT_TRUE(v == before);
        });
    }
}

TYPED_TEST(DomainTest, IsLinear) {
    using Fr = TypeParam;
    const auto domain = Domain<Fr>::snarkjs(14);
    this->for_each_path([&] {
        auto a = random_vector<Fr>(domain.size(), 1);
        auto b = random_vector<Fr>(domain.size(), 2);
        const Fr k = random_vector<Fr>(1, 3)[0];
        std::vector<Fr> mixed(domain.size());
        for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] = a[i] * k + b[i];
        domain.forward(a);
        domain.forward(b);
        domain.forward(mixed);
        for (std::size_t i = 0; i < mixed.size(); ++i) ASSERT_TRUE(mixed[i] == a[i] * k + b[i]);
    });
}

TYPED_TEST(DomainTest, MultipliesPolynomials) {
    using Fr = TypeParam;
    const auto domain = Domain<Fr>::zcash(9);
    const std::size_t n = domain.size();
    this->for_each_path([&] {
        auto a = random_vector<Fr>(n / 2, 4);
        auto b = random_vector<Fr>(n / 2, 5);
        std::vector<Fr> product(n);
        for (std::size_t i = 0; i < a.size(); ++i)
            for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
        a.resize(n);
        b.resize(n);
        domain.forward(a);
        domain.forward(b);
        for (std::size_t i = 0; i < n; ++i) a[i] *= b[i];
        domain.inverse(a);
        EXPECT_TRUE(a == product);
    });
}

TYPED_TEST(DomainTest, DoesNotDependOnThreads) {
    using Fr = TypeParam;
    for (const unsigned log_size : {10U, 15U, 19U}) {
        const auto domain = Domain<Fr>::zcash(log_size);
        this->for_each_path([&] {
            auto many = random_vector<Fr>(domain.size(), 6);
            auto one = many;
            {
                const ThreadLimit limit(8);
                domain.coset_forward(many, Fr::from_u64(7));
            }
            {
                const ThreadLimit limit(1);
                domain.coset_forward(one, Fr::from_u64(7));
            }
            EXPECT_TRUE(one == many);
        });
    }
}

// Fr.w and Fr.shift of ffjavascript 0.3.1.
TEST(SnarkjsDomain, HasTheRootsOfSnarkjsOnBn254) {
    using Fr = Bn254Fr;
    const auto root = [](unsigned log_size) { return Domain<Fr>::snarkjs(log_size).root(); };
    EXPECT_TRUE(root(0).is_one());
    EXPECT_TRUE(root(1) == from_hex<Fr>("30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000000"));
    EXPECT_TRUE(root(2) == from_hex<Fr>("30644e72e131a029048b6e193fd841045cea24f6fd736bec231204708f703636"));
    EXPECT_TRUE(root(3) == from_hex<Fr>("2b337de1c8c14f22ec9b9e2f96afef3652627366f8170a0a948dad4ac1bd5e80"));
    EXPECT_TRUE(root(10) == from_hex<Fr>("6fd19c17017a420ebbebc2bb08771e339ba79c0a8d2d7ab11f995e1bc2e5912"));
    EXPECT_TRUE(root(20) == from_hex<Fr>("26125da10a0ed06327508aba06d1e303ac616632dbed349f53422da953337857"));
    EXPECT_TRUE(root(27) == from_hex<Fr>("49ae702b363ebe85f256a9f6dc6e364b4823532f6437da2034afc4580928c44"));
    EXPECT_TRUE(root(28) == from_hex<Fr>("2a3c09f0a58a7e8500e0a7eb8ef62abc402d111e41112ed49bd61b6e725b19f0"));
    EXPECT_TRUE(Domain<Fr>::snarkjs_coset_shift(9) == root(10));
    EXPECT_TRUE(Domain<Fr>::snarkjs_coset_shift(28) == Fr::from_u64(25));
    EXPECT_TRUE(Domain<Fr>::zcash(28).root() == root(28));
}

TEST(SnarkjsDomain, HasTheRootsOfSnarkjsOnBls12381) {
    using Fr = Bls12_381Fr;
    const auto root = [](unsigned log_size) { return Domain<Fr>::snarkjs(log_size).root(); };
    EXPECT_TRUE(root(0).is_one());
    EXPECT_TRUE(root(1) == from_hex<Fr>("73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000000"));
    EXPECT_TRUE(root(2) == from_hex<Fr>("8d51ccce760304d0ec030002760300000001000000000000"));
    EXPECT_TRUE(root(3) == from_hex<Fr>("3f96405d25a31660a733b23a98ca5b22a032824078eaa4fe8dd702cb688bc087"));
    EXPECT_TRUE(root(10) == from_hex<Fr>("2f27b09858f43cef3ed6d55a6350721d79efd6b0570bf109d58a5af42d010ff9"));
    EXPECT_TRUE(root(20) == from_hex<Fr>("3436287f5f686d91556c35f6537d6971870c46fac2f0fcbd20b53cbe41144dea"));
    EXPECT_TRUE(root(27) == from_hex<Fr>("350fe98d37b7a1144307987fe64cfc70ac96c38ff010ea74eb162203fd88f133"));
    EXPECT_TRUE(root(32) == from_hex<Fr>("212d79e5b416b6f0fd56dc8d168d6c0c4024ff270b3e0941b788f500b912f1f"));
    EXPECT_TRUE(Domain<Fr>::snarkjs_coset_shift(9) == root(10));
    EXPECT_TRUE(Domain<Fr>::snarkjs_coset_shift(32) == Fr::from_u64(25));
}

// The 2^32-th root of unity that the BLS12-381 scalar field of bellman, blst and zkcrypto publishes (7^((r-1)
// / 2^32)).
TEST(ZcashDomain, HasThePublishedRootOfBls12381) {
    EXPECT_TRUE(Domain<Bls12_381Fr>::zcash(32).root() ==
                from_hex<Bls12_381Fr>("16a2a19edfe81f20d09b681922c813b4b63683508c2280b93829971f439f0d2b"));
}

}  // namespace
}  // namespace cuzk
