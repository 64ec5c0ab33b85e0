#include "rpc/config/config.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "rpc/config/quantities.hpp"
#include "rpc/config/suggestion.hpp"
#include "rpc/daemon.hpp"
#include "rpc/temp_folder.hpp"

namespace cuzk::rpc {
namespace {

using namespace std::chrono_literals;

// What the reader says about a text that is wrong.
std::string complaint(const std::string& text) {
    try {
        parse_config(text, "f.toml");
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kMalformed);
        return error.what();
    }
    ADD_FAILURE() << "accepted: " << text;
    return "";
}

void expect_complaint(const std::string& text, const std::string& part) {
    const std::string said = complaint(text);
    EXPECT_NE(said.find(part), std::string::npos) << "wanted: " << part << "\ngot: " << said;
}

TEST(Config, AnEmptyFileIsTheDefaults) {
    EXPECT_EQ(config_text(parse_config("", "f").config), config_text(DaemonConfig()));
    EXPECT_EQ(DaemonConfig().daemon.listen, std::vector<std::string>{"127.0.0.1:9820"});
}

TEST(Config, ReadsTheFileThatProvidersHave) {
    const ParsedConfig parsed = parse_config(R"(
[daemon]
listen = "unix:///run/curio/cuzk.sock"
status_listen = "127.0.0.1:9821"
[srs]
param_cache = "/data/zk/params"
preload = ["porep-32g"]
[memory]
total_budget = "auto"
safety_margin = "5GiB"
eviction_min_idle = "5m"
pinned_budget = "50GiB"
working_memory_budget = "100GiB"
[gpus]
devices = [0, 1]
gpu_threads = 32
gpu_workers_per_device = 2
[scheduler]
max_batch_size = 1
max_batch_wait_ms = 10000
sort_by_type = true
[synthesis]
threads = 0
partition_workers = 12
[pipeline]
enabled = true
synthesis_lookahead = 1
synthesis_concurrency = 1
max_parallel_synthesis = 18
slot_size = 0
max_gpu_queue_depth = 8
[logging]
level = "info"
format = "json"
)",
                                             "cuzk.toml");
    const DaemonConfig& c = parsed.config;
    EXPECT_EQ(c.daemon.listen, std::vector<std::string>{"unix:///run/curio/cuzk.sock"});
    EXPECT_EQ(c.srs.preload, std::vector<std::string>{"porep-32g"});
    EXPECT_EQ(c.memory.total_budget, std::nullopt);
    EXPECT_EQ(c.memory.safety_margin, u64{5} << 30);
    EXPECT_EQ(c.memory.pinned_budget, u64{50} << 30);
    EXPECT_EQ(c.memory.eviction_min_idle, 5min);
    EXPECT_EQ(c.gpus.devices, (std::vector<std::string>{"0", "1"}));
    EXPECT_EQ(c.pipeline.max_parallel_synthesis, 18u);
    EXPECT_EQ(c.pipeline.max_gpu_queue_depth, 8u);
    EXPECT_EQ(c.logging.format, "json");
    // What does nothing is said, with its line.
    EXPECT_EQ(parsed.notes.size(), 10u);
    const bool told = std::any_of(parsed.notes.begin(), parsed.notes.end(), [](const std::string& note) {
        return note.find("cuzk.toml:13: memory.working_memory_budget") != std::string::npos;
    });
    EXPECT_TRUE(told);
}

TEST(Config, UnknownKeysAreErrorsWithLineAndSuggestion) {
    expect_complaint("[daemon]\nlsiten = \"x\"\n",
                     "f.toml:2: unknown key 'daemon.lsiten'; did you mean 'daemon.listen'?");
    expect_complaint("[deamon]\nlisten = \"x\"\n",
                     "f.toml:1: unknown section 'deamon'; did you mean 'daemon'?");
    expect_complaint("[srs]\nlisten = \"x\"\n", "did you mean 'daemon.listen'?");
    expect_complaint("listen = \"x\"\n", "f.toml:1: 'listen' belongs below [daemon]");
    expect_complaint("daemon = 3\n", "write [daemon]");
    const std::string far = complaint("[gpus]\nfrobnicate = 1\n");
    EXPECT_EQ(far.find("did you mean"), std::string::npos) << far;
}

