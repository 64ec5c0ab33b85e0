#include "rpc/proving_service.hpp"

#include "engine/request_content.hpp"
#include "rpc/caller.hpp"
#include "rpc/convert.hpp"

namespace cuzk::rpc {

namespace {

using grpc::ServerContext;
using grpc::Status;
using grpc::StatusCode;

}  // namespace

Status ProvingService::submit(const std::string& client, v1::SubmitProofRequest& message,
                              engine::Ticket& ticket) {
    engine::JobRequest job;
    filecoin::ProofRequest request = take_request(message);
    const u64 bytes = engine::content_bytes(request);
    const std::string kind = engine::kind_name(engine::job_kind(request.kind));
    job.content = std::move(request);
    job.client = client;
    job.timeout = jobs_.resolved(0);
    return jobs_.submit(std::move(job), bytes, kind, ticket);
}

Status ProvingService::await(const ServerContext& context, const std::string& job_id, u64 timeout_ms,
                             v1::AwaitProofResponse& out) {
    engine::AwaitResult answer;
    if (Status status = jobs_.await(context, job_id, timeout_ms, answer); !status.ok()) return status;
    if (answer.kind == engine::AwaitResult::Kind::kDone) {
        fill_result(std::move(answer.result), out);
    } else {
        out.set_job_id(job_id);
        out.set_status(v1::AwaitProofResponse::TIMEOUT);
        out.set_error_message("the job is still unfinished; it goes on and can be awaited again");
    }
    return Status::OK;
}

// NOLINTBEGIN(readability-identifier-naming): the names are those of the interface.
Status ProvingService::SubmitProof(ServerContext* context, const v1::SubmitProofRequest* request,
                                   v1::SubmitProofResponse* response) {
    return answer(*context, tokens_, [&](const std::string& client) -> Status {
        engine::Ticket ticket;
        if (Status status = submit(client, consumable(request), ticket); !status.ok()) return status;
        response->set_job_id(ticket.job_id);
        response->set_queue_position(ticket.queue_position);
        return Status::OK;
    });
}

Status ProvingService::AwaitProof(ServerContext* context, const v1::AwaitProofRequest* request,
                                  v1::AwaitProofResponse* response) {
    return answer(*context, tokens_, [&](const std::string&) -> Status {
        return await(*context, request->job_id(), request->timeout_ms(), *response);
    });
}

Status ProvingService::Prove(ServerContext* context, const v1::ProveRequest* request,
                             v1::ProveResponse* response) {
    return answer(*context, tokens_, [&](const std::string& client) -> Status {
        if (!request->has_submit()) return {StatusCode::INVALID_ARGUMENT, "the field 'submit' is missing"};
        engine::Ticket ticket;
        if (Status status = submit(client, *consumable(request).mutable_submit(), ticket); !status.ok())
            return status;
        return await(*context, ticket.job_id, 0, *response->mutable_result());
    });
}

Status ProvingService::CancelProof(ServerContext* context, const v1::CancelProofRequest* request,
                                   v1::CancelProofResponse* response) {
    return answer(*context, tokens_, [&](const std::string&) -> Status {
        response->set_was_running(engine_.cancel(request->job_id()));
        return Status::OK;
    });
}

Status ProvingService::GetStatus(ServerContext* context, const v1::GetStatusRequest*,
                                 v1::GetStatusResponse* response) {
    return answer(*context, tokens_, [&](const std::string&) -> Status {
        fill_status(engine_.status(), *response);
        return Status::OK;
    });
}

Status ProvingService::GetMetrics(ServerContext* context, const v1::GetMetricsRequest*,
                                  v1::GetMetricsResponse* response) {
    return answer(*context, tokens_, [&](const std::string&) -> Status {
        response->set_prometheus_text(metrics_());
        return Status::OK;
    });
}

Status ProvingService::PreloadSRS(ServerContext* context, const v1::PreloadSrsRequest* request,
                                  v1::PreloadSrsResponse* response) {
    return answer(*context, tokens_, [&](const std::string&) -> Status {
        const auto result = engine_.preload(request->circuit_id());
        response->set_already_loaded(result.already_loaded);
        response->set_load_time_ms(result.load_time_ms);
        return Status::OK;
    });
}

Status ProvingService::EvictSRS(ServerContext* context, const v1::EvictSrsRequest* request,
                                v1::EvictSrsResponse* response) {
    return answer(*context, tokens_, [&](const std::string&) -> Status {
        const auto result = engine_.evict(request->circuit_id());
        response->set_was_loaded(result.was_loaded);
        response->set_freed_bytes(result.freed_bytes);
        return Status::OK;
    });
}
// NOLINTEND(readability-identifier-naming)

}  // namespace cuzk::rpc
