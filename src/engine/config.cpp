#include "engine/config.hpp"

namespace cuzk::engine {

void EngineConfig::check() const {
    const auto range = [](const char* key, u64 value, u64 low, u64 high) {
        if (value < low || value > high)
            throw Error(ErrorKind::kUsage, std::string(key) + " is " + std::to_string(value) +
                                               ", allowed are " + std::to_string(low) + " to " +
                                               std::to_string(high));
    };
    range("decode_workers", decode_workers, 1, 64);
    range("synthesis_workers", synthesis_workers, 0, 256);
    range("gpu_workers_per_device", gpu_workers_per_device, 1, 4);
    range("pipeline_depth", pipeline_depth, 0, 1024);
    range("max_jobs", max_jobs, 1, 10'000'000);
    range("max_request_bytes", max_request_bytes, 1, u64{1} << 40);
    range("max_results", max_results, 1, 10'000'000);
    range("max_result_bytes", max_result_bytes, 1, u64{1} << 40);
    range("max_proof_retries", max_proof_retries, 0, 100);
    range("max_device_retries", max_device_retries, 0, 100);
    range("timeline_capacity", timeline_capacity, 1, 10'000'000);
    if (pinned_budget != 0 && host_budget != 0 && pinned_budget > host_budget)
        throw Error(ErrorKind::kUsage, "pinned_budget is part of host_budget and cannot be larger than it");
    for (const auto& [key, value] :
         {std::pair("result_retention", result_retention), std::pair("timeline_window", timeline_window),
          std::pair("eviction_min_idle", eviction_min_idle)})
        if (value.count() < 0) throw Error(ErrorKind::kUsage, std::string(key) + " is negative");
}

}  // namespace cuzk::engine
