// cuzk.jobs.v1.Jobs on an engine. Part of rpc's inside: it includes gRPC's headers.
#pragma once

#include <cuzk/jobs/v1/jobs.grpc.pb.h>

#include <functional>

#include "engine/engine.hpp"
#include "rpc/access.hpp"
#include "rpc/job_calls.hpp"

namespace cuzk::rpc {

// Thread-safe; the arguments outlive the service.
class JobsService final : public jobs::v1::Jobs::Service {
public:
    JobsService(engine::Engine& engine, const TokenList& tokens, JobCalls& calls)
        : engine_(engine), tokens_(tokens), calls_(calls) {}

    // NOLINTBEGIN(readability-identifier-naming): the names are those of the interface.
    grpc::Status ListJobs(grpc::ServerContext*, const jobs::v1::ListJobsRequest*,
                          jobs::v1::ListJobsResponse*) override;
    grpc::Status WatchJob(grpc::ServerContext*, const jobs::v1::WatchJobRequest*,
                          grpc::ServerWriter<jobs::v1::Job>*) override;
    grpc::Status Drain(grpc::ServerContext*, const jobs::v1::DrainRequest*,
                       jobs::v1::DrainResponse*) override;
    grpc::Status ListCircuits(grpc::ServerContext*, const jobs::v1::ListCircuitsRequest*,
                              jobs::v1::ListCircuitsResponse*) override;
    grpc::Status SubmitCircuitProof(grpc::ServerContext*, const jobs::v1::SubmitCircuitProofRequest*,
                                    jobs::v1::SubmitCircuitProofResponse*) override;
    grpc::Status AwaitCircuitProof(grpc::ServerContext*, const jobs::v1::AwaitCircuitProofRequest*,
                                   jobs::v1::CircuitProof*) override;
    // NOLINTEND(readability-identifier-naming)

private:
    engine::Engine& engine_;
    const TokenList& tokens_;
    JobCalls& calls_;
};

}  // namespace cuzk::rpc
