// Devices, memory and proofs fail; jobs do not, as long as anything is left to prove on.
#include <gtest/gtest.h>

#include <random>

#include "fakes.hpp"

namespace cuzk::engine {
namespace {

using namespace fakes;
constexpr ProofKind kPorep = ProofKind::kPorepSealCommit;

// Throws what `next` makes for proofs on a device.
std::shared_ptr<Script> on_device(std::function<void(i64 partition, i64 device)> body) {
    return std::make_shared<Script>(
        [body = std::move(body)](FaultPoint point, const std::string&, i64 partition, i64 device) {
            if (point == FaultPoint::kDeviceProve) body(partition, device);
        });
}

std::vector<DeviceSpec> fakes_of(World& world, std::size_t n, bool with_fallback = false) {
    std::vector<DeviceSpec> out;
    for (u32 d = 0; d < n; ++d) out.push_back({std::make_shared<FakeDevice>(world, d), false});
    if (with_fallback) out.push_back({std::make_shared<FakeDevice>(world, static_cast<u32>(n)), true});
    return out;
}

TEST(EngineFaults, Defect20ALostDeviceIsRetiredAndItsPartitionProvedElsewhere) {
    World world;
    const auto engine =
        make_engine(world, small_config(), fakes_of(world, 2), on_device([](i64, i64 device) {
                        if (device == 0)
                            throw DeviceError(DeviceFault::kLost, "CUDA: launch: unspecified launch failure");
                    }));
    const ProofRequest r = content(kPorep, "porep-32g", 10);
    const JobResult result = finish(*engine, engine->submit(request(r)).job_id);
    EXPECT_EQ(text(result.proof), whole_proof(r)) << result.error;
    expect_at_rest(*engine);
    const EngineStatus s = engine->status();
    EXPECT_TRUE(s.devices[0].retired);
    EXPECT_NE(s.devices[0].retired_reason.find("unspecified launch failure"), std::string::npos);
    EXPECT_FALSE(s.devices[1].retired);
    EXPECT_EQ(s.devices[1].partitions_done, 10u);
    EXPECT_FALSE(s.recent_errors.empty());
    EXPECT_GE(engine->metrics().total("cuzk_partition_retries_total"), 1);
    expect_at_rest(*engine);
}

TEST(EngineFaults, TheProcessorStepsInWhereItMay) {
    for (const bool allowed : {true, false}) {
        World world;
        EngineConfig config = small_config();
        config.cpu_fallback = allowed;
        const auto engine =
            make_engine(world, config, fakes_of(world, 1, true), on_device([](i64, i64 device) {
                            if (device == 0) throw DeviceError(DeviceFault::kLost, "gone");
                        }));
        const ProofRequest r = content(kPorep, "porep-32g", 3);
        const JobResult result = finish(*engine, engine->submit(request(r)).job_id);
        const JobResult later =
            finish(*engine, engine->submit(request(content(kPorep, "porep-32g", 1, 2))).job_id);
        if (allowed) {
            EXPECT_EQ(text(result.proof), whole_proof(r)) << result.error;
            EXPECT_EQ(later.state, JobState::kCompleted);
        } else {
            EXPECT_EQ(result.state, JobState::kFailed);
            EXPECT_EQ(result.error_kind, ErrorKind::kEnvironment);
            EXPECT_NE(result.error.find("no device is left"), std::string::npos) << result.error;
            EXPECT_EQ(later.state, JobState::kFailed);
        }
        expect_at_rest(*engine);
    }
}

TEST(EngineFaults, OutOfMemoryShrinksTheConcurrencyAndTheProofIsMade) {
    World world;
    world.prove_delay = 2ms;
    const auto device = std::make_shared<FakeDevice>(world, 0, 0, false);
    std::atomic<int> failures = 0;
    // Two at once are too many for this device.
    const auto engine = make_engine(world, small_config(), {{device, false}}, on_device([&](i64, i64) {
                                        if (device->at_once >= 1) {
                                            ++failures;
                                            throw DeviceError(DeviceFault::kOutOfMemory, "out of memory");
                                        }
                                    }));
    const ProofRequest r = content(kPorep, "porep-32g", 30);
    const JobResult result = finish(*engine, engine->submit(request(r)).job_id);
    EXPECT_EQ(text(result.proof), whole_proof(r)) << result.error;
    EXPECT_GE(failures, 1);
    EXPECT_LE(failures, 4);
    EXPECT_EQ(engine->status().devices[0].concurrency, 1u);
    expect_at_rest(*engine);
}

TEST(EngineFaults, OutOfMemoryAloneGoesElsewhereAndBadAllocIsTheSame) {
    World world;
    const auto engine = make_engine(world, small_config(), fakes_of(world, 2), on_device([](i64, i64 device) {
                                        if (device == 0) throw std::bad_alloc();
                                    }));
    const ProofRequest r = content(kPorep, "porep-32g", 5);
    const JobResult result = finish(*engine, engine->submit(request(r)).job_id);
    EXPECT_EQ(text(result.proof), whole_proof(r)) << result.error;
    EXPECT_FALSE(engine->status().devices[0].retired);
    expect_at_rest(*engine);
}

TEST(EngineFaults, RetriesAreBounded) {
    World world;
    EngineConfig config = small_config();
    config.max_device_retries = 3;
    std::atomic<int> attempts = 0;
    const auto engine = make_engine(world, config, fakes_of(world, 1), on_device([&](i64, i64) {
                                        ++attempts;
                                        throw DeviceError(DeviceFault::kOutOfMemory, "never enough");
                                    }));
    const JobResult result = finish(*engine, engine->submit(request(content(kPorep, "porep-32g", 1))).job_id);
    EXPECT_EQ(result.state, JobState::kFailed);
    EXPECT_NE(result.error.find("never enough"), std::string::npos);
    EXPECT_EQ(attempts, 4);
    expect_at_rest(*engine);
}

TEST(EngineFaults, Defect19AWrongProofIsMadeAgainForEveryKindAndOnlyThatPartition) {
    for (const ProofKind kind : fakes::kFilecoinKinds) {
        World world;
        std::atomic<bool> failed = false;
        const auto engine =
            make_engine(world, small_config(), fakes_of(world, 1), on_device([&](i64 partition, i64) {
                            if (partition == 1 && !failed.exchange(true))
                                throw DeviceError(DeviceFault::kBadProof, "does not verify");
                        }));
        const ProofRequest r = content(kind, "porep-32g", 4);
        const Ticket ticket = engine->submit(request(r));
        EXPECT_EQ(text(finish(*engine, ticket.job_id).proof), whole_proof(r));
        EXPECT_EQ(engine->metrics().total("cuzk_selfcheck_failures_total"), 1);
        const auto job = engine->job(ticket.job_id);
        for (const PartitionStatus& p : job->partition) EXPECT_EQ(p.attempts, p.index == 1 ? 2u : 1u);
    }
}

TEST(EngineFaults, AProofThatNeverVerifiesFailsTheJob) {
    World world;
    const auto engine =
        make_engine(world, small_config(), fakes_of(world, 1), on_device([](i64 partition, i64) {
                        if (partition == 2) throw DeviceError(DeviceFault::kBadProof, "does not verify");
                    }));
    const JobResult result = finish(*engine, engine->submit(request(content(kPorep, "porep-32g", 4))).job_id);
    EXPECT_EQ(result.state, JobState::kFailed);
    EXPECT_TRUE(result.proof.empty());
    EXPECT_NE(result.error.find("partition 2"), std::string::npos) << result.error;
    EXPECT_EQ(engine->metrics().total("cuzk_selfcheck_failures_total"), 3);
    EXPECT_FALSE(engine->status().devices[0].retired);  // nothing says that it was the device
    expect_at_rest(*engine);
}

// Another device is there, but could not take the key: the one that failed is the only one that can try again.
TEST(EngineFaults, AWrongProofIsMadeAgainWhereTheOnlyKeyIs) {
    World world;
    std::atomic<bool> once = false;
    const auto engine = make_engine(world, small_config(), fakes_of(world, 2),
                                    std::make_shared<Script>([&](FaultPoint point, auto&&, i64, i64 device) {
                                        if (point == FaultPoint::kKeyLoad && device == 1)
                                            throw Error(ErrorKind::kEnvironment, "not here");
                                        if (point == FaultPoint::kDeviceProve && !once.exchange(true))
                                            throw DeviceError(DeviceFault::kBadProof, "does not verify");
                                    }));
    const ProofRequest r = content(kPorep, "porep-32g", 3);
    EXPECT_EQ(text(finish(*engine, engine->submit(request(r)).job_id).proof), whole_proof(r));
    expect_at_rest(*engine);
}

TEST(EngineFaults, ADeviceThatKeepsProvingWronglyIsRetired) {
    World world;
    world.prove_delay = 3ms;
    const auto engine = make_engine(world, small_config(), fakes_of(world, 2), on_device([](i64, i64 device) {
                                        if (device == 0)
                                            throw DeviceError(DeviceFault::kBadProof, "does not verify");
                                    }));
    for (u64 i = 0; i < 5; ++i) {
        const ProofRequest r = content(kPorep, "porep-32g", 8, i);
        EXPECT_EQ(text(finish(*engine, engine->submit(request(r)).job_id).proof), whole_proof(r));
    }
    EXPECT_TRUE(eventually([&] { return engine->status().devices[0].retired; }));
    EXPECT_FALSE(engine->status().devices[1].retired);
    expect_at_rest(*engine);
}

TEST(EngineFaults, SynthesisOutOfMemoryStartsAgain) {
    World world;
    std::atomic<int> left = 2;
    const auto engine = make_engine(world, small_config(), {},
                                    std::make_shared<Script>([&](FaultPoint point, auto&&, i64, i64) {
                                        if (point == FaultPoint::kSynthesis && left.fetch_sub(1) > 0)
                                            throw std::bad_alloc();
                                    }));
    const ProofRequest r = content(kPorep, "porep-32g", 4);
    EXPECT_EQ(text(finish(*engine, engine->submit(request(r)).job_id).proof), whole_proof(r));
    expect_at_rest(*engine);
}

TEST(EngineFaults, AFailedKeyLoadFailsItsJobsAndTheNextOneTriesAgain) {
    World world;
    std::atomic<int> left = 1;
    const auto engine = make_engine(
        world, small_config(), {}, std::make_shared<Script>([&](FaultPoint point, auto&&, i64, i64 device) {
            if (point == FaultPoint::kKeyLoad && device < 0 && left.fetch_sub(1) > 0) {
                std::this_thread::sleep_for(50ms);
                throw Error(ErrorKind::kEnvironment, "the disk is gone");
            }
        }));
    const Ticket a = engine->submit(request(content(kPorep, "porep-32g", 1, 1)));
    const Ticket b = engine->submit(request(content(kPorep, "porep-32g", 1, 2)));
    EXPECT_NE(finish(*engine, a.job_id).error.find("the disk is gone"), std::string::npos);
    EXPECT_NE(finish(*engine, b.job_id).error.find("the disk is gone"), std::string::npos);
    EXPECT_EQ(finish(*engine, engine->submit(request(content(kPorep, "porep-32g", 1, 3))).job_id).state,
              JobState::kCompleted);
    expect_at_rest(*engine);
}

TEST(EngineFaults, ADeviceLostWhileItTakesAKeyIsRetired) {
    World world;
    const auto engine = make_engine(world, small_config(), fakes_of(world, 2),
                                    std::make_shared<Script>([&](FaultPoint point, auto&&, i64, i64 device) {
                                        if (point == FaultPoint::kKeyLoad && device == 0)
                                            throw DeviceError(DeviceFault::kLost, "fell off the bus");
                                    }));
    EXPECT_EQ(finish(*engine, engine->submit(request(content(kPorep, "porep-32g", 3))).job_id).state,
              JobState::kCompleted);
    EXPECT_TRUE(engine->status().devices[0].retired);
    EXPECT_FALSE(engine->preload("wpost-32g").already_loaded);
    expect_at_rest(*engine);
}

TEST(EngineFaults, AKeyThatDoesNotFitIntoVideoMemoryIsTakenOneTierLower) {
    World world;
    const auto engine =
        make_engine(world, small_config(), {{std::make_shared<FakeDevice>(world, 0, 1'000'000), false}},
                    std::make_shared<Script>([&, n = 0](FaultPoint point, auto&&, i64, i64 device) mutable {
                        if (point == FaultPoint::kKeyLoad && device == 0 && n++ == 0)
                            throw DeviceError(DeviceFault::kOutOfMemory, "out of memory");
                    }));
    engine->preload("porep-32g");
    EXPECT_EQ(engine->status().keys.at(0).tier, KeyTier::kPinned);
}

TEST(EngineFaults, UnexpectedExceptionsAreOurBugAndEndOneJobOnly) {
    for (const FaultPoint stage :
         {FaultPoint::kDecode, FaultPoint::kKeyLoad, FaultPoint::kSynthesis, FaultPoint::kDeviceProve}) {
        World world;
        std::atomic<bool> once = false;
        const auto engine = make_engine(world, small_config(), {},
                                        std::make_shared<Script>([&](FaultPoint point, auto&&, i64, i64) {
                                            if (point == stage && !once.exchange(true))
                                                throw std::runtime_error("surprise");
                                        }));
        const JobResult result =
            finish(*engine, engine->submit(request(content(kPorep, "porep-32g", 2))).job_id);
        EXPECT_EQ(result.state, JobState::kFailed);
        EXPECT_EQ(result.error_kind, ErrorKind::kInternal);
        EXPECT_EQ(finish(*engine, engine->submit(request(content(kPorep, "porep-32g", 2, 2))).job_id).state,
                  JobState::kCompleted);
        expect_at_rest(*engine);
    }
}

// Everything at once: random faults, cancels and timeouts. Each job ends once, what completes is right, nothing is left over.
TEST(EngineFaults, Defect38NothingLeaksUnderRandomFaults) {
    World world;
    std::mutex mutex;
    std::mt19937 random(1);
    const auto below = [&](unsigned n) {
        const std::lock_guard lock(mutex);
        return random() % n;
    };
    EngineConfig config = small_config();
    config.host_budget = 200'000;
    config.max_request_bytes = u64{1} << 20;
    config.max_proof_retries = 50;
    config.max_device_retries = 50;
    for (const char* id : {"porep-2k", "porep-4k", "porep-8k"})
        world.circuits[id] = {1000, 30'000, true, 2000, 500, 5000, 0};
    const auto engine = make_engine(
        world, config, fakes_of(world, 3), std::make_shared<Script>([&](FaultPoint point, auto&&, i64, i64) {
            if (point == FaultPoint::kDeviceProve && below(6) == 0)
                throw DeviceError(below(2) == 0 ? DeviceFault::kBadProof : DeviceFault::kOutOfMemory,
                                  "chance");
            if (point == FaultPoint::kSynthesis && below(30) == 0) throw std::bad_alloc();
            if (point == FaultPoint::kSynthesis && below(60) == 0)
                throw Error(ErrorKind::kUnsatisfied, "bad luck");
            if (point == FaultPoint::kKeyLoad && below(20) == 0)
                throw Error(ErrorKind::kEnvironment, "no file");
        }));
    std::atomic<u64> ended = 0;
    {
        std::vector<std::jthread> threads;
        for (u64 t = 0; t < 8; ++t)
            threads.emplace_back([&, t] {
                for (u64 i = 0; i < 60; ++i) {
                    const ProofRequest r =
                        content(fakes::kFilecoinKinds[below(4)],
                                "porep-" + std::to_string(2 << below(3)) + "k", 1 + below(5), 1000 * t + i);
                    const Ticket ticket = engine->submit(request(
                        r, "", Priority::kUnspecified, below(10) == 0 ? Milliseconds(1 + below(20)) : 0ms));
                    if (below(8) == 0) engine->cancel(ticket.job_id);
                    const JobResult result = finish(*engine, ticket.job_id, 15s);
                    if (result.state == JobState::kCompleted) {
                        EXPECT_EQ(text(result.proof), whole_proof(r));
                    }
                    if (is_final(result.state)) ++ended;
                }
            });
    }
    EXPECT_EQ(ended, 8u * 60);
    expect_at_rest(*engine);
    const EngineStatus s = engine->status();
    EXPECT_EQ(s.completed + s.failed + s.cancelled + s.timed_out, 8u * 60);
    EXPECT_GT(s.completed, 100u);
    for (const MemoryStatus& space : s.memory) EXPECT_LE(space.peak, space.budget);
    u64 planned = 0;
    for (const MemoryStatus& space : s.memory)
        if (space.space == "host") planned = space.peak;
    EXPECT_LE(world.host.peak(), planned);
}

}  // namespace
}  // namespace cuzk::engine
