// The engine on several emulated GPUs: every proof is verified, whatever happens to the devices.
#include <gtest/gtest.h>

#include "emulated.hpp"
#include "engine/engine_on_devices.hpp"
#include "gpu/devices.hpp"

namespace cuzk::engine {
namespace {

using fakes::kRegistered;

class EngineOnDevices : public fakes::EngineOnDevices {
protected:
    ~EngineOnDevices() override {
        engine_.reset();
        emulated::set_devices({{}, {}});
    }

    void start(const std::vector<emulated::DeviceModel>& devices, const DeviceChoice& choice) {
        emulated::set_devices(devices);
        fakes::EngineOnDevices::start(choice);
    }
};

TEST_F(EngineOnDevices, AllTakePart) {
    start({{}, {}}, {.names = {}, .allow_cpu = false});
    ASSERT_EQ(engine_->status().devices.size(), 2u);
    engine_->preload(kRegistered);
    // One of them has the key from the other.
    EXPECT_GT(emulated::bytes_from_peers(0) + emulated::bytes_from_peers(1), 0u);
    expect_proofs(submit(16));
    EXPECT_GT(proofs_of(0), 0u);
    EXPECT_GT(proofs_of(1), 0u);
}

TEST_F(EngineOnDevices, OneThatFailsUnderLoadIsRetiredAndEveryJobEnds) {
    for (const int lost : {1, 0}) {
        start({{}, {}}, {.names = {}, .allow_cpu = false});
        engine_->preload(kRegistered);
        const auto ids = submit(24);
        ASSERT_TRUE(fakes::eventually([&] { return proofs_of(static_cast<std::size_t>(lost)) >= 2; }));
        emulated::lose_device(lost);
        expect_proofs(ids);
        EXPECT_TRUE(engine_->status().devices.at(static_cast<std::size_t>(lost)).retired);
        EXPECT_FALSE(engine_->status().devices.at(static_cast<std::size_t>(1 - lost)).retired);
        engine_.reset();
        EXPECT_EQ(emulated::bytes_in_use(0), 0u);
        EXPECT_EQ(emulated::bytes_in_use(1), 0u);
    }
}

TEST_F(EngineOnDevices, WhenAllAreLostTheProcessorProves) {
    start({{}, {}}, {.names = {}, .allow_cpu = true});
    engine_->preload(kRegistered);
    const auto ids = submit(12);
    ASSERT_TRUE(fakes::eventually([&] { return proofs_of(0) + proofs_of(1) >= 2; }));
    emulated::lose_device(0);
    emulated::lose_device(1);
    expect_proofs(ids);
    EXPECT_GT(proofs_of(2), 0u);
}

TEST_F(EngineOnDevices, OneCardAsTwoDevicesStaysWithinItsMemory) {
    const std::size_t memory = std::size_t{4} << 30;
    DeviceChoice choice;
    choice.allow_cpu = false;
    choice.parts = 2;
    start({{memory, 2}}, choice);
    const EngineStatus status = engine_->status();
    ASSERT_EQ(status.devices.size(), 2u);
    EXPECT_NE(status.devices[0].name, status.devices[1].name);
    expect_proofs(submit(16));
    EXPECT_GT(proofs_of(0), 0u);
    EXPECT_GT(proofs_of(1), 0u);
    EXPECT_LE(emulated::bytes_in_use(0), memory);
}

TEST_F(EngineOnDevices, DevicesAreNamedByUuid) {
    emulated::set_devices({{}, {}, {}});
    const std::string uuid = gpu::list_devices()[2].uuid;
    DeviceChoice choice;
    choice.names = {uuid};
    choice.allow_cpu = false;
    start({{}, {}, {}}, choice);
    ASSERT_EQ(engine_->status().devices.size(), 1u);
    EXPECT_NE(engine_->status().devices[0].name.find(uuid), std::string::npos);
    expect_proofs(submit(2));
}

}  // namespace
}  // namespace cuzk::engine