TEST(Config, RegistersCircuits) {
    const DaemonConfig c = parse_config(R"([daemon]
max_request_bytes = "1GiB"
job_timeout = "10m"
max_job_timeout = "1h"
[[circuits]]
id = "bits"
key = "/k/bits.zkey"
preload = true
[[circuits]]
id = "tree"
key = "/k/tree.params"
r1cs = "/k/tree.r1cs"
allow_insecure_key = true
)",
                                        "f.toml")
                               .config;
    EXPECT_EQ(c.daemon.max_request_bytes, u64{1} << 30);
    EXPECT_EQ(engine_config(c).max_request_bytes, u64{1} << 30);
    EXPECT_EQ(c.daemon.job_timeout, 10min);
    EXPECT_EQ(c.daemon.max_job_timeout, 1h);
    ASSERT_EQ(c.circuits.size(), 2u);
    EXPECT_EQ(c.circuits[0].id, "bits");
    EXPECT_EQ(c.circuits[0].key, "/k/bits.zkey");
    EXPECT_TRUE(c.circuits[0].preload);
    EXPECT_FALSE(c.circuits[0].allow_insecure_key);
    EXPECT_EQ(c.circuits[0].where, "f.toml:5");
    EXPECT_EQ(c.circuits[1].r1cs, "/k/tree.r1cs");
    EXPECT_TRUE(c.circuits[1].allow_insecure_key);
    const DaemonConfig again = parse_config(config_text(c), "again").config;
    EXPECT_EQ(config_text(again), config_text(c));
    EXPECT_EQ(again.circuits.size(), 2u);
}

TEST(Config, MistakesInCircuitsHaveTheirLines) {
    expect_complaint("[[circuits]]\nid = \"a\"\nky = \"x\"\n",
                     "f.toml:3: unknown key 'circuits.ky'; did you mean 'circuits.key'?");
    expect_complaint("[[circuits]]\nid = \"a\"\n", "f.toml:1: the circuit has no key");
    expect_complaint("\n[[circuits]]\nkey = \"a\"\n", "f.toml:2: the circuit has no id");
    expect_complaint("[circuits]\nid = \"a\"\n", "write [[circuits]]");
    expect_complaint("circuits = [1]\n", "write [[circuits]]");
    expect_complaint("[[circuit]]\nid = \"a\"\n", "did you mean 'circuits'?");
    expect_complaint("[[circuits]]\nid = 3\nkey = \"k\"\n", "circuits.id is no text in quotes: 3");
    expect_complaint("[[circuits]]\nid = \"a\"\nkey = \"k\"\npreload = \"yes\"\n",
                     "f.toml:4: circuits.preload is no true or false");
    expect_complaint("[daemon]\njob_timeout = \"2h\"\nmax_job_timeout = \"1h\"\n",
                     "daemon.job_timeout is longer than daemon.max_job_timeout");
    expect_complaint("[daemon]\nmax_request_bytes = 0\n", "daemon.max_request_bytes is none from 1 byte");
    expect_complaint("[memory]\ntotal_budget = 0\n", "memory.total_budget is 0: write \"auto\"");
    expect_complaint("[memory]\npinned_budget = \"0GiB\"\n", "memory.pinned_budget is 0: write \"auto\"");
    expect_complaint("[memory]\ntotal_budget = \"4GiB\"\npinned_budget = \"5GiB\"\n",
                     "memory.pinned_budget is part of memory.total_budget");
}

TEST(Config, BadValuesAreErrorsThatSayWhatIsWanted) {
    expect_complaint("[memory]\ntotal_budget = \"50 GIB\"\n",
                     "f.toml:2: memory.total_budget is no size such as \"64GiB\", nor \"auto\": \"50 GIB\"");
    expect_complaint("[memory]\nsafety_margin = \"auto\"\n", "is no size such as");
    expect_complaint("[memory]\nsafety_margin = -1\n", "is no size such as");
    expect_complaint("[memory]\neviction_min_idle = \"five minutes\"\n", "is no duration such as \"5m\"");
    expect_complaint("[gpus]\ngpu_workers_per_device = 5\n", "whole number from 1 to 4: 5");
    expect_complaint("[gpus]\ngpu_workers_per_device = \"2\"\n", "whole number from 1 to 4");
    expect_complaint("[gpus]\nallow_cpu = \"yes\"\n", "true or false");
    expect_complaint("[daemon]\nlisten = [1.5]\n", "an item is neither text nor a number");
    expect_complaint("[daemon]\nlisten = []\n", "names no address");
    expect_complaint("[logging]\nlevel = \"loud\"\n", "one of trace, debug, info, warn, error: \"loud\"");
    expect_complaint("[daemon]\ntls_key = \"k\"\n", "belong together");
    expect_complaint("[daemon\n", "f.toml:1: ");
    expect_complaint("[daemon]\nlisten = \"a\"\nlisten = \"b\"\n", "f.toml:3: ");
}

