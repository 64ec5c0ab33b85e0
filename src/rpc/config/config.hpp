// What the daemon is told by its TOML file. docs/daemon.md lists every key; `cuzk config show` prints them with their values.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace cuzk::rpc {

// Sizes in bytes. Where a size is optional, absence is the word "auto" of the file: found out at start.
struct DaemonConfig {
    struct Daemon {
        std::vector<std::string> listen{"127.0.0.1:9820"};  // "host:port", "unix:///path"
        std::string status_listen = "127.0.0.1:9821";       // empty: no HTTP
        std::string token_file;                             // one "NAME TOKEN" a line
        std::string tls_certificate, tls_key;               // PEM files; both or none
        bool allow_insecure = false;
        u64 max_message_bytes = u64{256} << 20;
        u64 max_jobs_per_client = 1024;
        u64 max_bytes_per_client = u64{16} << 30;
        u64 max_request_bytes = u64{8} << 30;
        std::chrono::milliseconds job_timeout{0}, max_job_timeout{0};  // 0: none
        std::chrono::milliseconds shutdown_deadline = std::chrono::minutes(10);
        std::chrono::milliseconds keep_results = std::chrono::hours(1);
        u64 keep_results_count = 10000;
        std::string journal;  // folder; empty: accepted jobs do not outlive the process
    } daemon;

    struct Srs {
        std::string param_cache;  // empty: FIL_PROOFS_PARAMETER_CACHE, or the network's default folder
        std::vector<std::string> preload;
        std::string key_cache = "make";  // "make", "use", "off": engine::KeyCaches
        std::string key_cache_folder;    // empty: CUZK_KEY_CACHE, or beside the parameter files
    } srs;

    // A circuit to prove beside Filecoin's.
    struct Circuit {
        std::string id, key, r1cs;
        bool preload = false, allow_insecure_key = false;
        std::string where;  // "FILE:LINE" of its entry, for messages
    };
    std::vector<Circuit> circuits;

    struct Memory {
        std::optional<u64> total_budget;
        u64 safety_margin = u64{5} << 30;
        std::optional<u64> pinned_budget;
        std::optional<u64> vram_limit;
        std::chrono::milliseconds eviction_min_idle = std::chrono::minutes(5);
    } memory;

    struct Gpus {
        std::vector<std::string> devices;  // ordinals or UUIDs; empty: all
        u64 gpu_workers_per_device = 2;
        u64 logical_devices_per_gpu = 1;
        bool allow_cpu = true;
    } gpus;

    struct Synthesis {
        u64 threads = 0;  // 0: all processors
    } synthesis;

    struct Pipeline {
        u64 max_parallel_synthesis = 0;  // 0: by memory and processors
        u64 max_gpu_queue_depth = 0;     // 0: by the number of workers
    } pipeline;

    struct Logging {
        std::string level = "info";
        std::string format = "text";
    } logging;
};

struct ParsedConfig {
    DaemonConfig config;
    std::vector<std::string>
        notes;  // keys that are accepted and do nothing here, one sentence each, with their lines
};

// Reads the text of a file called `name`. Throws Error(kMalformed) that lists every mistake, one a line, each with its line number
// and, for a misspelt key, the key that was probably meant.
ParsedConfig parse_config(const std::string& text, const std::string& name);

// The file at `path`; Error(kEnvironment) if it can not be read.
ParsedConfig load_config(const std::string& path);

// A file that says what `config` holds, each key with its meaning; parse_config reads it back.
std::string config_text(const DaemonConfig& config);

}  // namespace cuzk::rpc
