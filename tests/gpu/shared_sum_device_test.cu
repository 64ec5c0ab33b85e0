// Sums over several devices.
#include "gpu/shared_sum.cuh"

#include "gpu/fault_injection.hpp"
#include "gpu/msm_device_test.hpp"

namespace cuzk::testing_gpu {
namespace {

template <class G>
class SharedSumDeviceTest : public MsmDeviceTest<G> {
protected:
    void SetUp() override {
        MsmDeviceTest<G>::SetUp();
        if (gpu::list_devices().size() < 2) GTEST_SKIP() << "one device is too few";
    }
    struct Sum {
        gpu::DeviceSpan<const Affine<G>> bases;
        gpu::DeviceSpan<const typename G::Scalar::Int> scalars;
        Jacobian<G> expected;
    };
    Sum thousand() {
        const auto points = this->points_of(1000);
        const auto scalars = this->uniform_scalars(1000, 5);
        return {this->upload_constant(points.points), this->upload_constant(scalars),
                testing_msm::expected<G>(points, scalars)};
    }
    void TearDownDevices() {
        this->stream_.reset();
        this->arena_.reset();
        this->current_.reset();
    }
    static std::vector<int> others() {
        std::vector<int> devices;
        for (const auto& device : gpu::list_devices())
            if (device.index != gpu::list_devices().front().index) devices.push_back(device.index);
        return devices;
    }
    // Whether the calling thread works for a helper.
    static bool helps() {
        int current = 0;
        gpu::check(cudaGetDevice(&current), "cudaGetDevice");
        return current != gpu::list_devices().front().index;
    }
};
TYPED_TEST_SUITE(SharedSumDeviceTest, Groups);

TYPED_TEST(SharedSumDeviceTest, AllSizesAgree) {
    using G = TypeParam;
    for (const std::size_t n : sizes_up_to(5000, {1, 2, 3, 4, 33, 1000, 5000, 100001, (1 << 20) + 1})) {
        const gpu::Arena::Scope scope(*this->arena_);
        const auto points = this->points_of(n);
        const auto scalars = this->uniform_scalars(n, n);
        const auto bases = this->upload_constant(points.points);
        gpu::SharedSum<G> sum(bases, this->arena_->device(), this->others());
        EXPECT_EQ(sum.helpers(), n > this->others().size() ? this->others().size() : 0) << n;
        const auto digits = this->upload_constant(scalars);
        for (int round = 0; round < 2; ++round)
            EXPECT_EQ(sum(*this->arena_, digits, *this->stream_), testing_msm::expected<G>(points, scalars))
                << n;
    }
}

TYPED_TEST(SharedSumDeviceTest, AHelperThatFailsIsLeftOut) {
    using G = TypeParam;
    const auto [bases, digits, expected] = this->thousand();
    gpu::SharedSum<G> sum(bases, this->arena_->device(), this->others());
    {
        const gpu::FaultInjection fault([&](gpu::FaultPoint point, const char* what) {
            if (point == gpu::FaultPoint::kLaunch && this->helps())
                throw gpu::DeviceLost(std::string("injected at ") + what);
        });
        EXPECT_EQ(sum(*this->arena_, digits, *this->stream_), expected);
    }
    EXPECT_EQ(sum.helpers(), 0u);
    for (const int device : this->others()) EXPECT_EQ(sum.bytes_on(device), 0u);
    EXPECT_EQ(sum(*this->arena_, digits, *this->stream_), expected);
}

#if defined(CUZK_EMULATED_DEVICE)
TYPED_TEST(SharedSumDeviceTest, TheSumGoesOnWhenAHelpersDeviceIsGone) {
    using G = TypeParam;
    const auto [bases, digits, expected] = this->thousand();
    {
        gpu::SharedSum<G> sum(bases, this->arena_->device(), this->others());
        emulated::lose_device(this->others().front());
        for (int round = 0; round < 2; ++round)
            EXPECT_EQ(sum(*this->arena_, digits, *this->stream_), expected) << round;
        // Nor does it begin with one that is gone.
        gpu::SharedSum<G> another(bases, this->arena_->device(), this->others());
        EXPECT_EQ(another.helpers(), 0u);
        EXPECT_EQ(another(*this->arena_, digits, *this->stream_), expected);
    }
    this->TearDownDevices();
    emulated::set_devices({{}, {}});
}
#endif

TYPED_TEST(SharedSumDeviceTest, AHelperWithoutRoomIsLeftOut) {
    using G = TypeParam;
    const auto points = this->points_of(100);
    const auto scalars = this->uniform_scalars(100, 6);
    const auto bases = this->upload_constant(points.points);
    const auto digits = this->upload_constant(scalars);
    const auto full = [&](gpu::FaultPoint point, const char* what) {
        if (point == gpu::FaultPoint::kAllocation && this->helps()) throw gpu::OutOfDeviceMemory(what);
    };
    std::optional<gpu::FaultInjection> fault;
    fault.emplace(full);
    gpu::SharedSum<G> sum(bases, this->arena_->device(), this->others());
    fault.reset();
    EXPECT_EQ(sum.helpers(), 0u);
    EXPECT_EQ(sum(*this->arena_, digits, *this->stream_), testing_msm::expected<G>(points, scalars));
    EXPECT_THROW(sum(*this->arena_, digits.first(99), *this->stream_), Error);
}

}  // namespace
}  // namespace cuzk::testing_gpu
