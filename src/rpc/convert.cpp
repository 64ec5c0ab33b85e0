#include "rpc/convert.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "engine/circuit_result.hpp"

namespace cuzk::rpc {

namespace {

std::vector<u8> take_bytes(std::string& blob) {
    std::vector<u8> bytes(blob.begin(), blob.end());
    std::string().swap(blob);
    return bytes;
}

std::string text_of(const std::vector<u8>& bytes) {
    return {bytes.begin(), bytes.end()};
}

v1::SRSStatus::Tier wire_tier(engine::KeyTier tier) {
    switch (tier) {
        case engine::KeyTier::kHot: return v1::SRSStatus::HOT;
        case engine::KeyTier::kPinned:
        case engine::KeyTier::kMapped: return v1::SRSStatus::WARM;
        case engine::KeyTier::kCold: break;
    }
    return v1::SRSStatus::COLD;
}

v1::AwaitProofResponse::Status wire_state(engine::JobState state) {
    switch (state) {
        case engine::JobState::kCompleted: return v1::AwaitProofResponse::COMPLETED;
        case engine::JobState::kFailed: return v1::AwaitProofResponse::FAILED;
        case engine::JobState::kCancelled: return v1::AwaitProofResponse::CANCELLED;
        case engine::JobState::kTimedOut: return v1::AwaitProofResponse::TIMEOUT;
        case engine::JobState::kQueued:
        case engine::JobState::kRunning: break;
    }
    return v1::AwaitProofResponse::UNKNOWN;
}

engine::JobState state_of(v1::AwaitProofResponse::Status status) {
    switch (status) {
        case v1::AwaitProofResponse::COMPLETED: return engine::JobState::kCompleted;
        case v1::AwaitProofResponse::FAILED: return engine::JobState::kFailed;
        case v1::AwaitProofResponse::CANCELLED: return engine::JobState::kCancelled;
        case v1::AwaitProofResponse::TIMEOUT: return engine::JobState::kTimedOut;
        default: return engine::JobState::kRunning;
    }
}

jobs::v1::JobState jobs_state(engine::JobState state) {
    switch (state) {
        case engine::JobState::kQueued: return jobs::v1::JOB_STATE_QUEUED;
        case engine::JobState::kRunning: return jobs::v1::JOB_STATE_RUNNING;
        case engine::JobState::kCompleted: return jobs::v1::JOB_STATE_COMPLETED;
        case engine::JobState::kFailed: return jobs::v1::JOB_STATE_FAILED;
        case engine::JobState::kCancelled: return jobs::v1::JOB_STATE_CANCELLED;
        case engine::JobState::kTimedOut: return jobs::v1::JOB_STATE_TIMED_OUT;
    }
    return jobs::v1::JOB_STATE_UNSPECIFIED;
}

jobs::v1::JobFailure failure_of(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::kUnsatisfied: return jobs::v1::JOB_FAILURE_UNSATISFIED;
        case ErrorKind::kUsage:
        case ErrorKind::kMalformed:
        case ErrorKind::kUnsupported: return jobs::v1::JOB_FAILURE_REQUEST;
        case ErrorKind::kEnvironment: return jobs::v1::JOB_FAILURE_ENVIRONMENT;
        case ErrorKind::kInternal: break;
    }
    return jobs::v1::JOB_FAILURE_INTERNAL;
}

u64 milliseconds(double seconds) {
    return static_cast<u64>(std::max(0.0, seconds) * 1e3);
}

}  // namespace

