// The engine on several emulated GPUs: every proof is verified, whatever happens to the devices.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "emulated.hpp"
#include "engine/circuit_work.hpp"
#include "engine/devices.hpp"
#include "engine/engine.hpp"
#include "engine/fakes.hpp"
#include "formats/proof_bytes.hpp"
#include "formats/snarkjs_json.hpp"
#include "gpu/devices.hpp"
#include "groth16/verifier.hpp"

namespace cuzk::engine {
namespace {

const std::string kCircuit = "chain30-bls12381";

std::string data(const std::string& name) {
    return std::string(CUZK_TEST_DATA_DIR) + "/" + kCircuit + "/" + name;
}

class EngineOnDevices : public ::testing::Test {
protected:
    ~EngineOnDevices() override {
        engine_.reset();
        emulated::set_devices({{}, {}});
    }

    void start(const std::vector<emulated::DeviceModel>& devices, DeviceChoice choice) {
        emulated::set_devices(devices);
        CircuitRegistry registry;
        registry.add({kCircuit, data("circuit.zkey"), "", false});
        EngineConfig config = fakes::small_config();
        config.host_budget = u64{4} << 30;
        engine_ = std::make_unique<Engine>(
            std::move(config),
            make_circuit_workload(std::move(registry), std::make_unique<fakes::FakeWorkload>(world_)),
            make_devices(choice));
    }
    std::vector<std::string> submit(int jobs) {
        const ByteSource witness = ByteSource::open(data("witness.wtns"));
        std::vector<std::string> ids;
        for (int i = 0; i < jobs; ++i) {
            JobRequest request;
            request.request_id = "job " + std::to_string(i);
            request.content = CircuitRequest{
                kCircuit, CircuitRequest::Encoding::kWtns, {witness.bytes.begin(), witness.bytes.end()}};
            ids.push_back(engine_->submit(request).job_id);
        }
        return ids;
    }
    void expect_proofs(const std::vector<std::string>& ids) {
        const Verifier<Bls12_381> verifier(read_vk_json<Bls12_381>(ByteSource::open(data("vkey.json"))));
        const auto inputs = read_public_json<Bls12_381>(ByteSource::open(data("public.json")));
        for (const std::string& id : ids) {
            const JobResult result = fakes::finish(*engine_, id);
            ASSERT_EQ(result.state, JobState::kCompleted) << result.error;
            EXPECT_TRUE(
                verifier.verify(read_proof_bytes(ByteSource::borrow(id, result.proof)).at(0), inputs));
        }
    }
    u64 proofs_of(std::size_t device) const { return engine_->status().devices.at(device).partitions_done; }

    fakes::World world_;
    std::unique_ptr<Engine> engine_;
};

TEST_F(EngineOnDevices, AllTakePart) {
    start({{}, {}}, {.names = {}, .allow_cpu = false});
    ASSERT_EQ(engine_->status().devices.size(), 2u);
    engine_->preload(kCircuit);
    // One of them has the key from the other.
    EXPECT_GT(emulated::bytes_from_peers(0) + emulated::bytes_from_peers(1), 0u);
    expect_proofs(submit(16));
    EXPECT_GT(proofs_of(0), 0u);
    EXPECT_GT(proofs_of(1), 0u);
}

TEST_F(EngineOnDevices, OneThatFailsUnderLoadIsRetiredAndEveryJobEnds) {
    for (const int lost : {1, 0}) {
        start({{}, {}}, {.names = {}, .allow_cpu = false});
        engine_->preload(kCircuit);
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
    engine_->preload(kCircuit);
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
