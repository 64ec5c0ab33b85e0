// The HTTP side: fields, texts, codes, and who may do what.
#include "rpc/http/http_server.hpp"

#include <httplib.h>

#include <nlohmann/json.hpp>

#include "engine/status_json.hpp"
#include "rpc/http/metrics_text.hpp"
#include "rpc/server_fixture.hpp"

namespace cuzk::rpc::test {
namespace {

using nlohmann::json;

class HttpTest : public ::testing::Test {
protected:
    void start() {
        engine_ = fakes::make_engine(world_, config_);
        server_ = std::make_unique<HttpServer>(*engine_, tokens_, parse_address("127.0.0.1:0"), false);
    }
    httplib::Result get(const std::string& path, const httplib::Headers& headers = {}) const {
        return httplib::Client("127.0.0.1", server_->address().port).Get(path, headers);
    }
    httplib::Result post(const std::string& path, const httplib::Headers& headers = {}) const {
        return httplib::Client("127.0.0.1", server_->address().port).Post(path, headers, "", "text/plain");
    }
    json get_json(const std::string& path) const {
        const auto result = get(path);
        EXPECT_TRUE(result && result->status == 200) << path;
        return result ? json::parse(result->body) : json();
    }
    // Runs a job to its end and returns its id.
    std::string prove(const std::string& id, u32 partitions = 2) {
        const auto ticket = engine_->submit(
            fakes::request(fakes::content(filecoin::ProofKind::kWindowPost, "wpost-2k", partitions), id));
        fakes::finish(*engine_, ticket.job_id);
        return ticket.job_id;
    }

