// A client of the daemon, for commands and benchmarks.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/types.hpp"
#include "rpc/listen.hpp"

namespace cuzk::rpc {

struct ClientOptions {
    Address address;
    bool tls = false;
    std::string tls_ca;  // PEM file of whom to trust; empty: the system's
    std::string token;
    u64 max_message_bytes = u64{256} << 20;
};

// A job as a list or a stream of progress shows it.
struct JobLine {
    std::string job_id, kind, priority, state, phase, client, error, circuit;
    bool final = false;
    u32 partitions = 0, partitions_done = 0;
    u64 age_ms = 0, total_ms = 0;
};

// What GetStatus tells.
struct ServiceStatus {
    struct Gpu {
        u32 ordinal = 0;
        std::string name, job_id, kind;
        u64 memory_total = 0, memory_free = 0;
    };
    struct Key {
        std::string circuit_id, tier;
        u64 bytes = 0;
        u32 references = 0;
    };
    struct Queue {
        std::string kind;
        u32 pending = 0, in_progress = 0;
    };
    std::vector<Gpu> gpus;
    std::vector<Key> keys;
    std::vector<Queue> queues;
    u64 completed = 0, failed = 0, uptime_seconds = 0, pinned_bytes = 0, pinned_limit_bytes = 0;
};

// What ListCircuits tells of one.
struct CircuitLine {
    std::string id, curve, key_digest;
    u64 variables = 0, public_inputs = 0, domain = 0, key_bytes = 0;
    std::optional<u64> constraints;
    bool loaded = false;
    u32 unfinished_jobs = 0;
};

// The end of a job for a registered circuit, or where it is when the wait ended first.
struct CircuitOutcome {
    engine::JobResult result;             // error_kind says why a job failed
    std::string proof_json, public_json;  // as snarkjs writes them
};

// Thread-safe: calls may overlap. A call that fails throws Error: kEnvironment where no daemon answers, or it refuses, or fails;
// kMalformed for a request that is none; kUsage for a job that is not known. The message names the address.
class Client {
public:
    // Connects with the first call.
    explicit Client(ClientOptions options);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    engine::Ticket submit(const filecoin::ProofRequest& request);
    // The job's end; state kTimedOut where the wait ended first.
    engine::JobResult await(const std::string& job_id,
                            std::optional<std::chrono::milliseconds> timeout = std::nullopt);
    std::vector<CircuitLine> circuits();
    // `job.content` is a CircuitRequest; the client's name is the daemon's to find.
    engine::Ticket submit_circuit(const engine::JobRequest& job);
    // result.state is kQueued or kRunning where the wait ended first.
    CircuitOutcome await_circuit(const std::string& job_id,
                                 std::optional<std::chrono::milliseconds> timeout = std::nullopt);

    // submit and await in one call, as Curio does it; `timeout` is the deadline of the call.
    engine::JobResult prove(const filecoin::ProofRequest& request,
                            std::optional<std::chrono::milliseconds> timeout = std::nullopt);
    // Whether the job was unfinished.
    bool cancel(const std::string& job_id);

    ServiceStatus status();
    std::string metrics_text();
    std::vector<JobLine> jobs(u32 limit = 0);
    // Calls `news` with every change until the job ended, or until it returns false.
    void watch(const std::string& job_id, const std::function<bool(const JobLine&)>& news);

    struct Preloaded {
        bool already_loaded = false;
        u64 milliseconds = 0;
    };
    Preloaded preload(const std::string& circuit_id);
    struct Evicted {
        bool was_loaded = false;
        u64 freed_bytes = 0;
    };
    Evicted evict(const std::string& circuit_id);
    // The number of unfinished jobs.
    u32 drain();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace cuzk::rpc
