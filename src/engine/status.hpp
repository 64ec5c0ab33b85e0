// A snapshot of everything that an operator wants to see.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/types.hpp"

namespace cuzk::engine {

enum class PartitionState : u8 { kPending, kSynthesizing, kSynthesized, kProving, kDone, kFailed };
const char* partition_state_name(
    PartitionState state);  // "pending", "synthesizing", "synth_done", "gpu", "done", "failed"

struct PartitionStatus {
    u32 index = 0;
    PartitionState state = PartitionState::kPending;
    u64 synthesis_ms = 0;
    u64 gpu_ms = 0;
    u32 attempts = 0;  // starts on a device
    i64 device = -1;   // the last one
};

struct JobStatus {
    std::string job_id, request_id, client;
    JobKind kind = JobKind::kPorepSealCommit;
    Priority priority = Priority::kNormal;
    std::string circuit_id;  // empty until decoded
    JobState state = JobState::kQueued;
    std::string
        phase;  // "queued", "decoding", "waiting for key", "proving", "finishing", then the final state's name
    u32 partitions = 0, partitions_done = 0;  // partitions: 0 until decoded
    std::vector<PartitionStatus> partition;
    double submitted_seconds_ago = 0;
    double finished_seconds_ago = -1;  // -1: not finished
    std::string error;
    u64 request_bytes = 0;
    u64 version = 0;  // grows with every change; see Engine::watch
};

struct WorkerStatus {
    std::string name;  // the lane of the timeline
    i64 device = -1;
    bool busy = false;
    bool express = false;  // serves critical jobs alone
    std::string job_id;
    i64 partition = -1;
    double busy_seconds = 0;  // since the current work began
};

struct DeviceStatus {
    u32 index = 0;
    std::string name;
    std::string kind;  // "cpu", "cuda"
    bool fallback = false;
    bool retired = false;
    std::string retired_reason;
    u32 concurrency = 0;                    // partitions at once; shrinks when the device runs out of memory
    u64 memory_total = 0, memory_free = 0;  // bytes; of the host for a CPU
    double busy_share = 0;                  // of the last minute, from device intervals
    u64 partitions_done = 0, failures = 0;
    std::string current_job_id;  // one of those on it, empty if idle
    std::string current_kind;    // kind_name of that job
};

enum class KeyTier : u8 { kHot, kPinned, kMapped, kCold };
const char* tier_name(KeyTier tier);  // "hot", "pinned", "mapped", "cold"

struct KeyStatus {
    std::string circuit_id;
    KeyTier tier = KeyTier::kCold;  // the best of all devices
    bool loading = false;
    u64 key_bytes = 0;      // points of the proving key
    u64 circuit_bytes = 0;  // the compiled circuit, host memory
    u32 references = 0;     // unfinished jobs that need it, and proofs under way
    bool evictable = false;
    double idle_seconds = 0;   // since the last use; 0 while in use
    double load_seconds = 0;   // of the last load
    std::vector<u32> devices;  // where it is resident
};

// A registered circuit, as its files were at the start.
struct CircuitInfo {
    std::string id, curve;           // curve: "bn128", "bls12381"
    u64 variables = 0;               // with the constant one
    u64 public_inputs = 0;           // without it
    u64 domain = 0;                  // points of the QAP's domain: a power of two
    std::optional<u64> constraints;  // known where the circuit's .r1cs is
    u64 key_bytes = 0;               // points of the proving key
    std::string key_digest;          // SHA-256, in hexadecimal, of the verifying key as snarkjs writes it
};

struct QueueStatus {
    JobKind kind = JobKind::kPorepSealCommit;
    u32 pending = 0, in_progress = 0;  // jobs
};

struct MemoryOwner {
    std::string owner;  // "key porep-32g", "requests", "witness", "proving"
    u64 bytes = 0;
};

struct MemoryStatus {
    std::string space;  // "host", "pinned", "device 0"
    u64 budget = 0, used = 0, peak = 0;
    u32 waiting = 0;  // reservations
    u64 waiting_bytes = 0;
    std::vector<MemoryOwner> owners;
};

struct RecentError {
    double seconds_ago = 0;
    std::string job_id;
    std::string message;
};

struct EngineStatus {
    double uptime_seconds = 0;
    bool draining = false;
    std::vector<DeviceStatus> devices;
    std::vector<KeyStatus> keys;
    std::vector<CircuitInfo> circuits;
    std::array<QueueStatus, kKinds> queues;  // every kind, in the order of kAllKinds
    std::vector<JobStatus> jobs;  // unfinished ones, then finished ones that are still kept, newest first
    std::vector<WorkerStatus> workers;
    std::vector<MemoryStatus> memory;
    std::vector<RecentError> recent_errors;  // newest first

    u64 completed = 0, failed = 0, cancelled = 0, timed_out = 0;
    std::array<u64, kKinds> completed_by_kind{}, failed_by_kind{};
    u32 synthesis_max = 0, synthesis_active = 0;
    u32 pipeline_depth = 0, pipeline_used = 0;  // partitions between the start of synthesis and a device
    u32 queued_partitions = 0;                  // ready for synthesis
};

}  // namespace cuzk::engine
