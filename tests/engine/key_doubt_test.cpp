// Keys under doubt, failed loads and devices that step in: whom it concerns, and whom not.
#include <gtest/gtest.h>

#include <fstream>

#include "../filecoin/oracle.hpp"
#include "engine/backend_device.hpp"
#include "engine/filecoin_work.hpp"
#include "engine/key_cache_keeper.hpp"
#include "engine/key_store.hpp"
#include "fakes.hpp"
#include "filecoin/params/store.hpp"
#include "groth16/cpu_backend.hpp"
#include "groth16/fixtures.hpp"

namespace cuzk::engine {
namespace {

using namespace fakes;
namespace fs = std::filesystem;
namespace oracle = filecoin::oracle;

constexpr filecoin::CircuitKind kKind = filecoin::CircuitKind::kWindowPost;
const filecoin::SectorShape& shape() {
    static const filecoin::SectorShape the_shape = filecoin::sector_shape(2048);
    return the_shape;
}

// The network's parameters of the smallest WindowPoSt in a folder that may be written, with a cache beside them.
class KeyDoubt : public ::testing::Test {
protected:
    void SetUp() override {
        if (!oracle::present()) GTEST_SKIP() << "no " << oracle::folder();
        const auto shared = (oracle::folder() / "params").string();
        for (const auto& path :
             {filecoin::params_path(shared, kKind, shape()), filecoin::vk_path(shared, kKind, shape())})
            fs::copy_file(path, fs::path(folder_.path()) / fs::path(path).filename());
        ASSERT_EQ(filecoin::make_key_cache(beside_, kKind, shape()).outcome,
                  filecoin::KeyCacheOutcome::kMade);
    }
    const TemporaryFolder folder_, other_;
    const filecoin::KeyCacheFolders beside_{folder_.path(), ""};
};

bool key_was_bad(ResidentKey& key, const Witness& witness) {
    try {
        key.prove(witness, {});
    } catch (const DeviceError& e) {
        return e.fault() == DeviceFault::kBadKey;
    }
    return false;
}

// The first proof that does not verify costs no search for the reason.
TEST(PlainWitness, SaysWhyAtTheSecondFailure) {
    using C = Bls12_381;
    const auto circuit = test::random_circuit<C::Fr>(60, 2, 5);
    ProvingKey<C> key = *test::with_circuit(*test::make_key<C>(KeyFamily::kBellman, circuit.r1cs, 8),
                                            test::instanced(circuit));
    std::vector<Affine<C::G1>> points(key.h.size());
    for (std::size_t i = 0; i < points.size(); ++i)
        points[i] = {key.h[i].x, key.h[i].y + C::G1::Field::one()};
    key.h = AffineView<C::G1>(std::span<const Affine<C::G1>>(points));
    CpuBackend<C> backend;
    Prover<C> prover(backend, std::make_shared<const ProvingKey<C>>(key));
    const PlainWitness<C, CompactWitness<C::Fr>> witness(test::compact(circuit));
    const auto message = [&] {
        try {
            witness.prove(prover, {});
        } catch (const Error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    const std::string first = message(), second = message();
    EXPECT_NE(first.find("does not verify"), std::string::npos) << first;
    EXPECT_EQ(first.find("H query"), std::string::npos) << first;
    EXPECT_NE(second.find("point 0 of the H query"), std::string::npos) << second;
}

// Proofs that began under the damaged key fail late: while its successor is sought, and after it was opened.
TEST_F(KeyDoubt, AProofUnderAnEarlierKeySaysNothingAboutTheKeyNow) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "minutes of arithmetic under a sanitizer";
#endif
    const std::string path = filecoin::key_cache_path(beside_, kKind, shape());
    const std::vector<u8> sound = oracle::read_file(path);
    const u64 at = KeyCacheFile(ByteSource::open(path)).queries()[0].offset;
    for (const KeyCaches mode : {KeyCaches::kUse, KeyCaches::kMake}) {
        std::vector<u8> bytes = sound;
        bytes[at + 96 * 7] ^= 1;  // of the eighth point of H
        fs::remove(path);
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        const auto workload = make_filecoin_workload(folder_.path(), mode);
        const std::shared_ptr<Circuit> circuit = workload->load_circuit("wpost-2k");
        circuit->open_key(nullptr);
        const auto device = make_backend_device("cpu", std::make_shared<CpuBackend<Bls12_381>>());
        const auto old = device->load(circuit, KeyTier::kMapped, nullptr);
        const auto request = oracle::read_file(oracle::folder() / "wpost-2KiB" / "request.json");
        const auto job = workload->prepare(filecoin::parse_request(request, "request"), "request");
        const auto witness = job->synthesise(0, *circuit);

        EXPECT_TRUE(key_was_bad(*old, *witness));
        circuit->seek_key(nullptr, {});
        const u64 in_host = circuit->host_key_bytes();
        EXPECT_EQ(in_host == 0, mode == KeyCaches::kMake);
        EXPECT_TRUE(key_was_bad(*old, *witness));
        EXPECT_EQ(circuit->host_key_bytes(), in_host);
        circuit->open_key(nullptr);
        EXPECT_TRUE(key_was_bad(*old, *witness));
        EXPECT_EQ(circuit->host_key_bytes(), in_host);
        if (mode == KeyCaches::kMake) {
            EXPECT_EQ(oracle::read_file(path).size(), sound.size());
        }
        EXPECT_NO_THROW(device->load(circuit, KeyTier::kMapped, nullptr)->prove(*witness, {}));
    }
}

TEST_F(KeyDoubt, ACacheThatOthersMadeIsLeftAloneAndAnotherMade) {
    KeyCacheKeeper keeper({folder_.path(), other_.path()}, KeyCaches::kMake);
    const auto found = keeper.find(kKind, shape());
    ASSERT_TRUE(found);
    const std::string theirs = found->source().name;
    keeper.reject(kKind, shape(), *found, "it is wrong");
    EXPECT_TRUE(fs::exists(theirs));
    EXPECT_FALSE(keeper.find(kKind, shape()));

    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_FALSE(keeper.make_now(kKind, shape(), nullptr, stopped.get_token()));
    const std::string ours = filecoin::key_cache_path({folder_.path(), other_.path()}, kKind, shape());
    EXPECT_FALSE(fs::exists(ours));

    const auto made = keeper.make_now(kKind, shape(), nullptr, {});
    ASSERT_TRUE(made);
    EXPECT_EQ(made->source().name, ours);
    keeper.reject(kKind, shape(), *made, "it is wrong");
    EXPECT_FALSE(fs::exists(ours));
}

// A backend that says what keys take of a device's memory, and proves nothing.
class TellingBackend final : public Backend<Bls12_381> {
public:
    using Key = ProvingKey<Bls12_381>;
    using Values = Bls12_381Fr;
    u64 each = 0;  // taken by the next key
    std::string name() const override { return "telling"; }
    KeyHandle load(std::shared_ptr<const Key>, Progress*) override {
        keys_ += each;
        return {};
    }
    void evict(KeyHandle) override {}
    Proof<Bls12_381> prove(KeyHandle, std::span<const Values>, const Blinding<Values>&,
                           const ProveMonitor&) override {
        return {};
    }
    Proof<Bls12_381> prove(KeyHandle, const Assignment<Values>&, const Blinding<Values>&,
                           const ProveMonitor&) override {
        return {};
    }
    Proof<Bls12_381> prove(KeyHandle, const CompactWitness<Values>&, const Blinding<Values>&,
                           const ProveMonitor&) override {
        return {};
    }
    std::vector<MemoryReport> memory() const override { return {{"device 0", keys_, 0, 0}}; }

private:
    u64 keys_ = 0;
};

TEST_F(KeyDoubt, AKeyIsHotWhereItsPointsAreOnTheDeviceNotItsTablesAlone) {
    const std::shared_ptr<Circuit> circuit = make_filecoin_workload(folder_.path())->load_circuit("wpost-2k");
    circuit->open_key(nullptr);
    const auto backend = std::make_shared<TellingBackend>();
    const auto device = make_backend_device("fake", backend, u64{1} << 30);
    backend->each = circuit->key_bytes() + 1000;
    const auto first = device->load(circuit, KeyTier::kHot, nullptr);
    EXPECT_EQ(first->tier(), KeyTier::kHot);
    backend->each = 1000;  // streamed, beside one that is not
    EXPECT_EQ(device->load(circuit, KeyTier::kHot, nullptr)->tier(), KeyTier::kMapped);
}

// A young idle key gives way to one that must be read into memory now.
TEST(KeyReopening, IdleKeysMakeRoomHoweverYoung) {
    World world;
    world.circuits["wpost-32g"] = {1000, u64{60} << 20, true};
    CircuitSizes& sizes = world.circuits["porep-32g"];
    sizes.key = u64{50} << 20;
    sizes.in_host_when_sought = true;
    const auto engine = make_engine(world, small_config(), {}, damaged_key(1));
    engine->preload("wpost-32g");
    const ProofRequest r = content(ProofKind::kPorepSealCommit, "porep-32g", 1);
    const JobResult result = finish(*engine, engine->submit(request(r)).job_id);
    EXPECT_EQ(text(result.proof), whole_proof(r)) << result.error;
    EXPECT_FALSE(engine->evict("wpost-32g").was_loaded);
}

// Copies in page-locked memory count as what is needed: a load without room beside them waits outside the planner's queue,
// where it would hold up the very work that keeps them.
TEST(KeyRoom, PinnedCopiesOfNeededKeysCount) {
    World world;
    world.prove_delay = world.synthesis_delay = 5ms;
    EngineConfig config = small_config();
    config.host_budget = 1'000'000;
    world.circuits["porep-32g"] = {1000, 400'000, false};
    world.circuits["wpost-32g"] = {1000, 500'000, true};
    const auto engine = make_engine(world, config, {{std::make_shared<FakeDevice>(world, 0, 5000), false}});
    const ProofRequest first = content(ProofKind::kPorepSealCommit, "porep-32g", 30);
    const ProofRequest second = content(ProofKind::kPorepSealCommit, "wpost-32g", 2, 2);
    const std::string a = engine->submit(request(first)).job_id;
    EXPECT_TRUE(eventually([&] { return world.log.count("prove " + partition_proof(first, 0)) == 1; }));
    const std::string b = engine->submit(request(second)).job_id;
    EXPECT_EQ(text(finish(*engine, a).proof), whole_proof(first));
    EXPECT_EQ(text(finish(*engine, b).proof), whole_proof(second));
}

// The device that steps in needs more host memory for a proof. If that is there when other keys go, they take turns; if it never
// is, the jobs end and say so.
TEST(KeyRoom, WhatADeviceThatStepsInNeedsIsKeptFreeOrTheJobsFail) {
    for (const u64 more : {u64{200'000}, u64{700'000}}) {
        World world;
        EngineConfig config = small_config();
        config.host_budget = 1'000'000;
        for (const char* id : {"porep-32g", "wpost-32g"}) world.circuits[id] = {1000, 300'000, true};
        const auto processor = std::make_shared<FakeDevice>(world, 1);
        processor->more_host_working = more;
        const auto engine =
            make_engine(world, config, {{std::make_shared<FakeDevice>(world, 0), false}, {processor, true}},
                        std::make_shared<Script>([&](FaultPoint point, auto&&, i64, i64 device) {
                            if (point == FaultPoint::kDeviceProve && device == 0)
                                throw DeviceError(DeviceFault::kLost, "gone");
                        }));
        const ProofKind kind = ProofKind::kPorepSealCommit;
        const std::string a = engine->submit(request(content(kind, "porep-32g", 4))).job_id;
        const std::string b = engine->submit(request(content(kind, "wpost-32g", 4, 2))).job_id;
        for (const std::string& id : {a, b}) {
            const JobResult result = finish(*engine, id);
            EXPECT_EQ(result.state, more < 600'000 ? JobState::kCompleted : JobState::kFailed)
                << result.error;
            if (result.state == JobState::kFailed) {
                EXPECT_EQ(result.error_kind, ErrorKind::kEnvironment);
                // A key that is on the host when the processor steps in is refused there; one that comes later does not fit at all.
                EXPECT_TRUE(result.error.find("beside the key") != std::string::npos ||
                            result.error.find("of which there are") != std::string::npos)
                    << result.error;
            }
        }
    }
}

// Who waits for a load that failed learns of it; that a device goes afterwards begins no other.
TEST(KeyLoads, ADeviceThatGoesRestartsNoFailedLoad) {
    World world;
    FakeWorkload workload(world);
    MemoryPlanner planner;
    const SpaceId host = planner.add_space("host", 1'000'000);
    Timeline timeline(1s, 10);
    MetricsRegistry metrics;
    KeyStore::Events events;
    events.changed = [](auto&&) {};
    events.targets = events.candidates = [] { return std::vector<u32>{0}; };
    std::atomic<int> loads = 0;
    Script counted([&](FaultPoint, auto&&, i64, i64) {
        ++loads;
        throw Error(ErrorKind::kEnvironment, "no file");
    });
    KeyStore store(workload, {std::make_shared<FakeDevice>(world, 0)}, planner, {host, host, {std::nullopt}},
                   0ms, timeline, metrics, &counted, std::move(events));
    const auto interest = store.want("porep-32g", WorkKey{});
    EXPECT_EQ(store.wait("porep-32g").state, KeyStore::State::kFailed);
    store.drop_device(1);
    EXPECT_EQ(store.ask("porep-32g").state, KeyStore::State::kFailed);
    EXPECT_FALSE(store.must_give_way("wpost-32g", WorkKey{}));
    store.close();
    EXPECT_EQ(loads, 1);
}

}  // namespace
}  // namespace cuzk::engine