    TempFolder folder_;
    fakes::World world_;
    engine::EngineConfig config_ = fakes::small_config();
    TokenList tokens_;
    std::unique_ptr<engine::Engine> engine_;
    std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpTest, StatusHasTheFieldsThatToolsRead) {
    start();
    prove("wdpost-1");
    const json s = get_json("/status");
    for (const char* path : {"/uptime_secs",
                             "/memory/total_bytes",
                             "/memory/used_bytes",
                             "/memory/available_bytes",
                             "/synthesis/max_concurrent",
                             "/synthesis/active",
                             "/pipelines/0/job_id",
                             "/pipelines/0/proof_kind",
                             "/pipelines/0/started_secs_ago",
                             "/pipelines/0/total_partitions",
                             "/pipelines/0/partitions_done",
                             "/pipelines/0/partitions/1/index",
                             "/pipelines/0/partitions/1/state",
                             "/pipelines/0/partitions/1/synth_ms",
                             "/pipelines/0/partitions/1/gpu_ms",
                             "/gpu_workers/0/worker_id",
                             "/gpu_workers/0/gpu_ordinal",
                             "/gpu_workers/0/state",
                             "/gpu_workers/0/current_job",
                             "/gpu_workers/0/current_partition",
                             "/gpu_workers/0/busy_secs",
                             "/circuits",
                             "/allocations/srs/0/circuit_id",
                             "/allocations/srs/0/bytes",
                             "/allocations/srs/0/last_used_secs_ago",
                             "/allocations/srs/0/evictable",
                             "/allocations/pce/0/circuit_id",
                             "/allocations/pce/0/bytes",
                             "/counters/total_completed",
                             "/counters/total_failed",
                             "/counters/completed_by_kind/window-post",
                             "/counters/failed_by_kind/porep-c2",
                             "/counters/queue_depth",
                             "/buffers/synth_in_flight",
                             "/buffers/provers_in_flight",
                             "/buffers/aux_in_flight",
                             "/buffers/shells_in_flight",
                             "/buffers/pending_handles"})
        EXPECT_TRUE(s.contains(json::json_pointer(path))) << path;
    EXPECT_EQ(s["counters"]["total_completed"], 1);
    EXPECT_EQ(s["counters"]["completed_by_kind"]["window-post"], 1);
    EXPECT_EQ(s["pipelines"][0]["partitions"][0]["state"], "done");
    EXPECT_EQ(s["pipelines"][0]["partitions_done"], 2);
    EXPECT_EQ(s["buffers"]["provers_in_flight"], 0);
    EXPECT_EQ(get("/status?x=1")->status, 200);
    EXPECT_EQ(get("/status")->get_header_value("Access-Control-Allow-Origin"), "*");
}

TEST_F(HttpTest, MetricsAreValidAndCountJobs) {
    start();
    prove("wdpost-1");
    // Whoever waits for a job hears of its end a moment before the counters do.
    const std::string counted = "cuzk_queue_wait_seconds_count{proof_kind=\"window-post\"} 1\n";
    ASSERT_TRUE(fakes::eventually([&] { return get("/metrics")->body.find(counted) != std::string::npos; }));
    const auto result = get("/metrics");
    ASSERT_TRUE(result);
    EXPECT_EQ(result->get_header_value("Content-Type").rfind("text/plain; version=0.0.4", 0), 0u);
    const std::string& text = result->body;
    for (const char* line :
         {"\ncuzk_proofs_completed_total 1\n", "\ncuzk_proofs_failed_total 0\n", "\ncuzk_uptime_seconds ",
          "\ncuzk_queue_depth 0\n", "\ncuzk_proofs_completed{proof_kind=\"window_post\"} 1\n",
          "\ncuzk_proofs_failed{proof_kind=\"porep_c2\"} 0\n",
          "\ncuzk_proof_duration_seconds_count{proof_kind=\"window_post\"} 1\n",
          "\ncuzk_proof_duration_seconds_sum{proof_kind=\"window_post\"} ", "\ncuzk_running_jobs 0\n",
          "\ncuzk_gpu_workers ", "\n# TYPE cuzk_stage_seconds histogram\n",
          "\ncuzk_memory_budget_bytes{space=\"host\"} "})
        EXPECT_NE(text.find(line), std::string::npos) << line;
    // Each family once, and each sample under its own family.
    std::set<std::string> families;
    std::istringstream lines(text);
    std::string line, family;
    while (std::getline(lines, line)) {
        if (line.rfind("# TYPE ", 0) == 0) {
            family = line.substr(7, line.find(' ', 7) - 7);
            EXPECT_TRUE(families.insert(family).second) << "twice: " << family;
        } else if (line[0] != '#') {
            EXPECT_EQ(line.rfind(family, 0), 0u) << line << " below " << family;
        }
    }
}

TEST(PrometheusText, EscapesAndBuckets) {
    engine::MetricFamily counter{"c", "a \"help\"\nof two lines", engine::MetricType::kCounter, {}, {}};
    counter.samples.push_back({{{"l", "a\"b\\c\nd"}}, 3, {}, 0, 0});
    engine::MetricFamily histogram{"h", "", engine::MetricType::kHistogram, {0.5, 1}, {}};
    histogram.samples.push_back({{}, 0, {1, 2}, 4, 9.5});
    const std::vector<engine::MetricFamily> families{counter, histogram};
    EXPECT_EQ(prometheus_text(families),
              "# HELP c a \"help\"\\nof two lines\n# TYPE c counter\nc{l=\"a\\\"b\\\\c\\nd\"} 3\n"
              "# HELP h \n# TYPE h histogram\nh_bucket{le=\"0.5\"} 1\nh_bucket{le=\"1\"} "
              "2\nh_bucket{le=\"+Inf\"} 4\n"
              "h_sum 9.5\nh_count 4\n");
}

TEST_F(HttpTest, PageTraceTimelineJobs) {
    start();
    prove("wdpost-1");
    const auto page = get("/");
    ASSERT_TRUE(page);
    EXPECT_NE(page->body.find("<title>cuzk</title>"), std::string::npos);
    EXPECT_EQ(page->body.find("https://"), std::string::npos) << "the page is self-contained";
    EXPECT_EQ(page->body.find("src=\"http"), std::string::npos);
    const json trace = get_json("/trace");
    EXPECT_FALSE(trace.at("traceEvents").empty());
    const json timeline = get_json("/api/timeline");
    ASSERT_FALSE(timeline.at("intervals").empty());
    for (const json& interval : timeline["intervals"]) EXPECT_LE(interval["begin_us"], interval["end_us"]);
    const i64 now = timeline["now_us"];
    EXPECT_TRUE(get_json("/api/timeline?since_us=" + std::to_string(now)).at("intervals").empty());
    EXPECT_EQ(get("/api/timeline?since_us=yesterday")->status, 400);
    const json jobs = get_json("/api/jobs").at("jobs");
    ASSERT_EQ(jobs.size(), 1u);
    EXPECT_EQ(jobs[0]["state"], "completed");
    EXPECT_EQ(get("/nothing")->status, 404);
    EXPECT_EQ(get("/healthz")->status, 200);
    engine_->drain();
    EXPECT_EQ(get("/healthz")->status, 503);
}

TEST_F(HttpTest, CancelWantsTheHeader) {
    world_.prove_delay = 300ms;
    start();
    const auto ticket = engine_->submit(
        fakes::request(fakes::content(filecoin::ProofKind::kWindowPost, "wpost-2k", 20), "doomed/1"));
    const std::string path = "/api/jobs/doomed%2F1/cancel";
    EXPECT_EQ(post(path)->status, 403) << "a form of another site can not send the header";
    EXPECT_EQ(get(path)->status, 404);
    EXPECT_EQ(post("/api/jobs/nobody/cancel", {{"X-Cuzk-Request", "1"}})->status, 404);
    const auto result = post(path, {{"X-Cuzk-Request", "1"}});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, 200) << result->body;
    EXPECT_EQ(json::parse(result->body)["was_running"], true);
    EXPECT_EQ(fakes::finish(*engine_, ticket.job_id).state, engine::JobState::kCancelled);
}

TEST_F(HttpTest, OtherNamesForThisMachineAreRefused) {
    start();
    EXPECT_EQ(get("/status", {{"Host", "evil.example:9821"}})->status, 403);
    EXPECT_EQ(get("/status", {{"Host", "localhost:9821"}})->status, 200);
    EXPECT_EQ(get("/status", {{"Host", "[::1]:9821"}})->status, 200);
}

TEST_F(HttpTest, TokensGuardAllButThePage) {
    tokens_ = TokenList::load(folder_.write("tokens", "miner 0123456789abcdef\n"));
    start();
    for (const char* path : {"/status", "/metrics", "/trace", "/api/jobs", "/api/timeline"}) {
        EXPECT_EQ(get(path)->status, 401) << path;
        EXPECT_EQ(get(path, {{"Authorization", "Bearer 0123456789abcdee"}})->status, 401) << path;
        EXPECT_EQ(get(path, {{"Authorization", "Bearer 0123456789abcdef"}})->status, 200) << path;
    }
    EXPECT_EQ(post("/api/jobs/x/cancel", {{"X-Cuzk-Request", "1"}})->status, 401);
    EXPECT_EQ(get("/")->status, 200);
    EXPECT_EQ(get("/healthz")->status, 200);
}

TEST_F(HttpTest, AddressesThatMayNotBe) {
    start();
    EXPECT_THROW(HttpServer(*engine_, tokens_, parse_address("0.0.0.0:0"), false), Error);
    EXPECT_THROW(HttpServer(*engine_, tokens_, parse_address("unix:/tmp/x"), false), Error);
    EXPECT_THROW(HttpServer(*engine_, tokens_, server_->address(), false), Error) << "the port is taken";
    const HttpServer open(*engine_, tokens_, parse_address("0.0.0.0:0"), true);
    EXPECT_NE(open.address().port, 0);
}

}  // namespace
}  // namespace cuzk::rpc::test
