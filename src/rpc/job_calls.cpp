#include "rpc/job_calls.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace cuzk::rpc {

namespace {

using grpc::Status;
using grpc::StatusCode;

// How soon a client that left is noticed. A job's end wakes its waiters at once.
constexpr std::chrono::milliseconds kLookForClient{500};
// Every waiting call holds a thread.
constexpr u32 kMaxWaiting = 8192;
// Whoever asks for more than a year waits for ever.
constexpr u64 kYear = u64{366} * 24 * 3'600'000;

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

JobCalls::JobCalls(engine::Engine& engine, const JobLimits& limits)
    : engine_(engine),
      limits_(limits),
      quota_(limits.max_bytes_per_client, [&engine](const std::string& id) { return is_over(engine, id); }) {}

Status JobCalls::submit(engine::JobRequest request, u64 bytes, const std::string& what,
                        engine::Ticket& ticket) {
    const std::string client = request.client;
    if (const auto refusal = quota_.refusal(client, bytes)) return {StatusCode::RESOURCE_EXHAUSTED, *refusal};
    ticket = engine_.submit(std::move(request));
    quota_.add(client, ticket.job_id, bytes);
    spdlog::info("job {}: {} {} ({} bytes) from {}, {} before it", ticket.job_id,
                 ticket.joined ? "joined by a repeated" : "accepted", what, bytes, client,
                 ticket.queue_position);
    return Status::OK;
}

engine::Milliseconds JobCalls::resolved(u64 timeout_ms) const {
    const auto most = static_cast<u64>(limits_.max_timeout.count());
    if (most != 0 && timeout_ms > most)
        throw Error(ErrorKind::kMalformed,
                    fmt::format("timeout_ms {} is more than the {} that the daemon allows (max_job_timeout)",
                                timeout_ms, most));
    if (timeout_ms != 0) return engine::Milliseconds(std::min(timeout_ms, kYear));
    return limits_.timeout.count() != 0 ? limits_.timeout : limits_.max_timeout;
}

Status JobCalls::await(const grpc::ServerContext& context, const std::string& job_id, u64 timeout_ms,
                       engine::AwaitResult& answer) {
    const Waiting waiting(waiting_);
    if (waiting.too_many()) return {StatusCode::RESOURCE_EXHAUSTED, "too many calls are waiting for jobs"};
    std::optional<engine::TimePoint> deadline;
    if (timeout_ms != 0 && timeout_ms < kYear)
        deadline = engine::Clock::now() + std::chrono::milliseconds(timeout_ms);
    for (;;) {
        auto until = engine::Clock::now() + kLookForClient;
        if (deadline && *deadline < until) until = *deadline;
        answer = engine_.await(job_id, until);
        if (answer.kind == engine::AwaitResult::Kind::kUnknownJob)
            return {StatusCode::NOT_FOUND,
                    fmt::format("there is no job '{}', or its result is not kept any more", job_id)};
        if (answer.kind == engine::AwaitResult::Kind::kDone) return Status::OK;
        if (context.IsCancelled()) return {StatusCode::CANCELLED, "the client is gone; the job goes on"};
        if (deadline && engine::Clock::now() >= *deadline) return Status::OK;
    }
}

}  // namespace cuzk::rpc
