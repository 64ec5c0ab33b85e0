// Sums of listed points on the device against logarithms and against the host.
#include "base/error.hpp"
#include "gpu/msm_device_test.hpp"

namespace cuzk::testing_gpu {
namespace {

template <class G>
class PointSumDeviceTest : public MsmDeviceTest<G> {
protected:
    using Fr = typename G::Scalar;

    static Jacobian<G> expected(const testing_msm::Points<G>& points, const std::vector<u32>& entries) {
        auto sum = Fr::zero();
        for (const u32 entry : entries) {
            const Fr& k = points.logarithms[entry & ~gpu::kNegatedEntry];
            sum += (entry & gpu::kNegatedEntry) != 0 ? -k : k;
        }
        return Jacobian<G>::generator() * sum;
    }
};

TYPED_TEST_SUITE(PointSumDeviceTest, Groups);

TYPED_TEST(PointSumDeviceTest, AllSizes) {
    const auto points = this->points_of(sized(20000, 1500));
    for (const std::size_t n : kEdgeSizes) {
        // increasing, all positive; random with signs; one base over and over; a base and its negative in turn
        std::vector<u32> entries(n);
        for (std::size_t i = 0; i < n; ++i) entries[i] = static_cast<u32>(i);
        EXPECT_EQ(this->sum_on_device(points.points, entries), this->expected(points, entries)) << n;
        entries = this->random_indices(n, points.points.size(), n);
        for (std::size_t i = 0; i < n; i += 3) entries[i] |= gpu::kNegatedEntry;
        EXPECT_EQ(this->sum_on_device(points.points, entries), this->expected(points, entries)) << n;
        entries.assign(n, 7);
        EXPECT_EQ(this->sum_on_device(points.points, entries), this->expected(points, entries)) << n;
        for (std::size_t i = 1; i < n; i += 2) entries[i] |= gpu::kNegatedEntry;
        EXPECT_EQ(this->sum_on_device(points.points, entries), this->expected(points, entries)) << n;
    }
}

TYPED_TEST(PointSumDeviceTest, InfiniteBases) {
    using Fr = typename TypeParam::Scalar;
    const std::size_t n = sized(50001, 5001);
    SeededRandom random(3);
    std::vector<Fr> logarithms(n);
    for (std::size_t i = 0; i < n; ++i)
        if (i % 3 != 0 && i > 1000) logarithms[i] = Fr::random(random);
    const auto points = testing_msm::points_of<TypeParam>(std::move(logarithms));
    std::vector<u32> entries(n);
    for (std::size_t i = 0; i < n; ++i)
        entries[i] = static_cast<u32>(i) | (i % 2 != 0 ? gpu::kNegatedEntry : 0);
    EXPECT_EQ(this->sum_on_device(points.points, entries), this->expected(points, entries));
    entries.resize(999);
    EXPECT_TRUE(this->sum_on_device(points.points, entries).is_infinity());
}

TYPED_TEST(PointSumDeviceTest, LargeListAgreesWithHost) {
    using G = TypeParam;
    using Int = typename G::Scalar::Int;
    const std::size_t n = (std::size_t{1} << sized(20, 15)) + 1;
    const auto points = this->points_of(n);
    std::vector<u32> entries;
    std::vector<Int> scalars(n);
    for (u32 i = 0; i < n; ++i) {
        if (i % 7 == 3) continue;
        entries.push_back(i | (i % 5 == 0 ? gpu::kNegatedEntry : 0));
        scalars[i] = i % 5 == 0 ? G::Scalar::Constants::kModulusMinusOne : Int::from_u64(1);
    }
    gpu::MsmReport report;
    const auto sum = this->sum_on_device(points.points, entries, &report);
    EXPECT_EQ(sum, msm<G>(points.view(n), scalars));
    EXPECT_EQ(sum, this->expected(points, entries));
    EXPECT_LE(report.additions, entries.size());
}

TYPED_TEST(PointSumDeviceTest, LittleMemoryTakesChunks) {
    using G = TypeParam;
    const auto points = this->points_of(1 << sized(17, 13));
    const auto bases = this->upload_constant(points.points);
    for (const std::size_t n : sizes_up_to(20003, {8191, 20003, 131071, 131072, 131073, 700003})) {
        auto entries = this->random_indices(n, points.points.size(), n);
        for (std::size_t i = 0; i < n; i += 3) entries[i] |= gpu::kNegatedEntry;
        const auto expected = this->expected(points, entries);
        const auto list = this->upload_constant(entries);
        for (const std::size_t chunk :
             {std::size_t{0}, std::size_t{65536}, std::size_t{8192}, std::size_t{256}}) {
            gpu::Arena small(this->arena_->device(), gpu::sum_points_scratch_bytes<G>(n, chunk));
            EXPECT_EQ(gpu::sum_points<G>(small, bases, list, *this->stream_), expected)
                << n << " in chunks of " << chunk;
            EXPECT_LE(small.peak(), small.size());
            EXPECT_EQ(small.used(), 0u);
        }
        gpu::Arena tiny(this->arena_->device(), 4096);
        EXPECT_THROW(gpu::sum_points<G>(tiny, bases, list, *this->stream_), Error);
    }
}

TYPED_TEST(PointSumDeviceTest, NothingIsInfinity) {
    EXPECT_TRUE(gpu::sum_points<TypeParam>(*this->arena_, {nullptr, 5}, {}, *this->stream_).is_infinity());
}

}  // namespace
}  // namespace cuzk::testing_gpu
