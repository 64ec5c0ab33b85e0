// Quotients on the device against those of the host.
#include "base/error.hpp"
#include "base/large_vector.hpp"
#include "base/parallel.hpp"
#include "gpu/device_test.hpp"
#include "gpu/quotient.hpp"
#include "groth16/quotient.hpp"
#include "poly/lagrange.hpp"

namespace cuzk {
namespace {

template <class Fr>
std::vector<Fr> random_values(std::size_t count, u64 seed) {
    SeededRandom random(seed);
    std::vector<Fr> values(count);
    Fr x = Fr::random(random);
    const Fr step = Fr::random(random);
    for (Fr& value : values) value = x = x * x + step;
    return values;
}

template <class Fr>
class QuotientDeviceTest : public testing_gpu::DeviceTest {
protected:
    using Int = typename Fr::Int;

    std::vector<Int> on_device(const gpu::DeviceQuotient<Fr>& quotient, const std::vector<Fr>& a,
                               const std::vector<Fr>& b, const std::vector<Fr>& c) {
        const gpu::Arena::Scope scope(*arena_);
        const auto first = upload(a);
        const auto second = upload(b);
        quotient.extend(first, *stream_);
        if (fused_) {
            quotient.extend_into(first, second, *stream_);
        } else {
            quotient.extend(second, *stream_);
            quotient.multiply(first, {second.data, second.size}, *stream_);
        }
        gpu::copy_to_device(second.data, c.data(), c.size() * sizeof(Fr), *stream_);
        const auto h = fused_ ? quotient.finish(first, second, *stream_) : in_steps(quotient, first, second);
        fused_ = !fused_;
        return download(gpu::DeviceSpan<Int>{reinterpret_cast<Int*>(first.data), h.size});
    }

    // finish(), the difference in two parts.
    gpu::DeviceSpan<const Int> in_steps(const gpu::DeviceQuotient<Fr>& quotient, gpu::DeviceSpan<Fr> product,
                                        gpu::DeviceSpan<Fr> c) {
        if (quotient.family() == KeyFamily::kSnarkjs) {
            quotient.extend(c, *stream_);
        } else {
            quotient.interpolate_product(product, *stream_);
            quotient.interpolate_c(c, *stream_);
        }
        const std::size_t cut = (product.size + 1) / 2;
        for (const auto& [first, count] : {std::pair{std::size_t{0}, cut}, {cut, product.size - cut}}) {
            if (count == 0) continue;
            const auto part = product.subspan(first, count), of_c = c.subspan(first, count);
            quotient.subtract(part, {part.data, count}, {of_c.data, count}, *stream_);
        }
        return quotient.order(product, *stream_);
    }

    bool fused_ = true;  // both ways in turn

