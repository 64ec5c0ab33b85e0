// An engine on real devices or emulated ones that proves a registered circuit, and a verifier for all that it says.
#pragma once

#include <gtest/gtest.h>

#include "engine/circuit_work.hpp"
#include "engine/devices.hpp"
#include "engine/fakes.hpp"
#include "formats/proof_bytes.hpp"
#include "formats/snarkjs_json.hpp"
#include "groth16/verifier.hpp"

namespace cuzk::engine::fakes {

inline const std::string kRegistered = "chain30-bls12381";

class EngineOnDevices : public ::testing::Test {
protected:
    void start(const DeviceChoice& choice) {
        CircuitRegistry registry;
        registry.add({kRegistered, data("circuit.zkey"), "", false});
        EngineConfig config = small_config();
        config.host_budget = u64{4} << 30;
        engine_ = std::make_unique<Engine>(
            std::move(config),
            make_circuit_workload(std::move(registry), std::make_unique<FakeWorkload>(world_)),
            make_devices(choice));
    }
    std::vector<std::string> submit(int jobs) {
        const ByteSource witness = ByteSource::open(data("witness.wtns"));
        std::vector<std::string> ids;
        for (int i = 0; i < jobs; ++i) {
            JobRequest request;
            request.request_id = "job " + std::to_string(i);
            request.content = CircuitRequest{
                kRegistered, CircuitRequest::Encoding::kWtns, {witness.bytes.begin(), witness.bytes.end()}};
            ids.push_back(engine_->submit(request).job_id);
        }
        return ids;
    }
    void expect_proofs(const std::vector<std::string>& ids) {
        const Verifier<Bls12_381> verifier(read_vk_json<Bls12_381>(ByteSource::open(data("vkey.json"))));
        const auto inputs = read_public_json<Bls12_381>(ByteSource::open(data("public.json")));
        for (const std::string& id : ids) {
            const JobResult result = finish(*engine_, id);
            ASSERT_EQ(result.state, JobState::kCompleted) << result.error;
            EXPECT_TRUE(
                verifier.verify(read_proof_bytes(ByteSource::borrow(id, result.proof)).at(0), inputs));
        }
    }
    u64 proofs_of(std::size_t device) const { return engine_->status().devices.at(device).partitions_done; }

    World world_;
    std::unique_ptr<Engine> engine_;

private:
    static std::string data(const std::string& name) {
        return std::string(CUZK_TEST_DATA_DIR) + "/" + kRegistered + "/" + name;
    }
};

}  // namespace cuzk::engine::fakes
