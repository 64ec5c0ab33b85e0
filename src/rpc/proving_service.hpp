// cuzk.v1.ProvingEngine on an engine. Part of rpc's inside: it includes gRPC's headers.
#pragma once

#include <cuzk/v1/proving.grpc.pb.h>

#include <atomic>

#include "engine/engine.hpp"
#include "rpc/access.hpp"

namespace cuzk::rpc {

// Thread-safe. A call that waits for a job holds one thread of the server and looks twice a second whether its client is still
// there: a client that left drops its wait, never the job.
class ProvingService final : public v1::ProvingEngine::Service {
public:
    // `metrics` renders the text of GetMetrics. All arguments outlive the service.
    using MetricsText = std::function<std::string()>;
    ProvingService(engine::Engine& engine, const TokenList& tokens, u64 max_bytes_per_client,
                   MetricsText metrics);

    // NOLINTBEGIN(readability-identifier-naming): the names are those of the interface.
    grpc::Status SubmitProof(grpc::ServerContext*, const v1::SubmitProofRequest*,
                             v1::SubmitProofResponse*) override;
    grpc::Status AwaitProof(grpc::ServerContext*, const v1::AwaitProofRequest*,
                            v1::AwaitProofResponse*) override;
    grpc::Status Prove(grpc::ServerContext*, const v1::ProveRequest*, v1::ProveResponse*) override;
    grpc::Status CancelProof(grpc::ServerContext*, const v1::CancelProofRequest*,
                             v1::CancelProofResponse*) override;
    grpc::Status GetStatus(grpc::ServerContext*, const v1::GetStatusRequest*,
                           v1::GetStatusResponse*) override;
    grpc::Status GetMetrics(grpc::ServerContext*, const v1::GetMetricsRequest*,
                            v1::GetMetricsResponse*) override;
    grpc::Status PreloadSRS(grpc::ServerContext*, const v1::PreloadSrsRequest*,
                            v1::PreloadSrsResponse*) override;
    grpc::Status EvictSRS(grpc::ServerContext*, const v1::EvictSrsRequest*, v1::EvictSrsResponse*) override;
    // NOLINTEND(readability-identifier-naming)

private:
    // Takes the request out of the message and hands it to the engine. Throws as Engine::submit.
    grpc::Status submit(const std::string& client, v1::SubmitProofRequest& message, engine::Ticket& ticket);
    // `deadline` null: as long as the client waits.
    grpc::Status await(const grpc::ServerContext& context, const std::string& job_id,
                       std::optional<engine::TimePoint> deadline, v1::AwaitProofResponse& out);

    engine::Engine& engine_;
    const TokenList& tokens_;
    const MetricsText metrics_;
    ByteQuota quota_;
    std::atomic<u32> waiting_{0};
};

}  // namespace cuzk::rpc
