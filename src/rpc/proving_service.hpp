// cuzk.v1.ProvingEngine on an engine. Part of rpc's inside: it includes gRPC's headers.
#pragma once

#include <cuzk/v1/proving.grpc.pb.h>

#include <functional>

#include "engine/engine.hpp"
#include "rpc/access.hpp"
#include "rpc/job_calls.hpp"

namespace cuzk::rpc {

// Thread-safe.
class ProvingService final : public v1::ProvingEngine::Service {
public:
    // `metrics` renders the text of GetMetrics. All arguments outlive the service.
    using MetricsText = std::function<std::string()>;
    ProvingService(engine::Engine& engine, const TokenList& tokens, JobCalls& jobs, MetricsText metrics)
        : engine_(engine), tokens_(tokens), jobs_(jobs), metrics_(std::move(metrics)) {}

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
    // `timeout_ms` 0: as long as the client waits.
    grpc::Status await(const grpc::ServerContext& context, const std::string& job_id, u64 timeout_ms,
                       v1::AwaitProofResponse& out);

    engine::Engine& engine_;
    const TokenList& tokens_;
    JobCalls& jobs_;
    const MetricsText metrics_;
};

}  // namespace cuzk::rpc
