// Jobs: who they are, how far they are, how they ended. Every job ends exactly once.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <vector>

#include "engine/config.hpp"
#include "engine/journal.hpp"
#include "engine/key_store.hpp"
#include "engine/status.hpp"
#include "engine/work_queue.hpp"

namespace cuzk::engine {

struct Partition {
    PartitionState state = PartitionState::kPending;
    std::vector<u8> proof;
    u64 synthesis_ms = 0, gpu_ms = 0;
    u32 attempts = 0, bad_proofs = 0, device_faults = 0;
    i64 device = -1;
};

struct Job {
    // Set once, before the job is visible to others.
    std::string id, request_id, client;
    ContentDigest digest{};
    JobKind kind = JobKind::kPorepSealCommit;
    Priority priority = Priority::kNormal;
    Milliseconds timeout{0};
    u64 sequence = 0;
    u64 request_bytes = 0;
    TimePoint submitted;
    std::stop_source stop;  // requested when the job ends: frees whoever waits for memory on its behalf

    WorkKey key(u32 partition = 0) const { return {priority, sequence, partition}; }

    // The rest is the table's: read and written under its lock (JobTable::update, read).
    bool accepted = false;
    JobState state = JobState::kQueued;
    std::string phase = "queued";
    u64 version = 1;
    std::shared_ptr<const JobContent> request;    // until decoded
    std::shared_ptr<const PreparedJob> prepared;  // from then on
    std::shared_ptr<const Circuit> circuit;       // from the key's arrival on
    std::string circuit_id;
    Reservation memory;  // of the request, then of what was decoded
    KeyStore::Interest interest;
    std::vector<Partition> partitions;
    u32 partitions_done = 0;
    std::optional<TimePoint> key_wanted, key_ready, started;
    JobResult result;
    TimePoint ended;
    std::condition_variable changed;
};

using JobPtr = std::shared_ptr<Job>;

// What a completed job yields; see JobResult.
struct Proved {
    std::vector<u8> proof, public_inputs;
};

// Thread-safe. Nothing is called, waited for or destroyed under its lock but a job's own condition.
class JobTable {
public:
    explicit JobTable(const EngineConfig& config) : config_(config) {}

    struct Added {
        JobPtr job;
        bool joined = false;
        u32 position = 0;
    };
    // Enters `fresh` (id empty: the table chooses), or finds the running or completed job with its request_id and content. A new
    // job is not joined by others before accept(); refuse() takes it out again. Throws RefusedError.
    Added add(const JobPtr& fresh);
    void accept(const JobPtr& job);
    void refuse(const JobPtr& job);
    // A job of an earlier run, under its id; `result`: it has ended.
    void restore(const JobPtr& job, const JobResult* result);

    JobPtr find(const std::string& job_id) const;
    AwaitResult await(const std::string& job_id, std::optional<TimePoint> deadline);
    std::optional<JobStatus> watch(const std::string& job_id, u64 seen_version, TimePoint deadline) const;

    // Changes an unfinished job and wakes its watchers; false if it has ended.
    template <class Change>
    bool update(const JobPtr& job, const Change& change) {
        const std::lock_guard lock(mutex_);
        if (is_final(job->state)) return false;
        change(*job);
        touch(*job);
        return true;
    }
    // Looks at an unfinished job; false if it has ended.
    template <class Look>
    bool read(const JobPtr& job, const Look& look) const {
        const std::lock_guard lock(mutex_);
        if (is_final(job->state)) return false;
        look(std::as_const(*job));
        return true;
    }
    bool unfinished(const JobPtr& job) const;

    // Ends a job; false if it has ended before, or is not accepted yet. What it held is destroyed after the lock is released.
    bool end(const JobPtr& job, JobState state, std::string error, ErrorKind kind, Proved proved = {});

    // Ids that are no longer kept, by age, number and bytes.
    std::vector<std::string> prune();
    std::vector<JobPtr> take_expired();  // unfinished and past their timeouts; each once
    TimePoint next_deadline() const;     // max() if none
    std::vector<JobPtr> all_unfinished() const;

    void drain();
    // Waits until every job that was added is accepted or refused. After drain(): for good.
    void wait_decided();
    bool wait_idle(TimePoint deadline) const;

    std::optional<JobStatus> status(const std::string& job_id) const;
    // Jobs, queues and totals.
    void fill(EngineStatus& status) const;

private:
    using Identity = std::pair<std::string, ContentDigest>;

    JobPtr find_accepted(const std::string& job_id) const;
    static JobStatus status_of(const Job& job);
    static void touch(Job& job);
    std::string unique_id(const Job& job) const;
    void check_limits(const Job& job) const;
    void insert(const JobPtr& job);
    void add_unfinished(const JobPtr& job);
    void remove_unfinished(const JobPtr& job);

    const EngineConfig& config_;
    mutable std::mutex mutex_;
    mutable std::condition_variable idle_;
    std::condition_variable decided_;  // a new job was accepted or refused
    std::map<std::string, JobPtr> by_id_;
    std::map<Identity, JobPtr> by_identity_;  // the latest job that can be joined
    std::map<u64, JobPtr> unfinished_;        // by sequence
    std::map<std::string, u32> unfinished_of_client_;
    std::array<u32, 5> unfinished_of_priority_{};
    std::set<std::pair<TimePoint, JobPtr>> deadlines_;  // of unfinished jobs
    std::deque<JobPtr> ended_;                          // oldest first
    u64 ended_bytes_ = 0;
    u32 undecided_ = 0;
    u64 next_sequence_ = 1;
    bool draining_ = false;
    std::array<u64, kKinds> completed_{}, failed_{};
    u64 cancelled_ = 0, timed_out_ = 0;
};

}  // namespace cuzk::engine