filecoin::ProofRequest take_request(v1::SubmitProofRequest& m) {
    const int kind = m.proof_kind();
    if (kind < v1::POREP_SEAL_COMMIT || kind > v1::WINNING_POST)
        throw Error(ErrorKind::kMalformed, "proof_kind " + std::to_string(kind) + " names no kind of proof");
    filecoin::ProofRequest r;
    r.kind = static_cast<filecoin::ProofKind>(kind);
    r.request_id = std::move(*m.mutable_request_id());
    r.sector_size = m.sector_size();
    r.registered_proof = m.registered_proof();
    r.priority = static_cast<u32>(m.priority());
    r.vanilla_proof = take_bytes(*m.mutable_vanilla_proof());
    r.vanilla_proofs.reserve(static_cast<std::size_t>(m.vanilla_proofs_size()));
    for (std::string& blob : *m.mutable_vanilla_proofs()) r.vanilla_proofs.push_back(take_bytes(blob));
    r.sector_number = m.sector_number();
    r.miner_id = m.miner_id();
    r.randomness = take_bytes(*m.mutable_randomness());
    r.partition_index = m.partition_index();
    r.comm_r_old = take_bytes(*m.mutable_comm_r_old());
    r.comm_r_new = take_bytes(*m.mutable_comm_r_new());
    r.comm_d_new = take_bytes(*m.mutable_comm_d_new());
    return r;
}

void fill_request(const filecoin::ProofRequest& r, v1::SubmitProofRequest& m) {
    m.set_request_id(r.request_id);
    m.set_proof_kind(static_cast<v1::ProofKind>(r.kind));
    m.set_sector_size(r.sector_size);
    m.set_registered_proof(r.registered_proof);
    m.set_priority(static_cast<v1::Priority>(r.priority));
    m.set_vanilla_proof(r.vanilla_proof.data(), r.vanilla_proof.size());
    for (const auto& blob : r.vanilla_proofs) m.add_vanilla_proofs(blob.data(), blob.size());
    m.set_sector_number(r.sector_number);
    m.set_miner_id(r.miner_id);
    m.set_randomness(text_of(r.randomness));
    m.set_partition_index(r.partition_index);
    m.set_comm_r_old(text_of(r.comm_r_old));
    m.set_comm_r_new(text_of(r.comm_r_new));
    m.set_comm_d_new(text_of(r.comm_d_new));
}

void fill_result(engine::JobResult&& result, v1::AwaitProofResponse& m) {
    m.set_job_id(std::move(result.job_id));
    m.set_status(wire_state(result.state));
    m.set_proof(result.proof.data(), result.proof.size());
    m.set_error_message(std::move(result.error));
    m.set_queue_wait_ms(result.timings.queue_wait);
    m.set_srs_load_ms(result.timings.key_load);
    m.set_synthesis_ms(result.timings.synthesis);
    m.set_gpu_compute_ms(result.timings.gpu_compute);
    m.set_total_ms(result.timings.total);
}

engine::JobResult take_result(v1::AwaitProofResponse& m) {
    engine::JobResult result;
    result.job_id = std::move(*m.mutable_job_id());
    result.state = state_of(m.status());
    result.proof = take_bytes(*m.mutable_proof());
    result.error = std::move(*m.mutable_error_message());
    result.timings = {m.queue_wait_ms(), m.srs_load_ms(), m.synthesis_ms(), m.gpu_compute_ms(), m.total_ms()};
    return result;
}

void fill_status(const engine::EngineStatus& status, v1::GetStatusResponse& m) {
    for (const engine::DeviceStatus& device : status.devices) {
        v1::GPUStatus& gpu = *m.add_gpus();
        gpu.set_ordinal(device.index);
        gpu.set_name(device.name);
        gpu.set_vram_total_bytes(device.memory_total);
        gpu.set_vram_free_bytes(device.memory_free);
        gpu.set_current_job_id(device.current_job_id);
        gpu.set_current_proof_kind(device.current_kind);
    }
    for (const engine::KeyStatus& key : status.keys) {
        if (key.tier == engine::KeyTier::kCold && !key.loading) continue;
        v1::SRSStatus& srs = *m.add_loaded_srs();
        srs.set_circuit_id(key.circuit_id);
        srs.set_tier(wire_tier(key.tier));
        srs.set_size_bytes(key.key_bytes);
        srs.set_ref_count(key.references);
    }
    for (const engine::QueueStatus& queue : status.queues) {
        if (queue.kind == engine::JobKind::kCircuit) continue;  // what this interface has no kind for
        v1::QueueStatus& q = *m.add_queues();
        q.set_proof_kind(engine::kind_name(queue.kind));
        q.set_pending(queue.pending);
        q.set_in_progress(queue.in_progress);
    }
    m.set_total_proofs_completed(status.completed);
    m.set_total_proofs_failed(status.failed);
    m.set_uptime_seconds(static_cast<u64>(status.uptime_seconds));
    for (const engine::MemoryStatus& memory : status.memory) {
        if (memory.space != "pinned") continue;
        m.set_pinned_memory_bytes(memory.used);
        m.set_pinned_memory_limit_bytes(memory.budget);
    }
}

