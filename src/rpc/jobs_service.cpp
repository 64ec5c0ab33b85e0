#include "rpc/jobs_service.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>

#include "rpc/caller.hpp"
#include "rpc/convert.hpp"

namespace cuzk::rpc {

using grpc::ServerContext;
using grpc::Status;
using grpc::StatusCode;

// NOLINTBEGIN(readability-identifier-naming): the names are those of the interface.
Status JobsService::ListJobs(ServerContext* context, const jobs::v1::ListJobsRequest* request,
                             jobs::v1::ListJobsResponse* response) {
    return answer(*context, tokens_, [&](const std::string&) -> Status {
        const engine::EngineStatus status = engine_.status();
        std::size_t count = status.jobs.size();
        if (request->limit() != 0) count = std::min<std::size_t>(count, request->limit());
        for (std::size_t i = 0; i < count; ++i) fill_job(status.jobs[i], *response->add_jobs());
        return Status::OK;
    });
}

Status JobsService::WatchJob(ServerContext* context, const jobs::v1::WatchJobRequest* request,
                             grpc::ServerWriter<jobs::v1::Job>* writer) {
    return answer(*context, tokens_, [&](const std::string&) -> Status {
        constexpr std::chrono::milliseconds kLookForClient{500};
        // Dozens of partitions may change at once; nobody reads faster than this.
        constexpr std::chrono::milliseconds kLeastPause{50};
        auto job = engine_.job(request->job_id());
        if (!job) return {StatusCode::NOT_FOUND, "there is no job '" + request->job_id() + "'"};
        for (;;) {
            jobs::v1::Job message;
            fill_job(*job, message);
            if (!writer->Write(message) || engine::is_final(job->state)) return Status::OK;
            const u64 seen = job->version;
            do {
                if (context->IsCancelled()) return {StatusCode::CANCELLED, "the client is gone"};
                job = engine_.watch(request->job_id(), seen, engine::Clock::now() + kLookForClient);
                if (!job) return {StatusCode::NOT_FOUND, "the job is not kept any more"};
            } while (job->version == seen);
            if (!engine::is_final(job->state)) std::this_thread::sleep_for(kLeastPause);
        }
    });
}

Status JobsService::Drain(ServerContext* context, const jobs::v1::DrainRequest*,
                          jobs::v1::DrainResponse* response) {
    return answer(*context, tokens_, [&](const std::string& client) -> Status {
        spdlog::info("draining, as {} asks: no new jobs are accepted", client);
        engine_.drain();
        u32 unfinished = 0;
        for (const engine::QueueStatus& queue : engine_.status().queues)
            unfinished += queue.pending + queue.in_progress;
        response->set_unfinished_jobs(unfinished);
        return Status::OK;
    });
}
// NOLINTEND(readability-identifier-naming)

}  // namespace cuzk::rpc
