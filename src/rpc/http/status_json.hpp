// The engine's state as JSON, for pages and scripts. docs/api.md lists the fields.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/status.hpp"
#include "engine/timeline.hpp"

namespace cuzk::rpc {

// GET /status: the field names of earlier daemons, then ours. At most 500 jobs, here and below.
nlohmann::ordered_json status_json(const engine::EngineStatus& status);

// GET /api/jobs: the jobs that are known, the unfinished first, then the newest; and how many there are.
nlohmann::ordered_json jobs_json(const engine::EngineStatus& status);

// GET /api/timeline: what ended after `since_us` (microseconds since the timeline's origin), at most `limit` intervals, the newest
// kept; times in microseconds since the origin.
nlohmann::ordered_json timeline_json(const engine::Timeline& timeline, i64 since_us, std::size_t limit);

}  // namespace cuzk::rpc