    // All of the vectors, whether or not c is what a proof has.
    void compare(KeyFamily family, unsigned log_domain, std::vector<Fr> a, std::vector<Fr> b,
                 std::vector<Fr> c) {
        const gpu::Arena::Scope scope(*arena_);
        const std::size_t before = arena_->used();
        const gpu::DeviceQuotient<Fr> device(*arena_, family, log_domain, *stream_);
        EXPECT_LE(arena_->used() - before, gpu::DeviceQuotient<Fr>::table_bytes(log_domain));
        const std::vector<Int> found = on_device(device, a, b, c);
        EXPECT_TRUE(on_device(device, a, b, c) == found);
        const Quotient<Fr> host(family, log_domain);
        ASSERT_EQ(found.size(), host.size());
        host.compute(a, b, c);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] == a[i].to_int() ? 0 : 1;
        EXPECT_EQ(wrong, 0u) << "2^" << log_domain;
    }
    void compare(KeyFamily family, unsigned log_domain) {
        const std::size_t n = std::size_t{1} << log_domain;
        compare(family, log_domain, random_values<Fr>(n, log_domain), random_values<Fr>(n, log_domain + 100),
                random_values<Fr>(n, log_domain + 200));
    }
};

using Fields = testing::Types<Bls12_381Fr, Bn254Fr>;
TYPED_TEST_SUITE(QuotientDeviceTest, Fields);

TYPED_TEST(QuotientDeviceTest, BellmanAgreesWithHost) {
    for (unsigned log_domain = 0; log_domain <= testing_gpu::sized(17u, 13u); ++log_domain)
        this->compare(KeyFamily::kBellman, log_domain);
}

TYPED_TEST(QuotientDeviceTest, SnarkjsAgreesWithHost) {
    for (unsigned log_domain = 1; log_domain <= testing_gpu::sized(17u, 13u); ++log_domain)
        this->compare(KeyFamily::kSnarkjs, log_domain);
}

TYPED_TEST(QuotientDeviceTest, LargeDomainsAgreeWithHost) {
    using testing_gpu::sized;
    this->compare(KeyFamily::kBellman, sized(20u, 15u));
    this->compare(KeyFamily::kBellman, sized(21u, 16u));
    this->compare(KeyFamily::kSnarkjs, sized(20u, 15u));
}

// Objects of several sizes are used in turn.
TYPED_TEST(QuotientDeviceTest, SizesDoNotDisturbEachOther) {
    using Fr = TypeParam;
    const gpu::DeviceQuotient<Fr> large(*this->arena_, KeyFamily::kSnarkjs, 13, *this->stream_);
    const gpu::DeviceQuotient<Fr> small(*this->arena_, KeyFamily::kSnarkjs, 3, *this->stream_);
    for (const auto* quotient : {&large, &small, &large}) {
        auto a = random_values<Fr>(quotient->domain(), 1);
        auto b = random_values<Fr>(quotient->domain(), 2);
        auto c = random_values<Fr>(quotient->domain(), 3);
        const auto found = this->on_device(*quotient, a, b, c);
        Quotient<Fr>(KeyFamily::kSnarkjs, quotient == &large ? 13 : 3).compute(a, b, c);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] == a[i].to_int() ? 0 : 1;
        EXPECT_EQ(wrong, 0u);
    }
}

// Sums and products on numbers at the ends of the range.
TYPED_TEST(QuotientDeviceTest, ExtremeValuesAgreeWithHost) {
    using Fr = TypeParam;
    const Fr values[] = {Fr::zero(), Fr::one(), -Fr::one(), Fr::from_montgomery(BigInt<4>::from_u64(1)),
                         -Fr::from_montgomery(BigInt<4>::from_u64(1))};
    for (const unsigned log_domain : {3u, testing_gpu::sized(11u, 9u), testing_gpu::sized(13u, 10u)}) {
        const std::size_t n = std::size_t{1} << log_domain;
        for (const Fr& x : values)
            for (const Fr& y : values) {
                std::vector<Fr> mixed(n);
                for (std::size_t i = 0; i < n; ++i) mixed[i] = values[(i * i + i / 7) % 5];
                this->compare(KeyFamily::kBellman, log_domain, std::vector<Fr>(n, x), mixed,
                              std::vector<Fr>(n, y));
            }
    }
}

// At a random point z: A(z) B(z) - C(z) = h(z) (z^n - 1), by the values alone.
TYPED_TEST(QuotientDeviceTest, LargestDomainSatisfiesTheIdentity) {
    using Fr = TypeParam;
    constexpr unsigned kLog = testing_gpu::sized(24u, 14u);
    const std::size_t n = std::size_t{1} << kLog;
    const auto a = random_values<Fr>(n, 1);
    const auto b = random_values<Fr>(n, 2);
    std::vector<Fr> c(n);
    for (std::size_t i = 0; i < n; ++i) c[i] = a[i] * b[i];
    const gpu::Arena::Scope scope(*this->arena_);
    const gpu::DeviceQuotient<Fr> device(*this->arena_, KeyFamily::kBellman, kLog, *this->stream_);
    const auto h = this->on_device(device, a, b, c);

    const auto domain = Domain<Fr>::zcash(kLog);
    const Fr z = Fr::from_u64(0x123456789abcdef);
    Fr z_power = z;
    for (unsigned i = 0; i < kLog; ++i) z_power = z_power.square();
    const std::vector<Fr> basis = lagrange_at(domain, z);
    Fr at[3] = {};
    for (std::size_t i = 0; i < n; ++i) {
        at[0] += a[i] * basis[i];
        at[1] += b[i] * basis[i];
        at[2] += c[i] * basis[i];
    }
    Fr quotient = Fr::zero();
    for (std::size_t i = h.size(); i-- > 0;) quotient = quotient * z + Fr::from_int(h[i]);
    EXPECT_EQ(quotient * (z_power - Fr::one()), at[0] * at[1] - at[2]);
}

