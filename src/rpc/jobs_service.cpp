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

namespace {

Status check_circuit_exists(const engine::Engine& engine, const std::string& id) {
    std::string known;
    for (const engine::CircuitInfo& circuit : engine.circuits()) {
        if (circuit.id == id) return Status::OK;
        known += (known.empty() ? "" : ", ") + circuit.id;
    }
    return {StatusCode::NOT_FOUND, "no circuit '" + id + "' is registered; " +
                                       (known.empty() ? "there are none" : "there are: " + known)};
}

}  // namespace

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

Status JobsService::ListCircuits(ServerContext* context, const jobs::v1::ListCircuitsRequest*,
                                 jobs::v1::ListCircuitsResponse* response) {
    return answer(*context, tokens_, [&](const std::string&) -> Status {
        const engine::EngineStatus status = engine_.status();
        for (const engine::CircuitInfo& circuit : status.circuits)
            fill_circuit(circuit, status, *response->add_circuits());
        return Status::OK;
    });
}

Status JobsService::SubmitCircuitProof(ServerContext* context,
                                       const jobs::v1::SubmitCircuitProofRequest* request,
                                       jobs::v1::SubmitCircuitProofResponse* response) {
    return answer(*context, tokens_, [&](const std::string& client) -> Status {
        if (Status status = check_circuit_exists(engine_, request->circuit_id()); !status.ok()) return status;
        if (request->witness_case() == jobs::v1::SubmitCircuitProofRequest::WITNESS_NOT_SET)
            return {StatusCode::INVALID_ARGUMENT,
                    "there is no witness: one of 'wtns' and 'values' is needed"};
        engine::JobRequest job;
        job.request_id = request->request_id();
        if (jobs::v1::JobPriority_IsValid(request->priority()))
            job.priority = static_cast<engine::Priority>(request->priority());
        job.timeout = calls_.resolved(request->timeout_ms());
        job.client = client;
        engine::CircuitRequest content = take_circuit_request(consumable(request));
        const u64 bytes = content.witness.size();
        job.content = std::move(content);
        engine::Ticket ticket;
        try {
            Status status = calls_.submit(std::move(job), bytes, "circuit " + request->circuit_id(), ticket);
            if (!status.ok()) return status;
        } catch (const Error& e) {
            if (e.kind() != ErrorKind::kUnsupported) throw;
            return {StatusCode::INVALID_ARGUMENT, e.what()};  // a witness over a field that we do not know
        }
        response->set_job_id(ticket.job_id);
        response->set_queue_position(ticket.queue_position);
        response->set_joined(ticket.joined);
        return Status::OK;
    });
}

Status JobsService::AwaitCircuitProof(ServerContext* context,
                                      const jobs::v1::AwaitCircuitProofRequest* request,
                                      jobs::v1::CircuitProof* response) {
    return answer(*context, tokens_, [&](const std::string&) -> Status {
        const auto job = engine_.job(request->job_id());
        if (job && job->kind != engine::JobKind::kCircuit)
            return {StatusCode::FAILED_PRECONDITION,
                    "job '" + request->job_id() + "' proves no registered circuit but " +
                        engine::kind_name(job->kind) + ": AwaitProof of cuzk.v1 has its result"};
        engine::AwaitResult answer;
        Status status = calls_.await(*context, request->job_id(), request->timeout_ms(), answer);
        if (!status.ok()) return status;
        if (answer.kind == engine::AwaitResult::Kind::kDone) {
            fill_circuit_proof(std::move(answer.result), *response);
        } else {
            const auto now = engine_.job(request->job_id());  // the wait may have been long
            response->set_job_id(request->job_id());
            response->set_state(now && now->state == engine::JobState::kQueued ? jobs::v1::JOB_STATE_QUEUED
                                                                               : jobs::v1::JOB_STATE_RUNNING);
        }
        return Status::OK;
    });
}
// NOLINTEND(readability-identifier-naming)

}  // namespace cuzk::rpc