void fill_job(const engine::JobStatus& job, jobs::v1::Job& m) {
    m.set_job_id(job.job_id);
    m.set_proof_kind(engine::kind_name(job.kind));
    m.set_priority(engine::priority_name(job.priority));
    m.set_state(jobs_state(job.state));
    m.set_phase(job.phase);
    m.set_partitions(job.partitions);
    m.set_partitions_done(job.partitions_done);
    m.set_age_ms(milliseconds(job.submitted_seconds_ago));
    const double end = job.finished_seconds_ago < 0 ? 0 : job.finished_seconds_ago;
    m.set_total_ms(milliseconds(job.submitted_seconds_ago - end));
    m.set_client(job.client);
    m.set_error_message(job.error);
    m.set_circuit_id(job.circuit_id);
}

engine::CircuitRequest take_circuit_request(jobs::v1::SubmitCircuitProofRequest& m) {
    using Encoding = engine::CircuitRequest::Encoding;
    engine::CircuitRequest r;
    r.circuit_id = m.circuit_id();
    r.encoding = m.has_values() ? Encoding::kValues : Encoding::kWtns;
    r.witness = take_bytes(m.has_values() ? *m.mutable_values() : *m.mutable_wtns());
    return r;
}

void fill_circuit(const engine::CircuitInfo& circuit, const engine::EngineStatus& status,
                  jobs::v1::Circuit& m) {
    m.set_circuit_id(circuit.id);
    m.set_curve(circuit.curve);
    m.set_variables(circuit.variables);
    m.set_public_inputs(circuit.public_inputs);
    m.set_domain(circuit.domain);
    if (circuit.constraints) m.set_constraints(*circuit.constraints);
    m.set_key_bytes(circuit.key_bytes);
    m.set_key_digest(circuit.key_digest);
    m.set_loaded(std::any_of(status.keys.begin(), status.keys.end(), [&](const engine::KeyStatus& key) {
        return key.circuit_id == circuit.id && !key.devices.empty();
    }));
    m.set_unfinished_jobs(static_cast<u32>(
        std::count_if(status.jobs.begin(), status.jobs.end(), [&](const engine::JobStatus& job) {
            return job.circuit_id == circuit.id && !engine::is_final(job.state);
        })));
}

void fill_circuit_proof(engine::JobResult&& result, jobs::v1::CircuitProof& m) {
    m.set_job_id(std::move(result.job_id));
    m.set_state(jobs_state(result.state));
    m.set_circuit_id(std::move(result.circuit_id));
    m.set_error_message(std::move(result.error));
    m.set_queue_wait_ms(result.timings.queue_wait);
    m.set_key_load_ms(result.timings.key_load);
    m.set_synthesis_ms(result.timings.synthesis);
    m.set_gpu_compute_ms(result.timings.gpu_compute);
    m.set_total_ms(result.timings.total);
    if (result.state == engine::JobState::kFailed) m.set_failure(failure_of(result.error_kind));
    if (result.state != engine::JobState::kCompleted) return;
    engine::CircuitTexts texts = engine::circuit_texts(result);
    m.set_curve(std::move(texts.curve));
    m.set_proof_json(std::move(texts.proof));
    m.set_public_json(std::move(texts.inputs));
    m.set_proof(result.proof.data(), result.proof.size());
    m.set_public_inputs(result.public_inputs.data(), result.public_inputs.size());
}

}  // namespace cuzk::rpc
