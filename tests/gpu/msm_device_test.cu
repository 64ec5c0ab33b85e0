// Sums on the device against logarithms and against the host.
#include "gpu/msm_device_test.hpp"

#include <thread>

#include "base/error.hpp"

namespace cuzk::testing_gpu {
namespace {

TYPED_TEST_SUITE(MsmDeviceTest, Groups);

TYPED_TEST(MsmDeviceTest, AllSizesAndScalars) {
    using G = TypeParam;
    for (const std::size_t n : kEdgeSizes) {
        const auto points = this->points_of(n);
        for (const auto& shape : testing_msm::scalar_shapes<typename G::Scalar>()) {
            const auto scalars = testing_msm::scalars_of(shape, n, n);
            EXPECT_EQ(this->on_device(points.points, scalars), testing_msm::expected<G>(points, scalars))
                << shape.name << ", n = " << n;
        }
    }
}

TYPED_TEST(MsmDeviceTest, SizesOfAllMethods) {
    using G = TypeParam;
    const std::size_t most = sized(150000, 3000);
    const auto points = this->points_of(most);
    for (const std::size_t n : {std::size_t{65536}, std::size_t{65537}, most}) {
        if (n > most) continue;
        const std::vector<Affine<G>> bases(points.points.begin(),
                                           points.points.begin() + static_cast<std::ptrdiff_t>(n));
        for (const auto& shape : testing_msm::scalar_shapes<typename G::Scalar>()) {
            const auto scalars = testing_msm::scalars_of(shape, n, n);
            EXPECT_EQ(this->on_device(bases, scalars), testing_msm::expected<G>(points, scalars))
                << shape.name << ", n = " << n;
        }
    }
}

// Groups of four equal or opposite bases with equal or opposite scalars, and infinities in between: every kind of addition.
TYPED_TEST(MsmDeviceTest, EqualOppositeAndInfiniteBases) {
    using G = TypeParam;
    using Fr = typename G::Scalar;
    for (const std::size_t n : sizes_up_to(5000, {4, 64, 5000, 100000, 300000})) {
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
        const std::vector<Affine<G>> same(n, points.points[n > 4 ? 4 : 0]);
        auto sum = Fr::zero();
        for (const auto& s : scalars) sum += Fr::from_int(s);
        EXPECT_EQ(this->on_device(same, scalars), Jacobian<G>::from_affine(same[0]) * sum) << n;
    }
}

TYPED_TEST(MsmDeviceTest, IndexedBases) {
    using G = TypeParam;
    using Fr = typename G::Scalar;
    const std::size_t many = sized(70000, 7000);
    const auto points = this->points_of(many);
    for (const std::size_t n : sizes_up_to(1000, {1, 2, 33, 1000, 16385, 200000})) {
        const auto indices = this->random_indices(n, many, n);
        for (const auto& shape : testing_msm::scalar_shapes<Fr>()) {
            const auto scalars = testing_msm::scalars_of(shape, n, n);
            auto sum = Fr::zero();
            for (std::size_t i = 0; i < n; ++i)
                sum += points.logarithms[indices[i]] * Fr::from_int(scalars[i]);
            EXPECT_EQ(this->on_device(points.points, indices, scalars), Jacobian<G>::generator() * sum)
                << shape.name << ", n = " << n;
        }
    }
}

TYPED_TEST(MsmDeviceTest, LargeSumAgreesWithHost) {
    using G = TypeParam;
    const std::size_t n = (std::size_t{1} << sized(20, 14)) + 1;
    const auto points = this->points_of(n);
    const auto scalars = this->uniform_scalars(n, 7);
    const auto sum = this->on_device(points.points, scalars);
    EXPECT_EQ(sum, msm<G>(points.view(n), scalars));
    EXPECT_EQ(sum, testing_msm::expected<G>(points, scalars));
}

TYPED_TEST(MsmDeviceTest, LittleMemoryTakesFewerWindowsAtOnce) {
    using G = TypeParam;
    const std::size_t n = 1 << sized(19, 14);
    const auto points = this->points_of(n);
    const auto scalars = this->uniform_scalars(n, 8);
    const auto expected = testing_msm::expected<G>(points, scalars);
    const auto bases = this->upload_constant(points.points);
    const auto digits = this->upload_constant(scalars);
    unsigned previous = 33;
    for (const unsigned windows : {32u, 8u, 4u, 1u}) {
        gpu::Arena small(this->arena_->device(), gpu::msm_scratch_bytes<G>(n, windows));
        gpu::MsmReport report;
        EXPECT_EQ(gpu::msm<G>(small, bases, digits, *this->stream_, &report), expected) << windows;
        // Of a short sum one more fits into what the sort might take.
        EXPECT_LE(report.windows_at_once, windows + sized(0u, 1u));
        EXPECT_LT(report.windows_at_once, previous);
        EXPECT_LE(small.peak(), small.size());
        EXPECT_EQ(small.used(), 0u);
        previous = report.windows_at_once;
    }
    EXPECT_LE(gpu::msm_scratch_bytes<G>(n), gpu::msm_scratch_bytes<G>(n, 32));
    gpu::Arena tiny(this->arena_->device(), 1 << sized(25, 20));
    EXPECT_THROW(gpu::msm<G>(tiny, bases, digits, *this->stream_), Error);
    EXPECT_EQ(tiny.used(), 0u);
}

// Scratch of every size is what is said to be enough.
TYPED_TEST(MsmDeviceTest, StatedScratchIsEnough) {
    using G = TypeParam;
    const auto points = this->points_of(sized(150000, 5000));
    for (const std::size_t n : sizes_up_to(5000, {1, 100, 5000, 40000, 150000})) {
        const auto scalars = this->uniform_scalars(n, n);
        const gpu::Arena::Scope scope(*this->arena_);
        const auto bases = this->upload_constant(std::vector<Affine<G>>(
            points.points.begin(), points.points.begin() + static_cast<std::ptrdiff_t>(n)));
        const auto digits = this->upload_constant(scalars);
        for (const unsigned windows : {0u, 1u}) {
            gpu::Arena arena(this->arena_->device(), gpu::msm_scratch_bytes<G>(n, windows));
            EXPECT_EQ(gpu::msm<G>(arena, bases, digits, *this->stream_),
                      testing_msm::expected<G>(points, scalars));
        }
    }
}

TYPED_TEST(MsmDeviceTest, SumsRunSideBySide) {
    using G = TypeParam;
    const std::size_t n = sized(20000, 500);
    const auto points = this->points_of(n);
    const auto bases = this->upload_constant(points.points);
    std::vector<std::thread> threads;
    std::vector<int> wrong(4);
    for (std::size_t t = 0; t < wrong.size(); ++t)
        threads.emplace_back([&, t] {
            const gpu::CurrentDevice current(this->arena_->device());
            gpu::Arena arena(this->arena_->device(), std::size_t{512} << 20);
            const gpu::Stream stream;
            for (u64 round = 0; round < sized<u64>(8, 2); ++round) {
                const gpu::Arena::Scope scope(arena);
                const auto scalars = this->uniform_scalars(n, 10 * round + t);
                const auto digits = arena.template take<typename G::Scalar::Int>(n, "scalars");
                gpu::copy_to_device(digits.data, scalars.data(), n * sizeof(scalars[0]), stream);
                const auto sum = gpu::msm<G>(arena, bases, {digits.data, n}, stream);
                wrong[t] += sum == testing_msm::expected<G>(points, scalars) ? 0 : 1;
            }
        });
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(4));
}

TYPED_TEST(MsmDeviceTest, SizesMustAgree) {
    using G = TypeParam;
    EXPECT_TRUE(gpu::msm<G>(*this->arena_, {}, {}, *this->stream_).is_infinity());
    EXPECT_TRUE(gpu::msm<G>(*this->arena_, {nullptr, 5}, {}, {}, *this->stream_).is_infinity());
    EXPECT_THROW(gpu::msm<G>(*this->arena_, {nullptr, 2}, {nullptr, 3}, *this->stream_), Error);
    EXPECT_THROW(gpu::msm<G>(*this->arena_, {nullptr, 5}, {nullptr, 2}, {nullptr, 3}, *this->stream_), Error);
}

}  // namespace
}  // namespace cuzk::testing_gpu
