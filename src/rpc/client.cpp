#include "rpc/client.hpp"

#include <cuzk/jobs/v1/jobs.grpc.pb.h>
#include <cuzk/v1/proving.grpc.pb.h>
#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include "base/byte_source.hpp"
#include "rpc/convert.hpp"

namespace cuzk::rpc {

namespace {

std::shared_ptr<grpc::ChannelCredentials> credentials(const ClientOptions& options) {
    if (!options.tls) return grpc::InsecureChannelCredentials();
    grpc::SslCredentialsOptions tls;
    if (!options.tls_ca.empty()) {
        const ByteSource ca = ByteSource::open(options.tls_ca);
        tls.pem_root_certs.assign(reinterpret_cast<const char*>(ca.bytes.data()), ca.bytes.size());
    }
    return grpc::SslCredentials(tls);
}

const char* state_text(jobs::v1::JobState state) {
    switch (state) {
        case jobs::v1::JOB_STATE_QUEUED: return "queued";
        case jobs::v1::JOB_STATE_RUNNING: return "running";
        case jobs::v1::JOB_STATE_COMPLETED: return "completed";
        case jobs::v1::JOB_STATE_FAILED: return "failed";
        case jobs::v1::JOB_STATE_CANCELLED: return "cancelled";
        case jobs::v1::JOB_STATE_TIMED_OUT: return "timed out";
        default: return "unknown";
    }
}

JobLine line_of(const jobs::v1::Job& m) {
    JobLine line{m.job_id(), m.proof_kind(), m.priority(),      state_text(m.state()),
                 m.phase(),  m.client(),     m.error_message(), m.circuit_id()};
    line.final = m.state() >= jobs::v1::JOB_STATE_COMPLETED;
    line.partitions = m.partitions();
    line.partitions_done = m.partitions_done();
    line.age_ms = m.age_ms();
    line.total_ms = m.total_ms();
    return line;
}

engine::JobState state_of(jobs::v1::JobState state) {
    switch (state) {
        case jobs::v1::JOB_STATE_QUEUED: return engine::JobState::kQueued;
        case jobs::v1::JOB_STATE_COMPLETED: return engine::JobState::kCompleted;
        case jobs::v1::JOB_STATE_FAILED: return engine::JobState::kFailed;
        case jobs::v1::JOB_STATE_CANCELLED: return engine::JobState::kCancelled;
        case jobs::v1::JOB_STATE_TIMED_OUT: return engine::JobState::kTimedOut;
        default: return engine::JobState::kRunning;
    }
}

ErrorKind kind_of(jobs::v1::JobFailure failure) {
    switch (failure) {
        case jobs::v1::JOB_FAILURE_UNSATISFIED: return ErrorKind::kUnsatisfied;
        case jobs::v1::JOB_FAILURE_REQUEST: return ErrorKind::kMalformed;
        case jobs::v1::JOB_FAILURE_INTERNAL: return ErrorKind::kInternal;
        default: return ErrorKind::kEnvironment;
    }
}

CircuitOutcome take_circuit_outcome(jobs::v1::CircuitProof& m) {
    CircuitOutcome out;
    engine::JobResult& r = out.result;
    r.job_id = std::move(*m.mutable_job_id());
    r.state = state_of(m.state());
    r.circuit_id = std::move(*m.mutable_circuit_id());
    r.proof.assign(m.proof().begin(), m.proof().end());
    r.public_inputs.assign(m.public_inputs().begin(), m.public_inputs().end());
    r.error = std::move(*m.mutable_error_message());
    r.error_kind = kind_of(m.failure());
    r.timings = {m.queue_wait_ms(), m.key_load_ms(), m.synthesis_ms(), m.gpu_compute_ms(), m.total_ms()};
    out.proof_json = std::move(*m.mutable_proof_json());
    out.public_json = std::move(*m.mutable_public_json());
    return out;
}

const char* tier_text(v1::SRSStatus::Tier tier) {
    switch (tier) {
        case v1::SRSStatus::HOT: return "hot";
        case v1::SRSStatus::WARM: return "warm";
        default: return "cold";
    }
}

ErrorKind kind_of(grpc::StatusCode code) {
    switch (code) {
        case grpc::StatusCode::INVALID_ARGUMENT: return ErrorKind::kMalformed;
        case grpc::StatusCode::NOT_FOUND: return ErrorKind::kUsage;
        default: return ErrorKind::kEnvironment;
    }
}

}  // namespace

class Client::Impl {
public:
    explicit Impl(ClientOptions options) : options_(std::move(options)) {
        grpc::ChannelArguments arguments;
        arguments.SetMaxReceiveMessageSize(static_cast<int>(options_.max_message_bytes));
        arguments.SetMaxSendMessageSize(static_cast<int>(options_.max_message_bytes));
        // Notices a daemon whose machine is gone while a call waits for a proof.
        arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 30'000);
        // Benchmarks open many clients in one process: each gets a connection of its own.
        arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
        const auto channel =
            grpc::CreateCustomChannel(options_.address.text(), credentials(options_), arguments);
        proving_ = v1::ProvingEngine::NewStub(channel);
        jobs_ = jobs::v1::Jobs::NewStub(channel);
    }

