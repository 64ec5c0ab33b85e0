// The engine's small parts, each on its own.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/circuit_id.hpp"
#include "engine/metrics.hpp"
#include "engine/request_content.hpp"
#include "engine/timeline.hpp"
#include "engine/work_queue.hpp"
#include "fakes.hpp"

namespace cuzk::engine {
namespace {

using namespace std::chrono_literals;
using filecoin::CircuitKind;

TEST(CircuitId, BothWays) {
    const std::tuple<const char*, CircuitKind, u64> cases[] = {
        {"porep-32g", CircuitKind::kPorep, u64{32} << 30},
        {"porep-64g", CircuitKind::kPorep, u64{64} << 30},
        {"wpost-32g", CircuitKind::kWindowPost, u64{32} << 30},
        {"winning-32g", CircuitKind::kWinningPost, u64{32} << 30},
        {"snap-32g", CircuitKind::kUpdate, u64{32} << 30},
        {"snap-64g", CircuitKind::kUpdate, u64{64} << 30},
        {"porep-2k", CircuitKind::kPorep, 2048},
        {"wpost-512m", CircuitKind::kWindowPost, u64{512} << 20},
        {"winning-1g", CircuitKind::kWinningPost, u64{1} << 30}};
    for (const auto& [id, kind, bytes] : cases) {
        EXPECT_EQ(circuit_id(kind, bytes), id);
        const CircuitName name = parse_circuit_id(id);
        EXPECT_EQ(name.kind, kind) << id;
        EXPECT_EQ(name.sector_bytes, bytes) << id;
    }
    for (const char* bad :
         {"", "porep", "porep-", "porep-g", "porep-33g", "porep-32", "porep-32G", "poreq-32g", "porep-032g",
          "porep-32768m", "porep-0k", "porep--2k", "porep-99999999999999999999g", "porep-32g "})
        EXPECT_THROW(parse_circuit_id(bad), Error) << bad;
}

TEST(Priorities, DefaultsOfKinds) {
    EXPECT_EQ(effective_priority(0, JobKind::kWinningPost), Priority::kCritical);
    EXPECT_EQ(effective_priority(0, JobKind::kWindowPost), Priority::kHigh);
    EXPECT_EQ(effective_priority(0, JobKind::kPorepSealCommit), Priority::kNormal);
    EXPECT_EQ(effective_priority(99, JobKind::kSnapDealsUpdate), Priority::kNormal);
    EXPECT_EQ(effective_priority(0, JobKind::kCircuit), Priority::kNormal);
    EXPECT_EQ(effective_priority(1, JobKind::kWinningPost), Priority::kLow);
}

TEST(WorkQueue, PriorityThenAgeThenPartition) {
    WorkQueue<int> queue;
    queue.push({Priority::kNormal, 2, 0}, 5);
    queue.push({Priority::kNormal, 1, 1}, 4);
    queue.push({Priority::kNormal, 1, 0}, 3);
    queue.push({Priority::kLow, 0, 0}, 6);
    queue.push({Priority::kCritical, 9, 0}, 1);
    queue.push({Priority::kHigh, 8, 0}, 2);
    for (int i = 1; i <= 6; ++i) EXPECT_EQ(queue.pop(), i);
}

// The predecessor kept one entry a key, and all jobs of one partition had the same key: the first of two was lost (defect 1).
TEST(WorkQueue, Defect1EqualKeysAreKeptSideBySide) {
    WorkQueue<int> queue;
    for (int i = 0; i < 100; ++i) queue.push({Priority::kNormal, 0, 0}, i);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(queue.pop(), i);
}

TEST(WorkQueue, FilterPokeAndClose) {
    WorkQueue<int> queue;
    std::atomic<bool> open = false;
    std::atomic<int> got = 0;
    std::jthread taker([&] {
        while (const auto item = queue.pop([&](const WorkKey&, int v) { return open || v % 2 == 0; }))
            got += *item;
    });
    queue.push({}, 1);
    queue.push({}, 2);
    EXPECT_TRUE(fakes::eventually([&] { return got == 2; }));
    open = true;
    queue.poke();
    EXPECT_TRUE(fakes::eventually([&] { return got == 3; }));
    queue.close();
    taker.join();
    queue.push({}, 4);
    EXPECT_EQ(queue.remove_if([](int v) { return v == 4; }).size(), 1u);
    EXPECT_EQ(queue.size(), 0u);
}

TEST(Metrics, CountersGaugesHistograms) {
    MetricsRegistry metrics;
    metrics.declare("c_total", MetricType::kCounter, "counted");
    metrics.declare("g", MetricType::kGauge, "measured");
    metrics.declare("h_seconds", MetricType::kHistogram, "timed", {0.1, 1, 10});
    metrics.add("c_total", {{"kind", "a"}});
    metrics.add("c_total", {{"kind", "b"}}, 2);
    metrics.add("c_total", {{"kind", "b"}}, -5);  // counters only grow
    metrics.set("g", {}, 3);
    for (const double v : {0.05, 0.1, 5.0, 50.0}) metrics.observe("h_seconds", {}, v);
    EXPECT_EQ(metrics.value("c_total", {{"kind", "b"}}), 2);
    EXPECT_EQ(metrics.total("c_total"), 3);
    EXPECT_EQ(metrics.value("nothing"), 0);
    const auto families = metrics.snapshot();
    ASSERT_EQ(families.size(), 3u);
    EXPECT_EQ(families[2].samples[0].cumulative, (std::vector<u64>{2, 2, 3}));
    EXPECT_EQ(families[2].samples[0].count, 4u);
    EXPECT_DOUBLE_EQ(families[2].samples[0].sum, 55.15);
    EXPECT_THROW(metrics.add("g"), Error);
    EXPECT_THROW(metrics.add("undeclared"), Error);
    EXPECT_THROW(metrics.declare("g", MetricType::kGauge, "again"), Error);
}

TEST(Timeline, BoundedSortedAndMeasured) {
    Timeline timeline(1h, 10);
    const TimePoint t = timeline.origin();
    for (int i = 0; i < 20; ++i)
        timeline.add(
            {"job", i, "h", "device 0 worker 0", 0, true, 7, t + 1ms * (19 - i), t + 1ms * (20 - i)});
    const auto kept = timeline.intervals();
    ASSERT_EQ(kept.size(), 10u);
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(),
                               [](const Interval& a, const Interval& b) { return a.end < b.end; }));
    EXPECT_EQ(timeline.intervals(kept[8].end).size(), 1u);

