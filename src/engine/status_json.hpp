// The engine's state as JSON, for pages and scripts. docs/api.md lists the fields.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/status.hpp"
#include "engine/timeline.hpp"

namespace cuzk::engine {

// GET /status: the field names of earlier daemons, then ours. At most 500 jobs, here and below.
nlohmann::ordered_json status_json(const EngineStatus& status);

// One job, its partitions among it.
nlohmann::ordered_json job_json(const JobStatus& job);

// GET /api/jobs: the jobs that are known (without their partitions), the unfinished first, then the newest; and how many there are.
nlohmann::ordered_json jobs_json(const EngineStatus& status);

// GET /api/timeline: what ended after `since_us` (microseconds since the timeline's origin), at most `limit` intervals, the newest
// kept; times in microseconds since the origin.
nlohmann::ordered_json timeline_json(const Timeline& timeline, i64 since_us, std::size_t limit);

}  // namespace cuzk::engine