TEST(Config, EveryMistakeIsListed) {
    const std::string said =
        complaint("[daemon]\nlsiten = \"x\"\n[gpus]\ndevises = []\ngpu_workers_per_device = 9\n");
    for (const char* part : {"f.toml:2:", "f.toml:4:", "f.toml:5:"})
        EXPECT_NE(said.find(part), std::string::npos) << said;
}

TEST(Config, WhatIsPrintedReadsBack) {
    DaemonConfig c;
    c.daemon.listen = {"unix:///a \"b\"\\c", "[::1]:1"};
    c.memory.total_budget = (u64{64} << 30) + 1;
    c.memory.eviction_min_idle = 1500ms;
    c.gpus.allow_cpu = false;
    c.logging.level = "warn";
    const std::string text = config_text(c);
    EXPECT_EQ(config_text(parse_config(text, "f").config), text);
    EXPECT_EQ(parse_config(text, "f").config.daemon.listen, c.daemon.listen);
    EXPECT_EQ(parse_config(text, "f").config.memory.total_budget, c.memory.total_budget);
}

TEST(Config, ThePlanLeavesRoomForTheProcessItself) {
    DaemonConfig c;
    EXPECT_EQ(engine_config(c).host_budget, 0u) << "found out at start";
    c.memory.total_budget = u64{4} << 30;
    EXPECT_EQ(engine_config(c).host_budget, (u64{4} << 30) - (u64{256} << 20));
    c.memory.pinned_budget = (u64{4} << 30) - 1;
    EXPECT_EQ(engine_config(c).pinned_budget, engine_config(c).host_budget);
    EXPECT_NO_THROW(engine_config(c).check());
    c.memory.pinned_budget.reset();
    c.memory.total_budget = 1000;
    EXPECT_EQ(engine_config(c).host_budget, 500u);
}

TEST(Config, AFileThatIsNotThere) {
    const test::TempFolder folder;
    try {
        load_config(folder.file("none.toml"));
        FAIL() << "read a file that is not there";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
    }
}

TEST(Quantities, Sizes) {
    EXPECT_EQ(parse_size("64GiB"), u64{64} << 30);
    EXPECT_EQ(parse_size("1.5 GiB"), u64{3} << 29);
    EXPECT_EQ(parse_size("500MB"), 500'000'000u);
    EXPECT_EQ(parse_size("7"), 7u);
    EXPECT_EQ(parse_size("7B"), 7u);
    for (const char* bad :
         {"", "GiB", "-1", "1.0000000001KiB", "1e3", "64 gib", "0x10", "99999999999TiB", " 1", "1 1"})
        EXPECT_EQ(parse_size(bad), std::nullopt) << bad;
    for (const u64 n : {u64{0}, u64{1}, u64{1023}, u64{1} << 20, (u64{3} << 29)})
        EXPECT_EQ(parse_size(size_text(n)), n);
    EXPECT_EQ(size_text(u64{5} << 30), "5GiB");
}

TEST(Quantities, Durations) {
    EXPECT_EQ(parse_duration("5m"), 5min);
    EXPECT_EQ(parse_duration("90"), 90s);
    EXPECT_EQ(parse_duration("250ms"), 250ms);
    EXPECT_EQ(parse_duration("1.5h"), 90min);
    for (const char* bad : {"", "m", "-5m", "5 minutes", "1000000000d"})
        EXPECT_EQ(parse_duration(bad), std::nullopt) << bad;
    for (const auto d : {0ms, 1ms, 1500ms, 60'000ms, 3'600'000ms})
        EXPECT_EQ(parse_duration(duration_text(d)), d);
}

TEST(Suggestion, NearestWordAndNothingFarFetched) {
    EXPECT_EQ(did_you_mean("lisetn", {"listen", "level"}), "; did you mean 'listen'?");
    EXPECT_EQ(did_you_mean("zzz", {"listen", "level"}), "");
    EXPECT_EQ(did_you_mean(std::string(100'000, 'x'), {"listen"}), "");
}

}  // namespace
}  // namespace cuzk::rpc