    Timeline busy(1h, 100);
    std::this_thread::sleep_for(50ms);
    const TimePoint o = busy.origin();
    busy.add({"a", 0, "h", "x", 0, true, 0, o, o + 20ms});
    busy.add({"b", 0, "h", "y", 0, true, 0, o + 10ms, o + 25ms});        // overlaps: counted once
    busy.add({"c", 0, "verify", "y", 0, false, 0, o + 25ms, o + 50ms});  // not the device's
    busy.add({"d", 0, "h", "z", 1, true, 0, o, o + 50ms});               // another device's
    const double share = busy.device_busy_share(0, 1h);
    EXPECT_GT(share, 0.0);
    EXPECT_LE(share, 25.0 / 50.0);
}

TEST(Timeline, TraceIsTheFormatThatPerfettoReads) {
    Timeline timeline(1h, 10);
    const TimePoint t = timeline.origin();
    timeline.add({"job \xff\"", 3, "msm a", "device 1 worker 0", 1, true, 42, t + 1ms, t + 3ms});
    timeline.add({"j", -1, "decode", "decode 0", -1, false, 0, t, t + 1ms});
    const auto trace = nlohmann::json::parse(timeline.chrome_trace());
    std::map<std::string, int> phases;
    for (const auto& event : trace["traceEvents"]) {
        ++phases[event["ph"].get<std::string>()];
        EXPECT_TRUE(event.contains("pid"));
        if (event["ph"] != "X" || event["name"] != "msm a") continue;
        EXPECT_EQ(event["pid"], 3);
        EXPECT_DOUBLE_EQ(event["ts"].get<double>(), 1000);
        EXPECT_DOUBLE_EQ(event["dur"].get<double>(), 2000);
        EXPECT_EQ(event["args"]["partition"], 3);
        EXPECT_EQ(event["args"]["bytes"], 42);
    }
    EXPECT_EQ(phases["X"], 2);
    EXPECT_EQ(phases["M"], 4);
}

