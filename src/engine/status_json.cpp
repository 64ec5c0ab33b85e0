#include "engine/status_json.hpp"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace cuzk::engine {

namespace {

using Json = nlohmann::ordered_json;

// A page that is asked for twice a second must stay small whatever the queue.
constexpr std::size_t kMostJobs = 500;

// Milliseconds are exact enough, and readable.
double rounded(double seconds) {
    return std::round(seconds * 1e3) / 1e3;
}

Json partitions_json(const JobStatus& job) {
    Json list = Json::array();
    for (const PartitionStatus& p : job.partition)
        list.push_back({{"index", p.index},
                        {"state", partition_state_name(p.state)},
                        {"synth_ms", p.synthesis_ms},
                        {"gpu_ms", p.gpu_ms},
                        {"attempts", p.attempts},
                        {"device", p.device}});
    return list;
}

// Unfinished jobs, and those that ended within the last half minute, as earlier daemons showed them.
Json pipelines_json(const EngineStatus& status) {
    constexpr double kShownAfterEnd = 30;
    Json list = Json::array();
    for (const JobStatus& job : status.jobs) {
        if (is_final(job.state) && job.finished_seconds_ago > kShownAfterEnd) continue;
        if (list.size() == kMostJobs) break;
        list.push_back({{"job_id", job.job_id},
                        {"proof_kind", kind_name(job.kind)},
                        {"started_secs_ago", rounded(job.submitted_seconds_ago)},
                        {"total_partitions", job.partitions},
                        {"partitions_done", job.partitions_done},
                        {"partitions", partitions_json(job)},
                        {"state", state_name(job.state)},
                        {"phase", job.phase},
                        {"priority", priority_name(job.priority)}});
    }
    return list;
}

Json memory_json(const EngineStatus& status) {
    Json spaces = Json::array();
    u64 total = 0, used = 0;
    for (const MemoryStatus& memory : status.memory) {
        if (memory.space == "host" || memory.space == "requests") {
            total += memory.budget;
            used += memory.used;
        }
        Json owners = Json::array();
        for (const MemoryOwner& owner : memory.owners)
            owners.push_back({{"owner", owner.owner}, {"bytes", owner.bytes}});
        spaces.push_back({{"space", memory.space},
                          {"budget_bytes", memory.budget},
                          {"used_bytes", memory.used},
                          {"peak_bytes", memory.peak},
                          {"waiting", memory.waiting},
                          {"waiting_bytes", memory.waiting_bytes},
                          {"owners", std::move(owners)}});
    }
    return {{"total_bytes", total},
            {"used_bytes", used},
            {"available_bytes", total > used ? total - used : 0},
            {"spaces", std::move(spaces)}};
}

Json workers_json(const EngineStatus& status) {
    Json list = Json::array();
    u32 id = 0;
    for (const WorkerStatus& worker : status.workers) {
        if (worker.device < 0) continue;
        Json entry = {{"worker_id", id++},
                      {"gpu_ordinal", worker.device},
                      {"state", worker.busy ? "proving" : "idle"},
                      {"current_job", nullptr},
                      {"current_partition", nullptr},
                      {"busy_secs", worker.busy ? rounded(worker.busy_seconds) : 0},
                      {"name", worker.name}};
        if (worker.busy) entry["current_job"] = worker.job_id;
        if (worker.busy && worker.partition >= 0) entry["current_partition"] = worker.partition;
        list.push_back(std::move(entry));
    }
    return list;
}

Json lanes_json(const EngineStatus& status) {
    Json list = Json::array();
    for (const WorkerStatus& worker : status.workers)
        list.push_back({{"name", worker.name},
                        {"device", worker.device},
                        {"express", worker.express},
                        {"busy", worker.busy},
                        {"busy_secs", worker.busy ? rounded(worker.busy_seconds) : 0},
                        {"job", worker.job_id},
                        {"partition", worker.partition}});
    return list;
}

Json allocations_json(const EngineStatus& status) {
    Json keys = Json::array(), circuits = Json::array();
    for (const KeyStatus& key : status.keys) {
        if (key.tier == KeyTier::kCold && !key.loading) continue;
        keys.push_back({{"circuit_id", key.circuit_id},
                        {"bytes", key.key_bytes},
                        {"last_used_secs_ago", rounded(key.idle_seconds)},
                        {"evictable", key.evictable},
                        {"tier", tier_name(key.tier)},
                        {"loading", key.loading},
                        {"references", key.references},
                        {"load_secs", rounded(key.load_seconds)},
                        {"devices", key.devices}});
        circuits.push_back({{"circuit_id", key.circuit_id},
                            {"bytes", key.circuit_bytes},
                            {"last_used_secs_ago", rounded(key.idle_seconds)},
                            {"evictable", key.evictable}});
    }
    return {{"srs", std::move(keys)}, {"pce", std::move(circuits)}};
}

Json by_kind(const std::array<u64, kKinds>& counts) {
    Json object = Json::object();
    for (const auto kind : kAllKinds) object[kind_name(kind)] = counts[kind_index(kind)];
    return object;
}

// Partitions by what they hold: witnesses in the making, proofs in the making, witnesses, and those that wait for a device.
Json buffers_json(const EngineStatus& status) {
    u64 synthesizing = 0, waiting = 0, proving = 0;
    for (const JobStatus& job : status.jobs) {
        if (is_final(job.state)) continue;
        for (const PartitionStatus& p : job.partition) {
            synthesizing += p.state == PartitionState::kSynthesizing ? 1 : 0;
            waiting += p.state == PartitionState::kSynthesized ? 1 : 0;
            proving += p.state == PartitionState::kProving ? 1 : 0;
        }
    }
    return {{"synth_in_flight", synthesizing},
            {"provers_in_flight", proving},
            {"aux_in_flight", waiting + proving},
            {"shells_in_flight", waiting},
            {"pending_handles", proving}};
}

Json devices_json(const EngineStatus& status) {
    Json list = Json::array();
    for (const DeviceStatus& d : status.devices) {
        Json entry = {{"ordinal", d.index},
                      {"name", d.name},
                      {"kind", d.kind},
                      {"fallback", d.fallback},
                      {"retired", d.retired},
                      {"retired_reason", nullptr},
                      {"concurrency", d.concurrency},
                      {"memory_total_bytes", d.memory_total},
                      {"memory_free_bytes", d.memory_free},
                      {"busy_share", rounded(d.busy_share)},
                      {"partitions_done", d.partitions_done},
                      {"failures", d.failures},
                      {"current_job", d.current_job_id},
                      {"current_kind", d.current_kind}};
        if (d.retired) entry["retired_reason"] = d.retired_reason;
        list.push_back(std::move(entry));
    }
    return list;
}

Json job_fields(const JobStatus& job) {
    Json entry = {{"job_id", job.job_id},
                  {"request_id", job.request_id},
                  {"client", job.client},
                  {"proof_kind", kind_name(job.kind)},
                  {"priority", priority_name(job.priority)},
                  {"circuit_id", job.circuit_id},
                  {"state", state_name(job.state)},
                  {"phase", job.phase},
                  {"total_partitions", job.partitions},
                  {"partitions_done", job.partitions_done},
                  {"submitted_secs_ago", rounded(job.submitted_seconds_ago)},
                  {"finished_secs_ago", nullptr},
                  {"request_bytes", job.request_bytes},
                  {"error", job.error}};
    if (job.finished_seconds_ago >= 0) entry["finished_secs_ago"] = rounded(job.finished_seconds_ago);
    return entry;
}

Json circuits_json(const EngineStatus& status) {
    Json list = Json::array();
    for (const CircuitInfo& circuit : status.circuits)
        list.push_back({{"circuit_id", circuit.id},
                        {"curve", circuit.curve},
                        {"constraints", circuit.constraints ? Json(*circuit.constraints) : Json()},
                        {"variables", circuit.variables},
                        {"public_inputs", circuit.public_inputs},
                        {"domain", circuit.domain},
                        {"key_bytes", circuit.key_bytes},
                        {"key_digest", circuit.key_digest}});
    return list;
}

}  // namespace

