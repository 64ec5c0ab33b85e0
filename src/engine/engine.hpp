// The engine: jobs in, verified proofs out. docs/engine.md has the picture.
//
//   submit ─▶ decode workers ─▶ ready partitions ─▶ synthesis workers ─▶ bounded queue ─▶ device workers ─▶ finaliser ─▶ await
//                    └▶ key store: loads on threads of their own
#pragma once

#include <memory>

#include "engine/config.hpp"
#include "engine/faults.hpp"
#include "engine/metrics.hpp"
#include "engine/status.hpp"
#include "engine/timeline.hpp"
#include "engine/types.hpp"
#include "engine/work.hpp"

namespace cuzk::engine {

// All methods are thread-safe, and none but those that say so waits for work. A job, once accepted, ends in exactly one of
// completed, failed, cancelled, timed out, whether or not anybody waits for it.
class Engine {
public:
    // Starts the workers; with a journal, the unfinished jobs of the last run are taken up again under their ids, and finished
    // ones can still be awaited. Throws Error(kUsage) for a bad configuration, Error(kEnvironment) for a journal that cannot be
    // read or written.
    Engine(EngineConfig config, std::unique_ptr<Workload> workload, std::vector<DeviceSpec> devices,
           std::shared_ptr<FaultHook> faults = nullptr);
    // stop() with a deadline of now.
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // Accepts a job. A request_id of an earlier request with equal content joins that job, if it runs or completed; with other
    // content, or after a failure, it is a new job with its own id. With a journal, the job is on disk when this returns.
    // Throws RefusedError, or Error(kMalformed) for a RawRequest that is no request.
    Ticket submit(JobRequest request);

    // Waits for the end of the job, at most until the deadline (none: for ever). A waiter that gives up changes nothing.
    AwaitResult await(const std::string& job_id, std::optional<TimePoint> deadline = std::nullopt);

    // Ends an unfinished job as kCancelled, at once for its waiters; its stages under way end without effect. False if there
    // is no such job or it has ended before.
    bool cancel(const std::string& job_id);

    // One job's progress; empty if the id is unknown or no longer kept.
    std::optional<JobStatus> job(const std::string& job_id) const;
    // Waits until the job's version differs from `seen_version` or the deadline passes, then as job(): for streams of progress.
    std::optional<JobStatus> watch(const std::string& job_id, u64 seen_version, TimePoint deadline) const;

    EngineStatus status() const;
    std::vector<CircuitInfo> circuits() const;  // registered ones, by id
    MetricsRegistry& metrics();                 // rpc may declare and count its own in it
    const Timeline& timeline() const;

    struct PreloadResult {
        bool already_loaded = false;
        u64 load_time_ms = 0;
    };
    // Loads a circuit's key onto every device where it fits, and keeps it until it is evicted by name or under pressure.
    // Waits for the load. Throws Error(kUsage) for an unknown id, Error(kEnvironment) if it cannot be loaded.
    PreloadResult preload(const std::string& circuit_id);

    struct EvictResult {
        bool was_loaded = false;
        u64 freed_bytes = 0;
    };
    // Throws Error(kUsage) for an unknown id, Error(kEnvironment) while jobs need the key.
    EvictResult evict(const std::string& circuit_id);

    // Takes no new jobs from now on; accepted ones go on.
    void drain();
    // Waits until no job is unfinished; false if the deadline passed first.
    bool wait_idle(TimePoint deadline);
    // drain(), wait_idle(deadline), then stops the workers. Jobs that are unfinished then end as kCancelled for their waiters;
    // in a journal they stay open, and the next engine takes them up. Waits for stages under way. Idempotent.
    void stop(TimePoint deadline);

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

// An engine for Filecoin's proofs on the given devices, configured and started.
std::unique_ptr<Engine> make_filecoin_engine(EngineConfig config, std::vector<DeviceSpec> devices);

}  // namespace cuzk::engine