TEST(RequestContent, RoundTripAndDigest) {
    const fakes::TemporaryFolder folder;
    filecoin::ProofRequest r = fakes::content(filecoin::ProofKind::kWindowPost, "wpost", 3, 77);
    r.vanilla_proof = {1, 2, 3};
    r.vanilla_proofs = {{}, {4}, {5, 6}};
    r.randomness.assign(32, 9);
    r.partition_index = 5;
    const ContentDigest digest = content_digest(r);
    write_content(r, folder.path() + "/x");
    const auto back = std::get<filecoin::ProofRequest>(read_content(ByteSource::open(folder.path() + "/x")));
    EXPECT_EQ(content_digest(back), digest);
    EXPECT_EQ(back.vanilla_proofs, r.vanilla_proofs);
    EXPECT_EQ(back.randomness, r.randomness);

    // Names and urgency are no content; everything else is.
    filecoin::ProofRequest same = r;
    same.request_id = "other";
    same.priority = 4;
    EXPECT_EQ(content_digest(same), digest);
    const std::function<void(filecoin::ProofRequest&)> changes[] = {
        [](auto& x) { x.kind = filecoin::ProofKind::kWinningPost; },
        [](auto& x) { x.sector_size = 1; },
        [](auto& x) { x.registered_proof = 9; },
        [](auto& x) { x.sector_number = 9; },
        [](auto& x) { x.miner_id = 9; },
        [](auto& x) { x.partition_index = 9; },
        [](auto& x) {
            x.vanilla_proof = {1, 2};
        },
        [](auto& x) { x.randomness[0] = 1; },
        [](auto& x) { x.comm_r_new = {1}; },
        [](auto& x) { x.comm_d_new = {1}; },
        [](auto& x) {
            x.vanilla_proofs = {{4}, {}, {5, 6}};
        }};
    for (const auto& change : changes) {
        filecoin::ProofRequest other = r;
        change(other);
        EXPECT_NE(content_digest(other), digest);
    }

    const ByteSource whole = ByteSource::open(folder.path() + "/x");
    for (std::size_t n = 0; n < whole.bytes.size(); ++n)
        EXPECT_THROW(read_content(ByteSource::borrow("cut", whole.bytes.first(n))), Error) << n;
}

TEST(RequestContent, OfARegisteredCircuit) {
    using Encoding = CircuitRequest::Encoding;
    const fakes::TemporaryFolder folder;
    const CircuitRequest r{"mul", Encoding::kValues, {1, 2, 3}};
    write_content(r, folder.path() + "/x");
    const ByteSource whole = ByteSource::open(folder.path() + "/x");
    const auto back = std::get<CircuitRequest>(read_content(whole));
    EXPECT_EQ(back.circuit_id, "mul");
    EXPECT_EQ(back.encoding, Encoding::kValues);
    EXPECT_EQ(back.witness, r.witness);
    EXPECT_EQ(content_bytes(JobContent(r)), 3u);
    EXPECT_EQ(content_digest(back), content_digest(r));
    for (const CircuitRequest& other : {CircuitRequest{"mum", Encoding::kValues, {1, 2, 3}},
                                        CircuitRequest{"mul", Encoding::kWtns, {1, 2, 3}},
                                        CircuitRequest{"mul", Encoding::kValues, {1, 2}}})
        EXPECT_NE(content_digest(other), content_digest(r));
    for (std::size_t n = 0; n < whole.bytes.size(); ++n)
        EXPECT_THROW(read_content(ByteSource::borrow("cut", whole.bytes.first(n))), Error) << n;
}

TEST(EngineConfig, BadValuesAreNamed) {
    const auto message = [](const std::function<void(EngineConfig&)>& change) -> std::string {
        EngineConfig config;
        change(config);
        try {
            config.check();
        } catch (const Error& e) {
            return e.what();
        }
        return "fine";
    };
    EXPECT_EQ(message([](EngineConfig&) {}), "fine");
    EXPECT_NE(message([](EngineConfig& c) { c.gpu_workers_per_device = 5; }).find("gpu_workers_per_device"),
              std::string::npos);
    EXPECT_NE(message([](EngineConfig& c) { c.decode_workers = 0; }).find("decode_workers"),
              std::string::npos);
    EXPECT_NE(message([](EngineConfig& c) { c.host_budget = 1, c.pinned_budget = 2; }).find("pinned_budget"),
              std::string::npos);
    EXPECT_NE(message([](EngineConfig& c) { c.result_retention = -1ms; }).find("result_retention"),
              std::string::npos);
}

}  // namespace
}  // namespace cuzk::engine
