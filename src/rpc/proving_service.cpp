#include "rpc/proving_service.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "rpc/caller.hpp"
#include "rpc/convert.hpp"

namespace cuzk::rpc {

namespace {

using grpc::ServerContext;
using grpc::Status;
using grpc::StatusCode;

// How soon a client that left is noticed. A job's end wakes its waiters at once.
constexpr std::chrono::milliseconds kLookForClient{500};
// Every waiting call holds a thread.
constexpr u32 kMaxWaiting = 8192;

// The server owns the message and drops it after the call; a call that waits for minutes must not hold 51 MB of a request that
// the engine has taken over. The message is not a const object: only the handler's signature says so.
template <class Message>
Message& consumable(const Message* message) {
    return *const_cast<Message*>(message);
}

class Waiting {
public:
    explicit Waiting(std::atomic<u32>& count) : count_(count), number_(++count) {}
    ~Waiting() { --count_; }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    bool too_many() const { return number_ > kMaxWaiting; }

private:
    std::atomic<u32>& count_;
    u32 number_;
};

bool is_over(const engine::Engine& engine, const std::string& job_id) {
    const auto job = engine.job(job_id);
    return !job || engine::is_final(job->state);
}

}  // namespace

ProvingService::ProvingService(engine::Engine& engine, const TokenList& tokens, u64 max_bytes_per_client,
                               MetricsText metrics)
    : engine_(engine),
      tokens_(tokens),
      metrics_(std::move(metrics)),
      quota_(max_bytes_per_client, [&engine](const std::string& id) { return is_over(engine, id); }) {}

Status ProvingService::submit(const std::string& client, v1::SubmitProofRequest& message,
                              engine::Ticket& ticket) {
    engine::JobRequest job;
    filecoin::ProofRequest request = take_request(message);
    const u64 bytes = request_bytes(request);
    const char* kind = engine::kind_name(request.kind);
    if (const auto refusal = quota_.refusal(client, bytes)) return {StatusCode::RESOURCE_EXHAUSTED, *refusal};
    job.content = std::move(request);
    job.client = client;
    ticket = engine_.submit(std::move(job));
    quota_.add(client, ticket.job_id, bytes);
    spdlog::info("job {}: {} {} ({} bytes) from {}, {} before it", ticket.job_id,
                 ticket.joined ? "joined by a repeated" : "accepted", kind, bytes, client,
                 ticket.queue_position);
    return Status::OK;
}

Status ProvingService::await(const ServerContext& context, const std::string& job_id,
                             std::optional<engine::TimePoint> deadline, v1::AwaitProofResponse& out) {
    const Waiting waiting(waiting_);
    if (waiting.too_many()) return {StatusCode::RESOURCE_EXHAUSTED, "too many calls are waiting for jobs"};
    for (;;) {
        const auto now = engine::Clock::now();
        auto until = now + kLookForClient;
        if (deadline && *deadline < until) until = *deadline;
        engine::AwaitResult answer = engine_.await(job_id, until);
        if (answer.kind == engine::AwaitResult::Kind::kUnknownJob)
            return {StatusCode::NOT_FOUND,
                    fmt::format("there is no job '{}', or its result is not kept any more", job_id)};
        if (answer.kind == engine::AwaitResult::Kind::kDone) {
            fill_result(std::move(answer.result), out);
            return Status::OK;
        }
        if (context.IsCancelled()) return {StatusCode::CANCELLED, "the client is gone; the job goes on"};
        if (deadline && engine::Clock::now() >= *deadline) {
            out.set_job_id(job_id);
            out.set_status(v1::AwaitProofResponse::TIMEOUT);
            out.set_error_message("the job is still unfinished; it goes on and can be awaited again");
            return Status::OK;
        }
    }
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
        // Whoever asks for more than a year waits for ever.
        constexpr u64 kYear = u64{366} * 24 * 3'600'000;
        std::optional<engine::TimePoint> deadline;
        if (const u64 timeout = request->timeout_ms(); timeout != 0 && timeout < kYear)
            deadline = engine::Clock::now() + std::chrono::milliseconds(timeout);
        return await(*context, request->job_id(), deadline, *response);
    });
}

Status ProvingService::Prove(ServerContext* context, const v1::ProveRequest* request,
                             v1::ProveResponse* response) {
    return answer(*context, tokens_, [&](const std::string& client) -> Status {
        if (!request->has_submit()) return {StatusCode::INVALID_ARGUMENT, "the field 'submit' is missing"};
        engine::Ticket ticket;
        if (Status status = submit(client, *consumable(request).mutable_submit(), ticket); !status.ok())
            return status;
        return await(*context, ticket.job_id, std::nullopt, *response->mutable_result());
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
