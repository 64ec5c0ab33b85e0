// What an engine may use, and how long it keeps what it made.
#pragma once

#include <string>

#include "engine/types.hpp"

namespace cuzk::engine {

// Key caches (filecoin/params/key_cache.hpp): not looked at, used where they are, or also made, in the background, when a key had
// to be read from its parameter file.
enum class KeyCaches { kOff, kUse, kMake };

struct EngineConfig {
    // Folder of the .params and .vk files; empty: filecoin::parameter_folder().
    std::string params_folder;
    KeyCaches key_caches = KeyCaches::kUse;
    std::string key_cache_folder;  // empty: filecoin::key_cache_folder()
    // Folder of the journal; empty: none, and accepted jobs die with the process.
    std::string journal_folder;

    // Workers.
    u32 decode_workers = 2;
    u32 synthesis_workers = 0;       // 0: as many as half the processors, at most 18
    u32 gpu_workers_per_device = 2;  // 1..4
    u32 pipeline_depth =
        0;  // partitions synthesised or in synthesis and not yet proving; 0: workers of all devices + 1
    bool cpu_fallback = true;  // devices marked `fallback` may work when no other is left

    // Memory, bytes.
    u64 host_budget = 0;  // 0: what the cgroup or the machine has available, less the margin
    u64 host_margin = u64{5} << 30;
    u64 pinned_budget = 0;                  // part of host_budget that may be page-locked; 0: half of it
    u64 critical_reserve = u64{512} << 20;  // of the host budget, for critical jobs alone; at most 1/8 of it
    Milliseconds eviction_min_idle{std::chrono::minutes(5)};  // younger idle keys stay unless evicted by name

    // Limits.
    u32 max_jobs = 100'000;                // unfinished
    u64 max_request_bytes = u64{8} << 30;  // content of unfinished jobs
    u32 max_jobs_per_client = 0;           // unfinished; 0: no limit
    Milliseconds result_retention{std::chrono::hours(1)};
    u32 max_results = 10'000;
    u64 max_result_bytes = u64{64} << 20;

    // Faults.
    u32 max_proof_retries = 2;   // of one partition, after failed self-checks
    u32 max_device_retries = 4;  // of one partition, after failures of devices

    // Timeline.
    Milliseconds timeline_window{std::chrono::minutes(10)};
    u32 timeline_capacity = 100'000;  // intervals

    // Throws Error(kUsage) naming the key and the allowed range.
    void check() const;
};

}  // namespace cuzk::engine