Json job_json(const JobStatus& job) {
    Json entry = job_fields(job);
    entry["partitions"] = partitions_json(job);
    return entry;
}

Json status_json(const EngineStatus& status) {
    Json queues = Json::array();
    u32 depth = 0;
    for (const QueueStatus& queue : status.queues) {
        queues.push_back({{"proof_kind", kind_name(queue.kind)},
                          {"pending", queue.pending},
                          {"in_progress", queue.in_progress}});
        depth += queue.pending;
    }
    Json errors = Json::array();
    for (const RecentError& error : status.recent_errors)
        errors.push_back(
            {{"secs_ago", rounded(error.seconds_ago)}, {"job_id", error.job_id}, {"message", error.message}});
    return {
        {"uptime_secs", static_cast<u64>(status.uptime_seconds)},
        {"memory", memory_json(status)},
        {"synthesis", {{"max_concurrent", status.synthesis_max}, {"active", status.synthesis_active}}},
        {"pipelines", pipelines_json(status)},
        {"gpu_workers", workers_json(status)},
        {"allocations", allocations_json(status)},
        {"counters",
         {{"total_completed", status.completed},
          {"total_failed", status.failed},
          {"total_cancelled", status.cancelled},
          {"total_timed_out", status.timed_out},
          {"completed_by_kind", by_kind(status.completed_by_kind)},
          {"failed_by_kind", by_kind(status.failed_by_kind)},
          {"queue_depth", depth}}},
        {"buffers", buffers_json(status)},
        {"version", CUZK_VERSION},
        {"draining", status.draining},
        {"devices", devices_json(status)},
        {"lanes", lanes_json(status)},
        {"queues", std::move(queues)},
        {"queue",
         {{"partitions_ready", status.queued_partitions},
          {"pipeline_depth", status.pipeline_depth},
          {"pipeline_used", status.pipeline_used}}},
        {"recent_errors", std::move(errors)},
        {"circuits", circuits_json(status)},
    };
}

Json jobs_json(const EngineStatus& status) {
    Json list = Json::array();
    for (const JobStatus& job : status.jobs) {
        if (list.size() == kMostJobs) break;
        list.push_back(job_fields(job));
    }
    return {{"jobs", std::move(list)}, {"total", status.jobs.size()}};
}

Json timeline_json(const Timeline& timeline, i64 since_us, std::size_t limit) {
    using std::chrono::microseconds;
    const auto us = [&](TimePoint t) {
        return std::chrono::duration_cast<microseconds>(t - timeline.origin()).count();
    };
    const auto intervals = timeline.intervals(timeline.origin() + microseconds(since_us));
    const std::size_t first = intervals.size() > limit ? intervals.size() - limit : 0;
    Json list = Json::array();
    for (std::size_t i = first; i < intervals.size(); ++i) {
        const Interval& interval = intervals[i];
        list.push_back({{"lane", interval.lane},
                        {"stage", interval.stage},
                        {"job", interval.job_id},
                        {"partition", interval.partition},
                        {"device", interval.device},
                        {"on_device", interval.on_device},
                        {"begin_us", us(interval.begin)},
                        {"end_us", us(interval.end)}});
    }
    return {{"now_us", us(Clock::now())}, {"truncated", first != 0}, {"intervals", std::move(list)}};
}

}  // namespace cuzk::engine
