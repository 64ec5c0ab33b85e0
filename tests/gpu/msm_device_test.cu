// Sums on the device against logarithms and against the host.
#include "base/error.hpp"
#include "gpu/device_test.hpp"
#include "gpu/msm.hpp"
#include "msm/msm_cases.hpp"

namespace cuzk {
namespace {

template <class G>
class MsmDeviceTest : public testing_gpu::DeviceTest {
protected:
    using Fr = typename G::Scalar;
    using Int = typename Fr::Int;

    Jacobian<G> on_device(const std::vector<Affine<G>>& points, const std::vector<Int>& scalars,
                          gpu::MsmReport* report = nullptr) {
        const gpu::Arena::Scope scope(*arena_);
        const auto bases = upload(points);
        const auto digits = upload(scalars);
        return gpu::msm<G>(*arena_, {bases.data, bases.size}, {digits.data, digits.size}, *stream_, report);
    }

    testing_msm::Points<G> points_of(std::size_t n) { return testing_msm::random_points<G>(n, n + 1); }
};

using Groups = testing::Types<Bls12_381G1, Bn254G1>;
TYPED_TEST_SUITE(MsmDeviceTest, Groups);

TYPED_TEST(MsmDeviceTest, AllSizesAndScalars) {
    using G = TypeParam;
    using Fr = typename G::Scalar;
    for (const std::size_t n : {1u, 2u, 3u, 31u, 33u, 255u, 1000u, 4097u, 32769u}) {
        const auto points = this->points_of(n);
        for (const auto& shape : testing_msm::scalar_shapes<Fr>()) {
            SeededRandom random(n);
            std::vector<typename Fr::Int> scalars(n);
            for (std::size_t i = 0; i < n; ++i) scalars[i] = shape.make(i, random);
            EXPECT_EQ(this->on_device(points.points, scalars), testing_msm::expected<G>(points, scalars))
                << shape.name << ", n = " << n;
        }
    }
}

// Groups of four equal or opposite bases with equal or opposite scalars, and infinities in between: every kind of addition.
TYPED_TEST(MsmDeviceTest, EqualOppositeAndInfiniteBases) {
    using G = TypeParam;
    using Fr = typename G::Scalar;
    for (const std::size_t n : {4u, 64u, 5000u, 100000u}) {
        SeededRandom random(n);
        std::vector<Fr> logarithms(n);
        std::vector<typename Fr::Int> scalars(n);
        for (std::size_t i = 0; i < n; i += 4) {
            const Fr k = Fr::random(random);
            const Fr s = Fr::random(random);
            for (std::size_t j = 0; j < 4; ++j) {
                logarithms[i + j] = j == 2 && i % 8 == 0 ? -k : k;
                scalars[i + j] = (j == 1 ? -s : s).to_int();
            }
            if (i % 16 == 0) logarithms[i + 3] = Fr::zero();
            if (i % 64 == 0) logarithms[i] = logarithms[i + 1] = logarithms[i + 2] = Fr::zero();
        }
        const auto points = testing_msm::points_of<G>(std::move(logarithms));
        EXPECT_EQ(this->on_device(points.points, scalars), testing_msm::expected<G>(points, scalars)) << n;

        const std::vector<Affine<G>> nowhere(n, Affine<G>::infinity());
        EXPECT_TRUE(this->on_device(nowhere, scalars).is_infinity()) << n;
    }
}

TYPED_TEST(MsmDeviceTest, LargeSumAgreesWithHost) {
    using G = TypeParam;
    const std::size_t n = (std::size_t{1} << 20) + 1;
    const auto points = this->points_of(n);
    SeededRandom random(7);
    std::vector<typename G::Scalar::Int> scalars(n);
    for (auto& s : scalars) s = G::Scalar::random(random).to_int();
    const auto sum = this->on_device(points.points, scalars);
    EXPECT_EQ(sum, msm<G>(points.view(n), scalars));
    EXPECT_EQ(sum, testing_msm::expected<G>(points, scalars));
}

TYPED_TEST(MsmDeviceTest, LittleMemoryTakesFewerWindowsAtOnce) {
    using G = TypeParam;
    const std::size_t n = 1 << 19;
    const auto points = this->points_of(n);
    SeededRandom random(8);
    std::vector<typename G::Scalar::Int> scalars(n);
    for (auto& s : scalars) s = G::Scalar::random(random).to_int();
    const auto expected = testing_msm::expected<G>(points, scalars);
    const auto bases = this->upload(points.points);
    const auto digits = this->upload(scalars);
    unsigned previous = 33;
    for (const std::size_t mebibytes : {4000u, 800u, 400u}) {
        gpu::Arena small(this->arena_->device(), mebibytes << 20);
        gpu::MsmReport report;
        const auto sum = gpu::msm<G>(small, {bases.data, n}, {digits.data, n}, *this->stream_, &report);
        EXPECT_EQ(sum, expected) << mebibytes;
        EXPECT_LT(report.windows_at_once, previous);
        EXPECT_LE(small.peak(), small.size());
        EXPECT_EQ(small.used(), 0u);
        previous = report.windows_at_once;
    }
    gpu::Arena tiny(this->arena_->device(), 32 << 20);
    EXPECT_THROW(gpu::msm<G>(tiny, {bases.data, n}, {digits.data, n}, *this->stream_), Error);
    EXPECT_EQ(tiny.used(), 0u);
}

TYPED_TEST(MsmDeviceTest, SizesMustAgree) {
    using G = TypeParam;
    EXPECT_TRUE(gpu::msm<G>(*this->arena_, {}, {}, *this->stream_).is_infinity());
    EXPECT_THROW(gpu::msm<G>(*this->arena_, {nullptr, 2}, {nullptr, 3}, *this->stream_), Error);
}

}  // namespace
}  // namespace cuzk