// 2^27 points, by sparse polynomials: A B = C + h (x^n - 1) with A = x^j + 3 x^k, B = x^l - 5, so that h has the part of A B
// from x^n on and C both parts.
TYPED_TEST(QuotientDeviceTest, ProductionDomainTakesSparsePolynomials) {
    using Fr = TypeParam;
    constexpr unsigned kLog = testing_gpu::sized(27u, 17u);
    constexpr std::size_t n = std::size_t{1} << kLog;
    constexpr std::size_t kBytes = 2 * n * sizeof(Fr) + (std::size_t{16} << 20);
    this->arena_.reset();
    if (gpu::list_devices().front().memory < kBytes + (std::size_t{2} << 30))
        GTEST_SKIP() << "a small device";
    gpu::Arena arena(gpu::list_devices().front().index, kBytes);
    const gpu::DeviceQuotient<Fr> quotient(arena, KeyFamily::kBellman, kLog, *this->stream_);

    const auto root = Domain<Fr>::zcash(kLog).root();
    const std::size_t j = n - 1, k = n / 3, l = n - n / 3 + 12345;
    LargeVector<Fr> values(n);
    // sum of coefficient * x^exponent at all points
    const auto place = [&](gpu::DeviceSpan<Fr> to, std::initializer_list<std::pair<std::size_t, Fr>> terms) {
        parallel_ranges(0, n, std::size_t{1} << 16, [&](std::size_t first, std::size_t last) {
            std::fill(values.begin() + static_cast<std::ptrdiff_t>(first),
                      values.begin() + static_cast<std::ptrdiff_t>(last), Fr::zero());
            for (const auto& [exponent, coefficient] : terms) {
                const Fr step = root.pow(u64{exponent});
                Fr power = coefficient * step.pow(u64{first});
                for (std::size_t i = first; i < last; ++i, power *= step) values[i] += power;
            }
        });
        gpu::copy_to_device(to.data, values.data(), n * sizeof(Fr), *this->stream_);
        this->stream_->synchronize();
    };
    const auto a = arena.take<Fr>(n, "a");
    const auto b = arena.take<Fr>(n, "b");
    place(a, {{j, Fr::one()}, {k, Fr::from_u64(3)}});
    place(b, {{l, Fr::one()}, {0, -Fr::from_u64(5)}});
    quotient.extend(a, *this->stream_);
    quotient.extend_into(a, b, *this->stream_);
    place(b, {{j + l, Fr::one()}, {k + l, Fr::from_u64(3)}, {j, -Fr::from_u64(5)}, {k, -Fr::from_u64(15)}});
    const auto h = quotient.finish(a, b, *this->stream_);
    gpu::copy_to_host(values.data(), h.data, h.size * sizeof(Fr), *this->stream_);
    this->stream_->synchronize();

    ASSERT_GE(j + l, n);
    ASSERT_GE(k + l, n);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < h.size; ++i) {
        const u64 expected = (i == j + l - n ? 1 : 0) + (i == k + l - n ? 3 : 0);
        wrong += values[i].montgomery() == Fr::Int::from_u64(expected) ? 0 : 1;  // the limbs of an integer
    }
    EXPECT_EQ(wrong, 0u);
}

TYPED_TEST(QuotientDeviceTest, WrongSizesAreRefused) {
    const gpu::DeviceQuotient<TypeParam> device(*this->arena_, KeyFamily::kBellman, 4, *this->stream_);
    const auto values = this->arena_->template take<TypeParam>(15, "values");
    EXPECT_THROW(device.extend(values, *this->stream_), Error);
    EXPECT_THROW(device.finish(values, values, *this->stream_), Error);
    EXPECT_THROW(gpu::DeviceQuotient<TypeParam>(*this->arena_, KeyFamily::kBellman, 29, *this->stream_),
                 Error);
}

}  // namespace
}  // namespace cuzk
