// The engine on the real proving path: Filecoin's smallest WindowPoSt, on the processor.
#include <gtest/gtest.h>

#include <atomic>

#include "../filecoin/oracle.hpp"
#include "engine/backend_device.hpp"
#include "engine/engine.hpp"
#include "fakes.hpp"
#include "filecoin/params/store.hpp"
#include "filecoin/prove/prove.hpp"
#include "groth16/cpu_backend.hpp"

namespace cuzk::engine {
namespace {

namespace oracle = filecoin::oracle;
using fakes::TemporaryFolder;
using Kind = AwaitResult::Kind;

EngineConfig real_config() {
    EngineConfig config;
    config.params_folder = (oracle::folder() / "params").string();
    config.host_budget = u64{4} << 30;
    return config;
}

std::vector<DeviceSpec> cpu() {
    return {{make_backend_device("cpu", std::make_shared<CpuBackend<Bls12_381>>()), false}};
}

JobRequest oracle_request(const char* folder) {
    JobRequest request;
    request.content =
        RawRequest{oracle::read_file(oracle::folder() / folder / "request.json"), "request.json"};
    return request;
}

bool verifies(const char* folder, const std::vector<u8>& proof,
              const std::string& params = (oracle::folder() / "params").string()) {
    const filecoin::ProofJob job =
        filecoin::prepare(filecoin::parse_request(
                              oracle::read_file(oracle::folder() / folder / "request.json"), "request.json"),
                          "request.json");
    const Verifier<Bls12_381> verifier(filecoin::load_vk(params, job.circuit, job.shape));
    return filecoin::verify_job(job, verifier, proof, "proof");
}

// Under the sanitizers the other tests show what there is to see; these would take minutes.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SKIP_MINUTES_OF_ARITHMETIC() GTEST_SKIP() << "minutes of arithmetic under a sanitizer"
#else
#define SKIP_MINUTES_OF_ARITHMETIC() static_cast<void>(0)
#endif

// How a program uses the engine as a library.
TEST(FilecoinEngine, InProcessUse) {
    CUZK_NEED_ORACLE();
    const auto engine = make_filecoin_engine(real_config(), cpu());
    engine->preload("wpost-2k");

    const Ticket ticket = engine->submit(oracle_request("wpost-2KiB"));
    const AwaitResult answer = engine->await(ticket.job_id);

    ASSERT_EQ(answer.kind, Kind::kDone);
    ASSERT_EQ(answer.result.state, JobState::kCompleted) << answer.result.error;
    EXPECT_EQ(answer.result.proof.size(), 192u);
    EXPECT_TRUE(verifies("wpost-2KiB", answer.result.proof));
}

TEST(FilecoinEngine, TwoPartitionsInOrderAndAllOfTheStatus) {
    CUZK_NEED_ORACLE();
    const auto engine = make_filecoin_engine(real_config(), cpu());
    const Ticket ticket = engine->submit(oracle_request("wpost-2KiB-3sectors"));
    const AwaitResult answer = engine->await(ticket.job_id);
    ASSERT_EQ(answer.result.state, JobState::kCompleted) << answer.result.error;
    EXPECT_EQ(answer.result.proof.size(), 384u);
    EXPECT_TRUE(verifies("wpost-2KiB-3sectors", answer.result.proof));
    EXPECT_GT(answer.result.timings.key_load, 0u);
    EXPECT_GT(answer.result.timings.gpu_compute, 0u);
    EXPECT_GE(answer.result.timings.total, answer.result.timings.queue_wait);

    const EngineStatus status = engine->status();
    ASSERT_EQ(status.keys.size(), 1u);
    EXPECT_EQ(status.keys[0].circuit_id, "wpost-2k");
    EXPECT_GT(status.keys[0].key_bytes, u64{10} << 20);
    EXPECT_TRUE(status.keys[0].evictable);
    EXPECT_EQ(status.completed, 1u);
    EXPECT_EQ(status.completed_by_kind[kind_index(JobKind::kWindowPost)], 1u);
    EXPECT_EQ(status.devices[0].partitions_done, 2u);
    EXPECT_GT(status.devices[0].busy_share, 0.0);
    EXPECT_NE(engine->timeline().chrome_trace().find("\"msm a\""), std::string::npos);

    const Engine::EvictResult evicted = engine->evict("wpost-2k");
    EXPECT_TRUE(evicted.was_loaded);
    EXPECT_GT(evicted.freed_bytes, u64{10} << 20);
    EXPECT_FALSE(engine->evict("wpost-2k").was_loaded);
    EXPECT_TRUE(engine->status().keys.empty());
    for (const MemoryStatus& space : engine->status().memory) EXPECT_EQ(space.used, 0u) << space.space;
}

// Gives a wrong proof now and then: another valid point in place of the right one.
class FaultyBackend final : public Backend<Bls12_381> {
public:
    explicit FaultyBackend(int wrong_proofs) : wrong_left_(wrong_proofs) {}
    std::string name() const override { return "faulty"; }
    KeyHandle load(std::shared_ptr<const ProvingKey<Bls12_381>> key, Progress* progress) override {
        return real_.load(std::move(key), progress);
    }
    void evict(KeyHandle handle) override { real_.evict(handle); }
    Proof<Bls12_381> prove(KeyHandle handle, std::span<const Fr> z, const Blinding<Fr>& blinding,
                           const ProveMonitor& monitor) override {
        return spoil(real_.prove(handle, z, blinding, monitor));
    }
    Proof<Bls12_381> prove(KeyHandle handle, const Assignment<Fr>& assignment, const Blinding<Fr>& blinding,
                           const ProveMonitor& monitor) override {
        return spoil(real_.prove(handle, assignment, blinding, monitor));
    }
    Proof<Bls12_381> prove(KeyHandle handle, const CompactWitness<Fr>& witness, const Blinding<Fr>& blinding,
                           const ProveMonitor& monitor) override {
        return spoil(real_.prove(handle, witness, blinding, monitor));
    }
    std::vector<MemoryReport> memory() const override { return real_.memory(); }

private:
    Proof<Bls12_381> spoil(Proof<Bls12_381> proof) {
        if (wrong_left_.fetch_sub(1) > 0) proof.c = proof.a;
        return proof;
    }
    CpuBackend<Bls12_381> real_;
    std::atomic<int> wrong_left_;
};

TEST(FilecoinEngine, AWrongProofIsMadeAgainAndNeverLeaves) {
    CUZK_NEED_ORACLE();
    SKIP_MINUTES_OF_ARITHMETIC();
    const auto engine = make_filecoin_engine(
        real_config(), {{make_backend_device("cpu", std::make_shared<FaultyBackend>(1)), false}});
    const Ticket ticket = engine->submit(oracle_request("wpost-2KiB-3sectors"));
    const AwaitResult answer = engine->await(ticket.job_id);
    ASSERT_EQ(answer.result.state, JobState::kCompleted) << answer.result.error;
    EXPECT_TRUE(verifies("wpost-2KiB-3sectors", answer.result.proof));
    EXPECT_EQ(engine->metrics().total("cuzk_selfcheck_failures_total"), 1);
    // Only the bad partition was proved twice.
    EXPECT_EQ(engine->metrics().total("cuzk_partitions_proved_total"), 2);
    EXPECT_EQ(
        engine->status().jobs.at(0).partition[0].attempts + engine->status().jobs.at(0).partition[1].attempts,
        3u);
}

TEST(FilecoinEngine, BadInputFailsWithItsReasonAndWithoutADevice) {
    CUZK_NEED_ORACLE();
    const auto engine = make_filecoin_engine(real_config(), cpu());
    auto content = filecoin::parse_request(
        oracle::read_file(oracle::folder() / "wpost-2KiB" / "request.json"), "request.json");
    content.vanilla_proofs[0][100] ^= 1;
    content.request_id = "bad";
    JobRequest request;
    request.content = content;
    const AwaitResult answer = engine->await(engine->submit(std::move(request)).job_id);
    EXPECT_EQ(answer.result.state, JobState::kFailed);
    EXPECT_NE(answer.result.error.find("bad: vanilla proof 0"), std::string::npos) << answer.result.error;
    EXPECT_EQ(answer.result.timings.gpu_compute, 0u);
    EXPECT_EQ(engine->metrics().total("cuzk_key_loads_total"), 0);

    JobRequest raw;
    raw.content = RawRequest{{'{'}, "broken.json"};
    EXPECT_THROW(engine->submit(std::move(raw)), Error);
}

// Clients number the partitions of a deadline; a request holds one of them, whatever its number is.
TEST(FilecoinEngine, Defect5AnyPartitionIndexIsProved) {
    CUZK_NEED_ORACLE();
    const auto engine = make_filecoin_engine(real_config(), cpu());
    auto content = filecoin::parse_request(
        oracle::read_file(oracle::folder() / "wpost-2KiB" / "request.json"), "request.json");
    content.partition_index = 3;
    JobRequest request;
    request.content = content;
    const AwaitResult answer = engine->await(engine->submit(std::move(request)).job_id);
    ASSERT_EQ(answer.result.state, JobState::kCompleted) << answer.result.error;
    EXPECT_TRUE(verifies("wpost-2KiB", answer.result.proof));
}

// Two kinds at once under development parameters: each with its own key, both loaded when first needed.
TEST(FilecoinEngine, KindsSideBySide) {
    CUZK_NEED_ORACLE();
    SKIP_MINUTES_OF_ARITHMETIC();
    const TemporaryFolder folder;
    SeededRandom random(7);
    const filecoin::SectorShape shape = filecoin::sector_shape(2048);
    filecoin::generate_params(folder.path(), filecoin::CircuitKind::kWinningPost, shape, random);
    filecoin::generate_params(folder.path(), filecoin::CircuitKind::kWindowPost, shape, random);
    EngineConfig config = real_config();
    config.params_folder = folder.path();
    const auto engine = make_filecoin_engine(config, cpu());
    std::vector<std::pair<const char*, Ticket>> jobs;
    for (const char* name : {"wpost-2KiB-3sectors", "winning-2KiB", "wpost-2KiB"})
        jobs.emplace_back(name, engine->submit(oracle_request(name)));
    for (const auto& [name, ticket] : jobs) {
        const AwaitResult answer = engine->await(ticket.job_id);
        ASSERT_EQ(answer.result.state, JobState::kCompleted) << name << ": " << answer.result.error;
        EXPECT_TRUE(verifies(name, answer.result.proof, folder.path())) << name;
    }
    EXPECT_EQ(engine->status().keys.size(), 2u);
}

TEST(FilecoinEngine, MissingParametersAreNamed) {
    CUZK_NEED_ORACLE();
    const auto engine = make_filecoin_engine(real_config(), cpu());
    const AwaitResult answer = engine->await(engine->submit(oracle_request("winning-2KiB")).job_id);
    EXPECT_EQ(answer.result.state, JobState::kFailed);
    EXPECT_EQ(answer.result.error_kind, ErrorKind::kEnvironment);
    EXPECT_NE(answer.result.error.find(".params"), std::string::npos) << answer.result.error;
    EXPECT_THROW(engine->preload("winning-2k"), Error);
    EXPECT_THROW(engine->preload("winning-3k"), Error);
}

}  // namespace
}  // namespace cuzk::engine
