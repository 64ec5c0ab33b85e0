// The engine on the cards of this machine: one that fails under load costs no job. The emulated devices of tests/gpu/emulated show
// more of it, everywhere.
#include <cuda_runtime.h>

#include <atomic>

#include "engine/engine_on_devices.hpp"
#include "gpu/devices.hpp"
#include "gpu/emulated_sizes.hpp"
#include "gpu/fault_injection.hpp"

namespace cuzk::engine {
namespace {

class EngineOnCards : public fakes::EngineOnDevices {
protected:
    void SetUp() override {
        if (gpu::list_devices().size() < 2) GTEST_SKIP() << "one device is too few";
    }
};

TEST_F(EngineOnCards, AllTakePart) {
    start({.names = {}, .allow_cpu = false});
    engine_->preload(fakes::kRegistered);
    expect_proofs(submit(testing_gpu::sized(64, 16)));
    for (std::size_t d = 0; d < gpu::list_devices().size(); ++d) EXPECT_GT(proofs_of(d), 0u) << d;
}

TEST_F(EngineOnCards, OneThatFailsUnderLoadIsRetiredAndEveryJobEnds) {
    for (const int lost : {1, 0}) {
        std::atomic<bool> fails = false;
        const gpu::FaultInjection fault([&](gpu::FaultPoint point, const char* what) {
            int device = 0;
            if (!fails || point != gpu::FaultPoint::kLaunch || cudaGetDevice(&device) != cudaSuccess) return;
            if (device == lost) throw gpu::DeviceLost(std::string("injected at ") + what);
        });
        start({.names = {}, .allow_cpu = false});
        engine_->preload(fakes::kRegistered);
        const auto ids = submit(testing_gpu::sized(200, 24));
        const auto index = static_cast<std::size_t>(lost);
        ASSERT_TRUE(fakes::eventually([&] { return proofs_of(index) >= 2; }));
        fails = true;
        expect_proofs(ids);
        const EngineStatus status = engine_->status();
        EXPECT_TRUE(status.devices.at(index).retired);
        EXPECT_NE(status.devices.at(index).retired_reason.find("injected"), std::string::npos);
        EXPECT_FALSE(status.devices.at(1 - index).retired);
        engine_.reset();
    }
}

}  // namespace
}  // namespace cuzk::engine
