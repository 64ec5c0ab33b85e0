#include "rpc/job_log.hpp"

#include <spdlog/spdlog.h>

namespace cuzk::rpc {

void JobLog::look(const engine::EngineStatus& status) {
    std::set<std::string> kept;
    for (const engine::JobStatus& job : status.jobs) {
        if (!engine::is_final(job.state)) continue;
        kept.insert(job.job_id);
        if (ended_.contains(job.job_id)) continue;
        const double took = job.submitted_seconds_ago - job.finished_seconds_ago;
        std::string what = engine::kind_name(job.kind);
        if (job.kind == engine::JobKind::kCircuit) what += " " + job.circuit_id;
        if (job.state == engine::JobState::kCompleted)
            spdlog::info("job {}: {} completed after {:.3f} s, {} partitions", job.job_id, what, took,
                         job.partitions);
        else
            spdlog::warn("job {}: {} {} after {:.3f} s: {}", job.job_id, what, engine::state_name(job.state),
                         took, job.error);
    }
    ended_ = std::move(kept);

    // Errors of jobs that ended are told above; these are the ones that a job survived, or that no job had.
    const double since = status.uptime_seconds - last_look_;
    for (auto error = status.recent_errors.rbegin(); error != status.recent_errors.rend(); ++error)
        if (error->seconds_ago < since && !ended_.contains(error->job_id))
            spdlog::warn("{}{}{}", error->job_id, error->job_id.empty() ? "" : ": ", error->message);
    last_look_ = status.uptime_seconds;

    for (const engine::DeviceStatus& device : status.devices)
        if (device.retired && retired_.insert(device.index).second)
            spdlog::error("device {} ({}) is not used any more: {}", device.index, device.name,
                          device.retired_reason);
}

}  // namespace cuzk::rpc
