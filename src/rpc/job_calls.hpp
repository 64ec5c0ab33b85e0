// What the services have in common: taking jobs within the clients' limits, and waiting for them. Part of rpc's inside: it
// includes gRPC's headers.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>

#include "engine/engine.hpp"
#include "rpc/access.hpp"
#include "rpc/job_limits.hpp"

namespace cuzk::rpc {

// Thread-safe. The engine outlives it.
class JobCalls {
public:
    JobCalls(engine::Engine& engine, const JobLimits& limits);

    // Hands a request of `bytes` to the engine. Throws as Engine::submit; the request's timeout is as resolved() made it. `what` is for the log.
    grpc::Status submit(engine::JobRequest request, u64 bytes, const std::string& what,
                        engine::Ticket& ticket);
    // The timeout of a job for which a request asks so much (0: nothing). Error(kMalformed) if it asks for too much.
    engine::Milliseconds resolved(u64 timeout_ms) const;

    // Waits for a job: for ever where `timeout_ms` is 0. NOT_FOUND; CANCELLED where the client left; else OK, and `answer` says
    // whether the job has ended. A call that waits holds one thread of the server, and looks twice a second whether its client
    // is still there: a client that left drops its wait, never the job.
    grpc::Status await(const grpc::ServerContext& context, const std::string& job_id, u64 timeout_ms,
                       engine::AwaitResult& answer);

private:
    engine::Engine& engine_;
    const JobLimits limits_;
    ByteQuota quota_;
    std::atomic<u32> waiting_{0};
};

}  // namespace cuzk::rpc
