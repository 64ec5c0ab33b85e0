// The engine on proofs of a millisecond: identity, order, priorities, memory, keys, ends. Names with DefectN stand for the
// predecessor's defects that must be impossible here.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "fakes.hpp"

namespace cuzk::engine {
namespace {

using namespace fakes;
using Kind = AwaitResult::Kind;

constexpr ProofKind kPorep = ProofKind::kPorepSealCommit;
constexpr ProofKind kWindow = ProofKind::kWindowPost;
constexpr ProofKind kWinning = ProofKind::kWinningPost;

// Holds everybody who comes by until it is opened.
class Gate {
public:
    void pass() {
        std::unique_lock lock(mutex_);
        ++arrived_;
        changed_.notify_all();
        changed_.wait(lock, [&] { return open_; });
    }
    void open() {
        const std::lock_guard lock(mutex_);
        open_ = true;
        changed_.notify_all();
    }
    bool wait_arrived(int n) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, 20s, [&] { return arrived_ >= n; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int arrived_ = 0;
    bool open_ = false;
};

std::shared_ptr<Script> stop_at(FaultPoint where, Gate& gate, const std::string& subject = "") {
    return std::make_shared<Script>(
        [where, &gate, subject](FaultPoint point, const std::string& s, i64, i64) {
            if (point == where && (subject.empty() || s == subject)) gate.pass();
        });
}

TEST(Engine, ProvesPartitionsInOrder) {
    World world;
    const auto engine = make_engine(world);
    const ProofRequest r = content(kPorep, "porep-32g", 10, 7);
    const Ticket ticket = engine->submit(request(r, "porep-1-7"));
    EXPECT_EQ(ticket.job_id, "porep-1-7");
    EXPECT_FALSE(ticket.joined);
    const JobResult result = finish(*engine, ticket.job_id);
    EXPECT_EQ(result.state, JobState::kCompleted) << result.error;
    EXPECT_EQ(text(result.proof), whole_proof(r));
    EXPECT_EQ(world.log.count("open porep-32g"), 1u);
    const auto job = engine->job("porep-1-7");
    ASSERT_TRUE(job);
    EXPECT_EQ(job->partitions_done, 10u);
    EXPECT_EQ(job->phase, "completed");
    expect_at_rest(*engine);
}

// A device's gaps and its work do not overlap, however many workers wait for it.
TEST(Engine, GapsAreTimesInWhichTheDeviceIsIdle) {
    World world;
    world.prove_delay = 20ms;
    const auto engine = make_engine(world);
    const TimePoint start = Clock::now();
    const Ticket ticket = engine->submit(request(content(kPorep, "porep-32g", 12)));
    EXPECT_EQ(finish(*engine, ticket.job_id).state, JobState::kCompleted);
    const double wall = std::chrono::duration<double>(Clock::now() - start).count();
    const auto job = engine->job(ticket.job_id);
    ASSERT_TRUE(job);
    double occupied = 0;
    for (const PartitionStatus& p : job->partition) {
        EXPECT_GE(p.gpu_ms, 20u);
        occupied += static_cast<double>(p.gpu_ms) / 1e3;
    }
    for (const MetricFamily& family : engine->metrics().snapshot())
        if (family.name == "cuzk_device_gap_seconds")
            for (const MetricSample& sample : family.samples) occupied += sample.sum;
    EXPECT_LE(occupied, wall);
}

TEST(Engine, EmptyIdsBecomeFreshOnes) {
    World world;
    const auto engine = make_engine(world);
    const ProofRequest r = content(kPorep, "porep-32g", 1);
    const Ticket a = engine->submit(request(r)), b = engine->submit(request(r));
    EXPECT_FALSE(a.job_id.empty());
    EXPECT_NE(a.job_id, b.job_id);
    EXPECT_EQ(finish(*engine, a.job_id).job_id, a.job_id);
    EXPECT_EQ(finish(*engine, b.job_id).state, JobState::kCompleted);
    EXPECT_EQ(engine->await("nobody").kind, Kind::kUnknownJob);
    EXPECT_THROW(engine->submit(request(r, std::string("bad \xff utf8"))), Error);
    EXPECT_THROW(engine->submit(request(r, std::string(2000, 'x'))), Error);
}

TEST(Engine, Defect1QueuedJobsOfOnePartitionNeverReplaceEachOther) {
    World world;
    Gate gate;
    const auto engine = make_engine(world, small_config(), {}, stop_at(FaultPoint::kDeviceProve, gate));
    std::vector<std::pair<Ticket, ProofRequest>> jobs;
    for (u64 i = 0; i < 20; ++i) {
        const ProofRequest r = content(i % 2 == 0 ? kWindow : kWinning, "wpost-32g", 1, i);
        jobs.emplace_back(engine->submit(request(r)), r);
    }
    ASSERT_TRUE(gate.wait_arrived(2));
    gate.open();
    for (const auto& [ticket, r] : jobs)
        EXPECT_EQ(text(finish(*engine, ticket.job_id).proof), whole_proof(r));
}

// Curio names a WindowPoSt without its partition: two partitions of a deadline share the id.
TEST(Engine, Defect2OneIdWithTwoContentsIsTwoJobs) {
    World world;
    Gate gate;
    const auto engine = make_engine(world, small_config(), {}, stop_at(FaultPoint::kDeviceProve, gate));
    const ProofRequest one = content(kWindow, "wpost-32g", 1, 1), two = content(kWindow, "wpost-32g", 1, 2);
    const Ticket a = engine->submit(request(one, "wdpost-1000-0-[1 2 3]"));
    const Ticket b = engine->submit(request(two, "wdpost-1000-0-[1 2 3]"));
    EXPECT_EQ(a.job_id, "wdpost-1000-0-[1 2 3]");
    EXPECT_NE(a.job_id, b.job_id);
    EXPECT_FALSE(b.joined);
    // A retry of either joins its own.
    EXPECT_EQ(engine->submit(request(two, "wdpost-1000-0-[1 2 3]")).job_id, b.job_id);
    EXPECT_EQ(engine->submit(request(one, "wdpost-1000-0-[1 2 3]")).job_id, a.job_id);
    gate.open();
    EXPECT_EQ(text(finish(*engine, a.job_id).proof), whole_proof(one));
    EXPECT_EQ(text(finish(*engine, b.job_id).proof), whole_proof(two));
}

TEST(Engine, Defect3AResubmittedIdJoinsTheRunningJobAndTheFinishedOne) {
    World world;
    Gate gate;
    const auto engine = make_engine(world, small_config(), {}, stop_at(FaultPoint::kDeviceProve, gate));
    const ProofRequest r = content(kPorep, "porep-32g", 3);
    const Ticket first = engine->submit(request(r, "porep-1-2"));
    ASSERT_TRUE(gate.wait_arrived(1));
    const Ticket second = engine->submit(request(r, "porep-1-2"));
    EXPECT_TRUE(second.joined);
    EXPECT_EQ(second.job_id, first.job_id);
    gate.open();
    EXPECT_EQ(text(finish(*engine, first.job_id).proof), whole_proof(r));
    const Ticket third = engine->submit(request(r, "porep-1-2"));
    EXPECT_TRUE(third.joined);
    EXPECT_EQ(text(finish(*engine, third.job_id).proof), whole_proof(r));
    for (u32 k = 0; k < 3; ++k) EXPECT_EQ(world.log.count("prove " + partition_proof(r, k)), 1u);
}

TEST(Engine, AFailedJobIsTriedAgainUnderANewId) {
    World world;
    std::atomic<bool> broken = true;
    const auto engine = make_engine(world, small_config(), {},
                                    std::make_shared<Script>([&](FaultPoint point, auto&&, i64, i64) {
                                        if (point == FaultPoint::kSynthesis && broken)
                                            throw Error(ErrorKind::kUnsatisfied, "constraint 7");
                                    }));
    const ProofRequest r = content(kPorep, "porep-32g", 2);
    const Ticket first = engine->submit(request(r, "id"));
    const JobResult failed = finish(*engine, first.job_id);
    EXPECT_EQ(failed.state, JobState::kFailed);
    EXPECT_EQ(failed.error_kind, ErrorKind::kUnsatisfied);
    EXPECT_NE(failed.error.find("constraint 7"), std::string::npos);
    broken = false;
    const Ticket again = engine->submit(request(r, "id"));
    EXPECT_FALSE(again.joined);
    EXPECT_NE(again.job_id, first.job_id);
    EXPECT_EQ(text(finish(*engine, again.job_id).proof), whole_proof(r));
    expect_at_rest(*engine);
}

TEST(Engine, Defect4OneLoadForConcurrentRequestsAndNoneForLaterOnes) {
    World world;
    world.circuits["porep-32g"].load_delay = 100ms;
    const auto engine = make_engine(world);
    std::vector<Ticket> tickets;
    for (u64 i = 0; i < 8; ++i)
        tickets.push_back(engine->submit(request(content(kPorep, "porep-32g", 1, i))));
    for (const Ticket& t : tickets) EXPECT_EQ(finish(*engine, t.job_id).state, JobState::kCompleted);
    finish(*engine, engine->submit(request(content(kPorep, "porep-32g", 1, 99))).job_id);
    EXPECT_EQ(world.log.count("load porep-32g"), 1u);
    EXPECT_EQ(engine->metrics().total("cuzk_key_loads_total"), 1);
    EXPECT_TRUE(engine->preload("porep-32g").already_loaded);
}

TEST(Engine, Defect6AFailedPartitionEndsTheWholeJobAndLeavesNothing) {
    World world;
    const auto engine =
        make_engine(world, small_config(), {},
                    std::make_shared<Script>([&](FaultPoint point, const std::string&, i64 partition, i64) {
                        if (point == FaultPoint::kDeviceProve && partition == 0)
                            throw Error(ErrorKind::kMalformed, "no such thing");
                    }));
    const ProofRequest r = content(kPorep, "porep-32g", 200);
    EXPECT_EQ(finish(*engine, engine->submit(request(r)).job_id).state, JobState::kFailed);
    expect_at_rest(*engine);
    EXPECT_LT(world.log.events().size(), 50u);  // the others were not proved
    EXPECT_EQ(engine->status().failed, 1u);
    EXPECT_EQ(engine->status().failed_by_kind[kind_index(job_kind(kPorep))], 1u);
}

TEST(Engine, Defect9WhatCanNeverFitFailsAtOnceWithTheSizes) {
    World world;
    EngineConfig config = small_config();
    config.host_budget = u64{64} << 30;
    world.circuits["wpost-32g"] = {u64{60} << 20, u64{57} << 30, true, u64{100} << 20, 0, u64{21} << 30, 0};
    world.circuits["porep-32g"] = {1000, 1000, false, u64{10} << 30, 0, u64{60} << 30, 0};
    const auto engine = make_engine(world, config);
    for (const char* circuit : {"wpost-32g", "porep-32g"}) {
        const TimePoint begin = Clock::now();
        const JobResult result =
            finish(*engine, engine->submit(request(content(kWindow, circuit, 1))).job_id);
        EXPECT_EQ(result.state, JobState::kFailed);
        EXPECT_EQ(result.error_kind, ErrorKind::kEnvironment);
        EXPECT_NE(result.error.find("GiB"), std::string::npos) << result.error;
        EXPECT_LT(Clock::now() - begin, 5s);
    }
    expect_at_rest(*engine);
}

// A stream of one kind keeps its key in use; a key of another kind that has no room beside it must get its turn.
TEST(Engine, Defect10AKeyWithoutRoomGetsItsTurn) {
    World world;
    world.prove_delay = 5ms;
    EngineConfig config = small_config();
    config.host_budget = 1'000'000;
    world.circuits["porep-32g"] = {1000, 400'000, true, 1000, 0, 1000, 0};
    world.circuits["wpost-32g"] = {1000, 500'000, true, 1000, 0, 1000, 0};
    const auto engine = make_engine(world, config);
    std::atomic<bool> posted = false;
    std::atomic<int> streamed = 0;
    // Two clients that always have a job waiting.
    std::vector<std::jthread> clients;
    for (u64 c = 0; c < 2; ++c)
        clients.emplace_back([&, c] {
            std::vector<Ticket> open;
            for (u64 i = 0; !posted || i < 6; ++i) {
                open.push_back(engine->submit(request(content(kPorep, "porep-32g", 4, 1000 * c + i))));
                if (open.size() < 3) continue;
                EXPECT_EQ(finish(*engine, open.front().job_id).state, JobState::kCompleted);
                open.erase(open.begin());
                ++streamed;
            }
            for (const Ticket& t : open) EXPECT_EQ(finish(*engine, t.job_id).state, JobState::kCompleted);
        });
    EXPECT_TRUE(eventually([&] { return streamed >= 2; }));
    for (u64 i = 0; i < 3; ++i) {
        const JobResult result =
            finish(*engine, engine->submit(request(content(kWindow, "wpost-32g", 2, i))).job_id);
        EXPECT_EQ(result.state, JobState::kCompleted) << result.error;
    }
    posted = true;
    clients.clear();
    EXPECT_GE(world.log.count("open porep-32g"), 2u);  // it went, and came again
    expect_at_rest(*engine);
    EXPECT_LE(world.host.peak(), 1'000'000u);
}

TEST(Engine, Defect11AWinningPostStartsBeforeTheNextPartitionWhateverElseRuns) {
    World world;
    world.prove_delay = 30ms;
    world.circuits["snap-32g"].load_delay = 1500ms;  // somebody else's key load
    EngineConfig config = small_config();
    const auto engine = make_engine(world, config);
    engine->preload("winning-32g");
    std::vector<Ticket> others;
    for (u64 i = 0; i < 5; ++i)
        others.push_back(engine->submit(request(content(kPorep, "porep-32g", 20, i))));
    const Ticket loading = engine->submit(request(content(ProofKind::kSnapDealsUpdate, "snap-32g", 1)));
    EXPECT_TRUE(
        eventually([&] { return world.log.events().size() > 12 && world.log.count("open snap-32g") == 1; }));

    const std::size_t before = world.log.events().size();
    const TimePoint begin = Clock::now();
    const ProofRequest winning = content(kWinning, "winning-32g", 1);
    EXPECT_EQ(finish(*engine, engine->submit(request(winning)).job_id).state, JobState::kCompleted);
    const auto took = Clock::now() - begin;
    std::size_t partitions_before = 0;
    const auto events = world.log.events();
    for (std::size_t i = before; i < events.size() && events[i] != "prove " + partition_proof(winning, 0);
         ++i)
        if (events[i].rfind("prove ", 0) == 0) ++partitions_before;
    // Those whose turn on the device had come already, and those that waited for the device's own lock.
    EXPECT_LE(partitions_before, config.gpu_workers_per_device);
    EXPECT_LT(took, 1s);  // not behind the load, not behind 100 partitions
    EXPECT_FALSE(is_final(engine->job(loading.job_id)->state));
    for (const Ticket& t : others) engine->cancel(t.job_id);
}

TEST(Engine, Defect11AWinningPostDoesNotWaitForDecoders) {
    World world;
    Gate gate;
    const auto engine =
        make_engine(world, small_config(), {},
                    std::make_shared<Script>([&](FaultPoint point, const std::string& job, i64, i64) {
                        if (point == FaultPoint::kDecode && job.rfind("slow", 0) == 0) gate.pass();
                    }));
    for (int i = 0; i < 4; ++i)
        engine->submit(
            request(content(kPorep, "porep-32g", 1, static_cast<u64>(i)), "slow" + std::to_string(i)));
    ASSERT_TRUE(gate.wait_arrived(2));
    EXPECT_EQ(finish(*engine, engine->submit(request(content(kWinning, "winning-32g", 1))).job_id).state,
              JobState::kCompleted);
    gate.open();
}

TEST(Engine, OldestJobFirstWithinAPriorityAndPrioritiesFirst) {
    World world;
    Gate gate;
    EngineConfig config = small_config();
    config.synthesis_workers = 1;
    config.gpu_workers_per_device = 1;
    config.pipeline_depth = 1;
    const auto engine = make_engine(world, config, {}, stop_at(FaultPoint::kDeviceProve, gate, "blocker"));
    engine->preload("porep-32g");
    engine->submit(request(content(kPorep, "porep-32g", 1, 0), "blocker"));
    ASSERT_TRUE(gate.wait_arrived(1));
    std::vector<ProofRequest> jobs;
    const Priority priorities[] = {Priority::kLow, Priority::kNormal, Priority::kNormal, Priority::kHigh};
    std::vector<Ticket> tickets;
    for (u64 i = 0; i < 4; ++i) {
        jobs.push_back(content(kPorep, "porep-32g", 3, i + 1));
        tickets.push_back(engine->submit(request(jobs.back(), "", priorities[i])));
        // One partition of the first may be in the pipeline already; the others are all there before it goes on.
        EXPECT_TRUE(eventually([&] { return engine->job(tickets.back().job_id)->phase == "proving"; }));
    }
    EXPECT_EQ(tickets[1].queue_position, 1u);  // the blocker; not the low one
    EXPECT_EQ(tickets[3].queue_position, 0u);
    gate.open();
    for (const Ticket& t : tickets) EXPECT_EQ(finish(*engine, t.job_id).state, JobState::kCompleted);
    const auto last = [&](u64 job) { return world.log.position("prove " + partition_proof(jobs[job], 2)); };
    EXPECT_LT(last(3), last(1));
    EXPECT_LT(last(1), last(2));
    EXPECT_LT(last(2), last(0));
    for (const ProofRequest& r : jobs)
        for (u32 k = 0; k < 2; ++k)
            EXPECT_LT(world.log.position("prove " + partition_proof(r, k)),
                      world.log.position("prove " + partition_proof(r, k + 1)));
}

TEST(Engine, Defects13And14MemoryStaysWithinThePlanByMeasurement) {
    World world;
    world.synthesis_delay = 1ms;
    world.prove_delay = 2ms;
    EngineConfig config = small_config();
    config.host_budget = 160'000;
    config.synthesis_workers = 8;
    config.pipeline_depth = 64;
    world.circuits["porep-32g"] = {2000, 20'000, true, 8000, 4000, 30'000, 0};
    world.circuits["snap-32g"] = {2000, 10'000, true, 3000, 3000, 10'000, 0};
    const auto engine = make_engine(world, config);
    std::vector<Ticket> tickets;
    for (u64 i = 0; i < 12; ++i)
        tickets.push_back(engine->submit(request(content(i % 3 == 0 ? ProofKind::kSnapDealsUpdate : kPorep,
                                                         i % 3 == 0 ? "snap-32g" : "porep-32g", 10, i))));
    for (const Ticket& t : tickets) EXPECT_EQ(finish(*engine, t.job_id).state, JobState::kCompleted);
    expect_at_rest(*engine);
    u64 planned = 0;
    for (const MemoryStatus& s : engine->status().memory)
        if (s.space == "host") planned = s.peak;
    EXPECT_LE(world.host.peak(), planned);
    EXPECT_LE(planned, 160'000u);
    EXPECT_GT(world.host.peak(), 60'000u);  // the budget was used
}

// Two keys that fit into the budget, but not with the work beside them: they take turns, whichever is there when the other comes.
TEST(Engine, KeysThatLeaveNoRoomForWorkTakeTurns) {
    World world;
    EngineConfig config = small_config();
    config.host_budget = 307'200;
    world.circuits["porep-32g"] = {2000, 105'000, true, 500, 500, 87'000, 0};
    world.circuits["snap-32g"] = {2000, 61'000, true, 300, 300, 50'000, 0, 50ms};
    const auto engine = make_engine(world, config);
    u64 number = 0;
    const auto submit = [&](ProofKind kind, const char* circuit) {
        return engine->submit(request(content(kind, circuit, 1, number++))).job_id;
    };
    for (std::size_t round = 1; round <= 3; ++round) {
        EXPECT_EQ(finish(*engine, submit(kPorep, "porep-32g")).state, JobState::kCompleted);
        const std::string snap = submit(ProofKind::kSnapDealsUpdate, "snap-32g");
        EXPECT_TRUE(eventually([&] { return world.log.count("open snap-32g") == round; }));
        const std::string porep = submit(kPorep, "porep-32g");  // its key was idle a moment ago
        EXPECT_EQ(finish(*engine, snap).state, JobState::kCompleted);
        EXPECT_EQ(finish(*engine, porep).state, JobState::kCompleted);
    }
    expect_at_rest(*engine);
}

TEST(Engine, Defect15DrainAndStop) {
    World world;
    world.prove_delay = 5ms;
    const auto engine = make_engine(world);
    const Ticket ticket = engine->submit(request(content(kPorep, "porep-32g", 10)));
    engine->drain();
    try {
        engine->submit(request(content(kPorep, "porep-32g", 1, 5)));
        FAIL() << "a draining engine took a job";
    } catch (const RefusedError& e) {
        EXPECT_EQ(e.reason(), Refusal::kDraining);
    }
    EXPECT_TRUE(engine->wait_idle(Clock::now() + 20s));
    EXPECT_EQ(finish(*engine, ticket.job_id).state, JobState::kCompleted);
    EXPECT_TRUE(engine->status().draining);
    engine->stop(Clock::now());
    engine->stop(Clock::now());
    EXPECT_EQ(finish(*engine, ticket.job_id).state, JobState::kCompleted);  // results can still be asked for
}

TEST(Engine, StopEndsWhatTheDeadlineLeaves) {
    World world;
    world.prove_delay = 20ms;
    const auto engine = make_engine(world);
    const Ticket ticket = engine->submit(request(content(kPorep, "porep-32g", 1000)));
    std::jthread waiter([&] { EXPECT_EQ(finish(*engine, ticket.job_id).state, JobState::kCancelled); });
    EXPECT_TRUE(eventually([&] { return !world.log.events().empty(); }));
    const TimePoint begin = Clock::now();
    engine->stop(begin + 50ms);
    EXPECT_LT(Clock::now() - begin, 10s);
}

TEST(Engine, Defect16CancelWorksInEveryStage) {
    for (const FaultPoint stage :
         {FaultPoint::kDecode, FaultPoint::kKeyLoad, FaultPoint::kSynthesis, FaultPoint::kDeviceProve}) {
        World world;
        Gate gate;
        const auto engine = make_engine(world, small_config(), {}, stop_at(stage, gate));
        const Ticket ticket = engine->submit(request(content(kPorep, "porep-32g", 5)));
        ASSERT_TRUE(gate.wait_arrived(1));
        EXPECT_TRUE(engine->cancel(ticket.job_id));
        // At once for who waits, though the stage still runs.
        const JobResult result = finish(*engine, ticket.job_id);
        EXPECT_EQ(result.state, JobState::kCancelled);
        EXPECT_TRUE(result.proof.empty());
        EXPECT_FALSE(engine->cancel(ticket.job_id));
        gate.open();
        EXPECT_EQ(finish(*engine, engine->submit(request(content(kPorep, "porep-32g", 5, 2))).job_id).state,
                  JobState::kCompleted);
        expect_at_rest(*engine);
        EXPECT_EQ(engine->status().cancelled, 1u);
        EXPECT_EQ(engine->status().completed, 1u);
    }
    World world;
    EXPECT_FALSE(make_engine(world)->cancel("nobody"));
}

TEST(Engine, Defect16TimeoutsWork) {
    World world;
    Gate gate;
    const auto engine = make_engine(world, small_config(), {}, stop_at(FaultPoint::kSynthesis, gate, "late"));
    const Ticket ticket =
        engine->submit(request(content(kPorep, "porep-32g", 2), "late", Priority::kUnspecified, 50ms));
    const AwaitResult early = engine->await(ticket.job_id, Clock::now() + 1ms);
    EXPECT_EQ(early.kind, Kind::kStillRunning);
    const JobResult result = finish(*engine, ticket.job_id);
    EXPECT_EQ(result.state, JobState::kTimedOut);
    EXPECT_NE(result.error.find("50 ms"), std::string::npos);
    gate.open();
    expect_at_rest(*engine);
    const Ticket quick =
        engine->submit(request(content(kPorep, "porep-32g", 2, 2), "", Priority::kUnspecified, 1h));
    EXPECT_EQ(finish(*engine, quick.job_id).state, JobState::kCompleted);
}

TEST(Engine, AWaiterThatGivesUpLosesNothing) {
    World world;
    Gate gate;
    const auto engine = make_engine(world, small_config(), {}, stop_at(FaultPoint::kDeviceProve, gate));
    const ProofRequest r = content(kPorep, "porep-32g", 2);
    const Ticket ticket = engine->submit(request(r));
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(engine->await(ticket.job_id, Clock::now()).kind, Kind::kStillRunning);
    gate.open();
    EXPECT_EQ(text(finish(*engine, ticket.job_id).proof), whole_proof(r));
}

TEST(Engine, Defect18ResultsAreKeptBoundedInNumberBytesAndTime) {
    World world;
    EngineConfig config = small_config();
    config.max_results = 5;
    const auto kept = [](Engine& engine, const std::vector<Ticket>& tickets) {
        std::size_t n = 0;
        for (const Ticket& t : tickets) n += engine.await(t.job_id, Clock::now()).kind == Kind::kDone ? 1 : 0;
        return n;
    };
    const auto run = [&](Engine& engine, u64 jobs) {
        std::vector<Ticket> tickets;
        for (u64 i = 0; i < jobs; ++i)
            tickets.push_back(
                engine.submit(request(content(kPorep, "porep-32g", 1, i), "r" + std::to_string(i))));
        EXPECT_TRUE(engine.wait_idle(Clock::now() + 20s));
        return tickets;
    };
    {
        const auto engine = make_engine(world, config);
        const auto tickets = run(*engine, 20);
        EXPECT_TRUE(eventually([&] { return kept(*engine, tickets) == 5; }));
        EXPECT_FALSE(engine->submit(request(content(kPorep, "porep-32g", 1, 0), "r0")).joined);  // forgotten
    }
    config.max_results = 1000;
    config.max_result_bytes = 100;
    {
        const auto engine = make_engine(world, config);
        const auto tickets = run(*engine, 20);
        EXPECT_TRUE(eventually([&] { return kept(*engine, tickets) < 10; }));
        EXPECT_GE(kept(*engine, tickets), 1u);
    }
    config.max_result_bytes = u64{1} << 20;
    config.result_retention = 30ms;
    {
        const auto engine = make_engine(world, config);
        const auto tickets = run(*engine, 3);
        EXPECT_TRUE(eventually([&] { return kept(*engine, tickets) == 0; }));
        EXPECT_EQ(engine->status().completed, 3u);
        EXPECT_TRUE(engine->status().jobs.empty());
    }
}

TEST(Engine, LimitsOfJobsClientsAndBytes) {
    World world;
    Gate gate;
    EngineConfig config = small_config();
    config.max_jobs = 3;
    config.max_jobs_per_client = 2;
    config.max_request_bytes = 5000;
    const auto engine = make_engine(world, config, {}, stop_at(FaultPoint::kDecode, gate));
    const auto submit = [&](const char* client, u64 sector, std::size_t bytes = 0) -> std::string {
        ProofRequest r = content(kPorep, "porep-32g", 1, sector);
        r.vanilla_proof.resize(bytes);
        JobRequest q = request(r);
        q.client = client;
        try {
            engine->submit(std::move(q));
        } catch (const RefusedError& e) {
            return e.reason() == Refusal::kClientLimit ? "client limit" : "queue full";
        }
        return "accepted";
    };
    EXPECT_EQ(submit("a", 1, 3000), "accepted");
    EXPECT_EQ(submit("a", 2, 3000), "queue full");  // bytes
    EXPECT_EQ(submit("a", 3), "accepted");
    EXPECT_EQ(submit("a", 4), "client limit");
    EXPECT_EQ(submit("b", 5), "accepted");
    EXPECT_EQ(submit("b", 6), "queue full");
    EXPECT_EQ(engine->metrics().total("cuzk_jobs_refused_total"), 3);
    gate.open();
    EXPECT_TRUE(engine->wait_idle(Clock::now() + 20s));
    EXPECT_EQ(submit("a", 7, 3000), "accepted");  // what was refused or ended takes no room
    EXPECT_TRUE(engine->wait_idle(Clock::now() + 20s));
    expect_at_rest(*engine);
}

TEST(Engine, Defects36To39StatusTellsTheTruth) {
    World world;
    Gate gate;
    world.circuits["snap-32g"].load_delay = 300ms;
    EngineConfig config = small_config();
    config.synthesis_workers = 1;
    config.pipeline_depth = 1;
    config.gpu_workers_per_device = 1;
    const auto engine =
        make_engine(world, config, {{std::make_shared<FakeDevice>(world, 0, 1'000'000), false}},
                    stop_at(FaultPoint::kDeviceProve, gate));
    const Ticket running = engine->submit(request(content(kPorep, "porep-32g", 3)));
    ASSERT_TRUE(gate.wait_arrived(1));
    engine->submit(request(content(kPorep, "porep-32g", 2, 2)));
    const Ticket loading = engine->submit(request(content(ProofKind::kSnapDealsUpdate, "snap-32g", 1)));
    EXPECT_TRUE(eventually([&] { return world.log.count("open snap-32g") == 1; }));
    EXPECT_TRUE(eventually([&] { return engine->status().pipeline_used == 1; }));

    const EngineStatus s = engine->status();  // does not wait for the load
    const auto queue = [&](ProofKind kind) { return s.queues[kind_index(job_kind(kind))]; };
    EXPECT_EQ(queue(kPorep).in_progress, 1u);
    EXPECT_EQ(queue(kPorep).pending, 1u);
    EXPECT_EQ(queue(ProofKind::kSnapDealsUpdate).pending, 1u);
    EXPECT_EQ(queue(kWinning).pending + queue(kWinning).in_progress, 0u);
    ASSERT_EQ(s.devices.size(), 1u);  // once, whatever its workers
    EXPECT_EQ(s.devices[0].name, "fake 0");
    EXPECT_EQ(s.devices[0].current_job_id, running.job_id);
    EXPECT_EQ(s.devices[0].current_kind, "porep-c2");
    EXPECT_EQ(s.devices[0].memory_total, 1'000'000u);
    EXPECT_EQ(s.devices[0].memory_free, 1'000'000u - 10'000 - 1000);
    ASSERT_EQ(s.keys.size(), 2u);
    EXPECT_EQ(s.keys[0].circuit_id, "porep-32g");
    EXPECT_EQ(s.keys[0].tier, KeyTier::kHot);
    EXPECT_EQ(s.keys[0].key_bytes, 10'000u);
    EXPECT_GE(s.keys[0].references, 2u);
    EXPECT_FALSE(s.keys[0].evictable);
    EXPECT_TRUE(s.keys[1].loading);
    EXPECT_EQ(s.keys[1].tier, KeyTier::kCold);
    std::size_t busy = 0;
    for (const WorkerStatus& w : s.workers) busy += w.busy ? 1 : 0;
    EXPECT_GE(busy, 1u);
    EXPECT_THROW(engine->evict("porep-32g"), Error);
    EXPECT_THROW(engine->evict("nonsense"), Error);
    const auto job = engine->job(running.job_id);
    EXPECT_EQ(job->partitions, 3u);
    EXPECT_EQ(job->partition[0].state, PartitionState::kProving);
    EXPECT_EQ(job->phase, "proving");
    EXPECT_EQ(engine->job(loading.job_id)->phase, "waiting for key");

    gate.open();
    EXPECT_TRUE(engine->wait_idle(Clock::now() + 20s));
    expect_at_rest(*engine);
    EXPECT_EQ(engine->status().completed, 3u);
    EXPECT_EQ(engine->status().jobs.size(), 3u);
    const auto evicted = engine->evict("porep-32g");
    EXPECT_TRUE(evicted.was_loaded);
    EXPECT_EQ(evicted.freed_bytes, 11'000u);
    EXPECT_EQ(engine->status().keys.size(), 1u);
}

TEST(Engine, WatchStreamsProgress) {
    World world;
    world.prove_delay = 5ms;
    const auto engine = make_engine(world);
    const Ticket ticket = engine->submit(request(content(kPorep, "porep-32g", 5)));
    u64 version = 0;
    u32 done = 0, steps = 0;
    for (;;) {
        const auto job = engine->watch(ticket.job_id, version, Clock::now() + 20s);
        ASSERT_TRUE(job);
        EXPECT_GT(job->version, version);
        EXPECT_GE(job->partitions_done, done);
        version = job->version;
        done = job->partitions_done;
        ++steps;
        if (is_final(job->state)) break;
    }
    EXPECT_EQ(done, 5u);
    EXPECT_GT(steps, 3u);
    EXPECT_FALSE(engine->watch("nobody", 0, Clock::now()));
}

// A device that keeps a part of its proofs in the host's memory: that is reserved while a key is there that needs it, and where the host
// has no room the device gets no key.
TEST(Engine, WhatADeviceKeepsOnTheHostIsReserved) {
    World world;
    const auto host_memory = [](const Engine& engine) {
        for (const MemoryStatus& space : engine.status().memory)
            for (const MemoryOwner& owner : space.owners)
                if (space.space == "host" && owner.owner == "proofs on device 0") return owner.bytes;
        return u64{0};
    };
    const auto device = std::make_shared<FakeDevice>(world, 0, 1'000'000);
    device->parked = u64{10} << 20;
    const auto engine = make_engine(world, small_config(), {{device, false}});
    EXPECT_EQ(host_memory(*engine), 0u);
    engine->preload("porep-32g");
    EXPECT_EQ(host_memory(*engine), device->parked);
    EXPECT_EQ(finish(*engine, engine->submit(request(content(kPorep, "porep-32g", 2))).job_id).state,
              JobState::kCompleted);
    EXPECT_EQ(host_memory(*engine), device->parked);

    World little;
    const auto greedy = std::make_shared<FakeDevice>(little, 0, 1'000'000);
    greedy->parked = small_config().host_budget;
    const auto other = make_engine(little, small_config(), {{greedy, false}});
    const JobResult result = finish(*other, other->submit(request(content(kPorep, "porep-32g", 1))).job_id);
    EXPECT_EQ(result.state, JobState::kFailed);
    EXPECT_NE(result.error.find("of host memory"), std::string::npos) << result.error;
}

TEST(Engine, KeysLiveWhereTheyFitAndIdleOnesGo) {
    World world;
    EngineConfig config = small_config();
    config.eviction_min_idle = 0ms;
    // Two keys of 40 do not fit beside each other's working memory on a device of 100.
    for (const char* id : {"porep-32g", "wpost-32g"}) world.circuits[id] = {1, 40, false, 1, 0, 1, 30};
    const auto engine = make_engine(world, config, {{std::make_shared<FakeDevice>(world, 0, 100), false}});
    const auto tier = [&](const std::string& id) {
        for (const KeyStatus& k : engine->status().keys)
            if (k.circuit_id == id) return k.tier;
        return KeyTier::kCold;
    };
    engine->preload("porep-32g");
    EXPECT_EQ(tier("porep-32g"), KeyTier::kHot);
    engine->preload("wpost-32g");
    EXPECT_EQ(tier("wpost-32g"), KeyTier::kHot);
    EXPECT_EQ(tier("porep-32g"), KeyTier::kCold);
    EXPECT_LE(world.vram.peak(), 100u);

    // In use, it stays, and the other one goes a tier lower.
    Gate gate;
    World busy;
    busy.circuits = world.circuits;
    const auto other = make_engine(busy, config, {{std::make_shared<FakeDevice>(busy, 0, 100), false}},
                                   stop_at(FaultPoint::kDeviceProve, gate));
    const Ticket ticket = other->submit(request(content(kPorep, "porep-32g", 1)));
    ASSERT_TRUE(gate.wait_arrived(1));
    other->preload("wpost-32g");
    for (const KeyStatus& k : other->status().keys)
        EXPECT_EQ(k.tier, k.circuit_id == "porep-32g" ? KeyTier::kHot : KeyTier::kPinned) << k.circuit_id;
    gate.open();
    finish(*other, ticket.job_id);
}

TEST(Engine, TwoDevicesShareAJob) {
    World world;
    world.prove_delay = 10ms;
    const auto one = std::make_shared<FakeDevice>(world, 0), two = std::make_shared<FakeDevice>(world, 1);
    const auto engine = make_engine(world, small_config(), {{one, false}, {two, false}});
    const ProofRequest r = content(kPorep, "porep-32g", 20);
    EXPECT_EQ(text(finish(*engine, engine->submit(request(r)).job_id).proof), whole_proof(r));
    expect_at_rest(*engine);
    const EngineStatus s = engine->status();
    EXPECT_GT(s.devices[0].partitions_done, 3u);
    EXPECT_GT(s.devices[1].partitions_done, 3u);
    EXPECT_EQ(s.devices[0].partitions_done + s.devices[1].partitions_done, 20u);
    EXPECT_EQ(s.keys.at(0).devices.size(), 2u);
}

TEST(Engine, AnEngineWithoutDevicesIsRefused) {
    World world;
    EXPECT_THROW(Engine(small_config(), std::make_unique<FakeWorkload>(world), {}), Error);
    EngineConfig bad = small_config();
    bad.gpu_workers_per_device = 9;
    EXPECT_THROW(make_engine(world, bad), Error);
}

// 10,000 jobs from 64 threads, some cancelled at random, some submitted twice: none lost, none duplicated, nothing left over.
TEST(EngineLoad, TenThousandJobsFromSixtyFourThreads) {
    World world;
    world.prove_delay = 0ms;
    EngineConfig config = small_config();
    config.host_budget = u64{1} << 30;
    config.max_results = 20'000;
    const auto device = std::make_shared<FakeDevice>(world, 0, 0, false);
    const auto engine = make_engine(world, config, {{device, false}});
    constexpr u64 kThreads = 64;
#ifdef __SANITIZE_THREAD__
    constexpr u64 kJobs = 2'000;
#else
    constexpr u64 kJobs = 10'000;
#endif
    std::atomic<u64> completed = 0, cancelled = 0, joined = 0, wrong = 0;
    {
        std::vector<std::jthread> threads;
        for (u64 t = 0; t < kThreads; ++t)
            threads.emplace_back([&, t] {
                std::mt19937 random(static_cast<unsigned>(t));
                for (u64 i = t; i < kJobs; i += kThreads) {
                    const ProofKind kind = fakes::kFilecoinKinds[random() % 4];
                    const ProofRequest r = content(kind, "porep-" + std::to_string(1 << (random() % 3)) + "k",
                                                   1 + random() % 3, i);
                    const std::string id = random() % 2 == 0 ? "" : "job " + std::to_string(i);
                    const Ticket ticket = engine->submit(request(r, id));
                    if (!id.empty() && random() % 4 == 0) {
                        const Ticket again = engine->submit(request(r, id));
                        if (again.joined) {
                            ++joined;
                            if (again.job_id != ticket.job_id) ++wrong;
                        }
                    }
                    if (random() % 5 == 0) engine->cancel(ticket.job_id);
                    if (random() % 10 == 0)
                        engine->await(ticket.job_id, Clock::now());  // a client that goes away
                    const JobResult result = finish(*engine, ticket.job_id, 120s);
                    if (result.state == JobState::kCompleted) {
                        ++completed;
                        if (text(result.proof) != whole_proof(r)) ++wrong;
                    } else if (result.state == JobState::kCancelled) {
                        ++cancelled;
                    } else {
                        ++wrong;
                    }
                }
            });
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(completed + cancelled, kJobs);
    EXPECT_GT(cancelled, 0u);
    EXPECT_GT(joined, 0u);
    expect_at_rest(*engine);
    const EngineStatus s = engine->status();
    EXPECT_EQ(s.completed, completed);
    EXPECT_EQ(s.cancelled, cancelled);
    EXPECT_EQ(s.failed + s.timed_out, 0u);
    const std::vector<std::string> events = world.log.events();
    const std::set<std::string> distinct(events.begin(), events.end());
    EXPECT_EQ(distinct.size(),
              events.size());  // no partition was proved twice, nothing decoded or loaded twice
    for (const MemoryStatus& space : s.memory) EXPECT_LE(space.peak, space.budget);
}

}  // namespace
}  // namespace cuzk::engine