    // Prepares the context of a call; `deadline` null: none.
    void prepare(grpc::ClientContext& context, std::optional<std::chrono::milliseconds> deadline) const {
        if (!options_.token.empty()) context.AddMetadata("authorization", "Bearer " + options_.token);
        if (deadline) context.set_deadline(std::chrono::system_clock::now() + *deadline);
    }

    void check(const grpc::Status& status) const {
        if (status.ok()) return;
        const bool unreachable = status.error_code() == grpc::StatusCode::UNAVAILABLE;
        throw Error(kind_of(status.error_code()),
                    fmt::format("{}: {}{}", options_.address.text(),
                                unreachable ? "no daemon takes the call: " : "", status.error_message()));
    }

    template <class Call, class Request, class Response>
    void call(Call method, const Request& request, Response& response,
              std::optional<std::chrono::milliseconds> deadline = std::nullopt) {
        grpc::ClientContext context;
        prepare(context, deadline);
        check((proving_.get()->*method)(&context, request, &response));
    }

    jobs::v1::Jobs::Stub& jobs() { return *jobs_; }

private:
    const ClientOptions options_;
    std::unique_ptr<v1::ProvingEngine::Stub> proving_;
    std::unique_ptr<jobs::v1::Jobs::Stub> jobs_;
};

using Stub = v1::ProvingEngine::Stub;

Client::Client(ClientOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Client::~Client() = default;

engine::Ticket Client::submit(const filecoin::ProofRequest& request) {
    v1::SubmitProofRequest message;
    fill_request(request, message);
    v1::SubmitProofResponse response;
    impl_->call(&Stub::SubmitProof, message, response);
    return {response.job_id(), response.queue_position(), false};
}

engine::JobResult Client::await(const std::string& job_id, std::optional<std::chrono::milliseconds> timeout) {
    v1::AwaitProofRequest message;
    message.set_job_id(job_id);
    if (timeout) message.set_timeout_ms(static_cast<u64>(std::max<i64>(1, timeout->count())));
    v1::AwaitProofResponse response;
    impl_->call(&Stub::AwaitProof, message, response);
    return take_result(response);
}

engine::JobResult Client::prove(const filecoin::ProofRequest& request,
                                std::optional<std::chrono::milliseconds> timeout) {
    v1::ProveRequest message;
    fill_request(request, *message.mutable_submit());
    v1::ProveResponse response;
    impl_->call(&Stub::Prove, message, response, timeout);
    return take_result(*response.mutable_result());
}

bool Client::cancel(const std::string& job_id) {
    v1::CancelProofRequest message;
    message.set_job_id(job_id);
    v1::CancelProofResponse response;
    impl_->call(&Stub::CancelProof, message, response);
    return response.was_running();
}

std::vector<CircuitLine> Client::circuits() {
    grpc::ClientContext context;
    impl_->prepare(context, std::chrono::seconds(5));
    jobs::v1::ListCircuitsResponse response;
    const grpc::Status status =
        impl_->jobs().ListCircuits(&context, jobs::v1::ListCircuitsRequest(), &response);
    // A daemon from before there were registered circuits, or another implementation of cuzk.v1, has none.
    if (status.error_code() == grpc::StatusCode::UNIMPLEMENTED) return {};
    impl_->check(status);
    std::vector<CircuitLine> lines;
    for (const auto& m : response.circuits()) {
        CircuitLine line;
        line.id = m.circuit_id();
        line.curve = m.curve();
        line.key_digest = m.key_digest();
        line.variables = m.variables();
        line.public_inputs = m.public_inputs();
        line.domain = m.domain();
        line.key_bytes = m.key_bytes();
        if (m.has_constraints()) line.constraints = m.constraints();
        line.loaded = m.loaded();
        line.unfinished_jobs = m.unfinished_jobs();
        lines.push_back(std::move(line));
    }
    return lines;
}

engine::Ticket Client::submit_circuit(const engine::JobRequest& job) {
    const auto& content = std::get<engine::CircuitRequest>(job.content);
    jobs::v1::SubmitCircuitProofRequest message;
    message.set_request_id(job.request_id);
    message.set_circuit_id(content.circuit_id);
    if (content.encoding == engine::CircuitRequest::Encoding::kValues)
        message.set_values(content.witness.data(), content.witness.size());
    else
        message.set_wtns(content.witness.data(), content.witness.size());
    message.set_priority(static_cast<jobs::v1::JobPriority>(job.priority));
    message.set_timeout_ms(static_cast<u64>(job.timeout.count()));
    grpc::ClientContext context;
    impl_->prepare(context, std::nullopt);
    jobs::v1::SubmitCircuitProofResponse response;
    impl_->check(impl_->jobs().SubmitCircuitProof(&context, message, &response));
    return {response.job_id(), response.queue_position(), response.joined()};
}

CircuitOutcome Client::await_circuit(const std::string& job_id,
                                     std::optional<std::chrono::milliseconds> timeout) {
    jobs::v1::AwaitCircuitProofRequest message;
    message.set_job_id(job_id);
    if (timeout) message.set_timeout_ms(static_cast<u64>(std::max<i64>(1, timeout->count())));
    grpc::ClientContext context;
    impl_->prepare(context, std::nullopt);
    jobs::v1::CircuitProof m;
    impl_->check(impl_->jobs().AwaitCircuitProof(&context, message, &m));
    return take_circuit_outcome(m);
}

ServiceStatus Client::status() {
    v1::GetStatusResponse m;
    impl_->call(&Stub::GetStatus, v1::GetStatusRequest(), m, std::chrono::seconds(5));
    ServiceStatus s;
    for (const auto& gpu : m.gpus())
        s.gpus.push_back({gpu.ordinal(), gpu.name(), gpu.current_job_id(), gpu.current_proof_kind(),
                          gpu.vram_total_bytes(), gpu.vram_free_bytes()});
    for (const auto& key : m.loaded_srs())
        s.keys.push_back({key.circuit_id(), tier_text(key.tier()), key.size_bytes(), key.ref_count()});
    for (const auto& queue : m.queues())
        s.queues.push_back({queue.proof_kind(), queue.pending(), queue.in_progress()});
    s.completed = m.total_proofs_completed();
    s.failed = m.total_proofs_failed();
    s.uptime_seconds = m.uptime_seconds();
    s.pinned_bytes = m.pinned_memory_bytes();
    s.pinned_limit_bytes = m.pinned_memory_limit_bytes();
    return s;
}

std::string Client::metrics_text() {
    v1::GetMetricsResponse response;
    impl_->call(&Stub::GetMetrics, v1::GetMetricsRequest(), response, std::chrono::seconds(5));
    return response.prometheus_text();
}

std::vector<JobLine> Client::jobs(u32 limit) {
    grpc::ClientContext context;
    impl_->prepare(context, std::chrono::seconds(5));
    jobs::v1::ListJobsRequest request;
    request.set_limit(limit);
    jobs::v1::ListJobsResponse response;
    impl_->check(impl_->jobs().ListJobs(&context, request, &response));
    std::vector<JobLine> lines;
    for (const auto& job : response.jobs()) lines.push_back(line_of(job));
    return lines;
}

void Client::watch(const std::string& job_id, const std::function<bool(const JobLine&)>& news) {
    grpc::ClientContext context;
    impl_->prepare(context, std::nullopt);
    jobs::v1::WatchJobRequest request;
    request.set_job_id(job_id);
    const auto reader = impl_->jobs().WatchJob(&context, request);
    jobs::v1::Job job;
    bool wanted = true;
    while (reader->Read(&job)) {
        if (!wanted || news(line_of(job))) continue;
        wanted = false;
        context.TryCancel();
    }
    const grpc::Status status = reader->Finish();
    if (wanted) impl_->check(status);
}

Client::Preloaded Client::preload(const std::string& circuit_id) {
    v1::PreloadSrsRequest message;
    message.set_circuit_id(circuit_id);
    v1::PreloadSrsResponse response;
    impl_->call(&Stub::PreloadSRS, message, response);
    return {response.already_loaded(), response.load_time_ms()};
}

Client::Evicted Client::evict(const std::string& circuit_id) {
    v1::EvictSrsRequest message;
    message.set_circuit_id(circuit_id);
    v1::EvictSrsResponse response;
    impl_->call(&Stub::EvictSRS, message, response);
    return {response.was_loaded(), response.freed_bytes()};
}

u32 Client::drain() {
    grpc::ClientContext context;
    impl_->prepare(context, std::chrono::seconds(5));
    jobs::v1::DrainResponse response;
    impl_->check(impl_->jobs().Drain(&context, jobs::v1::DrainRequest(), &response));
    return response.unfinished_jobs();
}

}  // namespace cuzk::rpc
