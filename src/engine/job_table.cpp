#include "engine/job_table.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "formats/digest.hpp"

namespace cuzk::engine {

namespace {

double seconds_since(TimePoint t) {
    return std::chrono::duration<double>(Clock::now() - t).count();
}

u64 milliseconds_between(TimePoint from, TimePoint to) {
    return to <= from ? 0 : static_cast<u64>(std::chrono::duration_cast<Milliseconds>(to - from).count());
}

std::string fresh_id() {
    std::array<u8, 16> bytes{};
    OsRandom().fill(bytes);
    return "job-" + hex_text(bytes);
}

u64 result_bytes(const JobResult& result) {
    return result.proof.size() + result.public_inputs.size() + result.error.size() + result.job_id.size();
}

}  // namespace

void JobTable::touch(Job& job) {
    ++job.version;
    job.changed.notify_all();
}

// The caller's id where it is free; else with the content's digest, so that the two can be told apart.
std::string JobTable::unique_id(const Job& job) const {
    std::string id = job.request_id;
    if (id.empty())
        id = fresh_id();
    else if (by_id_.contains(id))
        id += "~" + hex_text(job.digest).substr(0, 8);
    std::string candidate = id;
    for (u32 n = 2; by_id_.contains(candidate); ++n) candidate = id + "-" + std::to_string(n);
    return candidate;
}

void JobTable::check_limits(const Job& job) const {
    if (draining_)
        throw RefusedError(Refusal::kDraining, "the engine is shutting down and takes no new jobs");
    if (unfinished_.size() >= config_.max_jobs)
        throw RefusedError(Refusal::kQueueFull,
                           "there are " + std::to_string(unfinished_.size()) +
                               " unfinished jobs, as many as the engine takes (max_jobs)");
    if (config_.max_jobs_per_client == 0) return;
    const auto of_client = unfinished_of_client_.find(job.client);
    if (of_client != unfinished_of_client_.end() && of_client->second >= config_.max_jobs_per_client)
        throw RefusedError(Refusal::kClientLimit,
                           "client " + job.client + " has " + std::to_string(of_client->second) +
                               " unfinished jobs, as many as one client may have (max_jobs_per_client)");
}

void JobTable::insert(const JobPtr& job) {
    by_id_.emplace(job->id, job);
    if (!job->request_id.empty()) by_identity_[{job->request_id, job->digest}] = job;
}

JobTable::Added JobTable::add(const JobPtr& fresh) {
    std::unique_lock lock(mutex_);
    for (;;) {
        const auto it = by_identity_.find({fresh->request_id, fresh->digest});
        if (fresh->request_id.empty() || it == by_identity_.end()) break;
        const JobPtr known = it->second;
        if (!known->accepted) {  // being written to disk by another caller: its fate decides ours
            decided_.wait(lock);
            continue;
        }
        if (is_final(known->state) && known->state != JobState::kCompleted) break;
        return {known, true, 0};
    }
    check_limits(*fresh);
    fresh->id = unique_id(*fresh);
    fresh->sequence = next_sequence_++;
    fresh->submitted = Clock::now();
    u32 position = 0;
    for (std::size_t p = static_cast<std::size_t>(fresh->priority); p < unfinished_of_priority_.size(); ++p)
        position += unfinished_of_priority_[p];
    insert(fresh);
    add_unfinished(fresh);
    ++undecided_;
    return {fresh, false, position};
}

void JobTable::accept(const JobPtr& job) {
    const std::lock_guard lock(mutex_);
    job->accepted = true;
    --undecided_;
    decided_.notify_all();
}

void JobTable::add_unfinished(const JobPtr& job) {
    unfinished_.emplace(job->sequence, job);
    ++unfinished_of_client_[job->client];
    ++unfinished_of_priority_[static_cast<std::size_t>(job->priority)];
    if (job->timeout.count() > 0) deadlines_.emplace(job->submitted + job->timeout, job);
}

void JobTable::remove_unfinished(const JobPtr& job) {
    unfinished_.erase(job->sequence);
    const auto of_client = unfinished_of_client_.find(job->client);
    if (--of_client->second == 0) unfinished_of_client_.erase(of_client);
    --unfinished_of_priority_[static_cast<std::size_t>(job->priority)];
    deadlines_.erase({job->submitted + job->timeout, job});
    if (unfinished_.empty()) idle_.notify_all();
}

void JobTable::refuse(const JobPtr& job) {
    const std::lock_guard lock(mutex_);
    by_id_.erase(job->id);
    by_identity_.erase({job->request_id, job->digest});
    remove_unfinished(job);
    --undecided_;
    decided_.notify_all();
}

void JobTable::restore(const JobPtr& job, const JobResult* result) {
    const std::lock_guard lock(mutex_);
    job->sequence = next_sequence_++;
    job->submitted = Clock::now();
    job->accepted = true;
    insert(job);
    if (result != nullptr) {
        job->state = result->state;
        job->phase = state_name(result->state);
        job->result = *result;
        job->result.kind = job->kind;
        job->ended = Clock::now();
        ended_.push_back(job);
        ended_bytes_ += result_bytes(job->result);
        return;
    }
    add_unfinished(job);
}

// A job that may still be refused is nobody's business yet.
JobPtr JobTable::find_accepted(const std::string& job_id) const {
    const auto it = by_id_.find(job_id);
    return it == by_id_.end() || !it->second->accepted ? nullptr : it->second;
}

JobPtr JobTable::find(const std::string& job_id) const {
    const std::lock_guard lock(mutex_);
    return find_accepted(job_id);
}

AwaitResult JobTable::await(const std::string& job_id, std::optional<TimePoint> deadline) {
    std::unique_lock lock(mutex_);
    const JobPtr job = find_accepted(job_id);  // a result that is pruned meanwhile is still delivered
    if (!job) return {};
    const auto done = [&] { return is_final(job->state); };
    if (!deadline)
        job->changed.wait(lock, done);
    else
        job->changed.wait_until(lock, *deadline, done);
    if (!done()) return {AwaitResult::Kind::kStillRunning, {}};
    return {AwaitResult::Kind::kDone, job->result};
}

std::optional<JobStatus> JobTable::watch(const std::string& job_id, u64 seen_version,
                                         TimePoint deadline) const {
    std::unique_lock lock(mutex_);
    const JobPtr job = find_accepted(job_id);
    if (!job) return std::nullopt;
    job->changed.wait_until(lock, deadline, [&] { return job->version != seen_version; });
    return status_of(*job);
}

bool JobTable::unfinished(const JobPtr& job) const {
    const std::lock_guard lock(mutex_);
    return !is_final(job->state);
}

bool JobTable::end(const JobPtr& job, JobState state, std::string error, ErrorKind kind, Proved proved) {
    // What the job held goes when this function returns, after the lock.
    std::shared_ptr<const JobContent> request;
    std::shared_ptr<const PreparedJob> prepared;
    std::shared_ptr<const Circuit> circuit;
    Reservation memory;
    KeyStore::Interest interest;

    const std::lock_guard lock(mutex_);
    if (is_final(job->state) || !job->accepted) return false;
    request = std::move(job->request);
    prepared = std::move(job->prepared);
    circuit = std::move(job->circuit);
    memory = std::move(job->memory);
    interest = std::move(job->interest);

    job->state = state;
    job->phase = state_name(state);
    job->ended = Clock::now();
    JobResult& result = job->result;
    result.job_id = job->id;
    result.state = state;
    result.kind = job->kind;
    result.error = std::move(error);
    result.error_kind = kind;
    result.circuit_id = job->circuit_id;
    result.proof = std::move(proved.proof);
    result.public_inputs = std::move(proved.public_inputs);
    result.timings.total = milliseconds_between(job->submitted, job->ended);
    if (job->key_wanted)
        result.timings.key_load = milliseconds_between(*job->key_wanted, job->key_ready.value_or(job->ended));
    const u64 until_start = milliseconds_between(job->submitted, job->started.value_or(job->ended));
    result.timings.queue_wait = until_start - std::min(until_start, result.timings.key_load);
    for (Partition& p : job->partitions) {
        result.timings.synthesis += p.synthesis_ms;
        result.timings.gpu_compute += p.gpu_ms;
        p.proof = {};
    }

    const std::size_t kind_number = kind_index(job->kind);
    switch (state) {
        case JobState::kCompleted: ++completed_[kind_number]; break;
        case JobState::kFailed: ++failed_[kind_number]; break;
        case JobState::kCancelled: ++cancelled_; break;
        case JobState::kTimedOut: ++timed_out_; break;
        case JobState::kQueued:
        case JobState::kRunning: break;
    }
    ended_.push_back(job);
    ended_bytes_ += result_bytes(result);
    remove_unfinished(job);
    touch(*job);
    return true;
}

std::vector<std::string> JobTable::prune() {
    std::vector<std::string> gone_ids;
    std::vector<JobPtr> gone;
    const std::lock_guard lock(mutex_);
    const TimePoint now = Clock::now();
    while (!ended_.empty()) {
        const JobPtr& oldest = ended_.front();
        if (ended_.size() <= config_.max_results && ended_bytes_ <= config_.max_result_bytes &&
            now - oldest->ended < config_.result_retention)
            break;
        ended_bytes_ -= result_bytes(oldest->result);
        by_id_.erase(oldest->id);
        const auto identity = by_identity_.find({oldest->request_id, oldest->digest});
        if (identity != by_identity_.end() && identity->second == oldest) by_identity_.erase(identity);
        gone_ids.push_back(oldest->id);
        gone.push_back(oldest);
        ended_.pop_front();
    }
    return gone_ids;
}

std::vector<JobPtr> JobTable::take_expired() {
    const std::lock_guard lock(mutex_);
    std::vector<JobPtr> out;
    const TimePoint now = Clock::now();
    for (auto it = deadlines_.begin(); it != deadlines_.end() && it->first <= now;) {
        if (!it->second->accepted) {  // on its way to the disk: next time
            ++it;
            continue;
        }
        out.push_back(it->second);
        it = deadlines_.erase(it);
    }
    return out;
}

TimePoint JobTable::next_deadline() const {
    const std::lock_guard lock(mutex_);
    return deadlines_.empty() ? TimePoint::max() : deadlines_.begin()->first;
}

std::vector<JobPtr> JobTable::all_unfinished() const {
    const std::lock_guard lock(mutex_);
    std::vector<JobPtr> out;
    for (const auto& [sequence, job] : unfinished_) out.push_back(job);
    return out;
}

void JobTable::drain() {
    const std::lock_guard lock(mutex_);
    draining_ = true;
}

void JobTable::wait_decided() {
    std::unique_lock lock(mutex_);
    decided_.wait(lock, [&] { return undecided_ == 0; });
}

bool JobTable::wait_idle(TimePoint deadline) const {
    std::unique_lock lock(mutex_);
    return idle_.wait_until(lock, deadline, [&] { return unfinished_.empty(); });
}

JobStatus JobTable::status_of(const Job& job) {
    JobStatus s;
    s.job_id = job.id;
    s.request_id = job.request_id;
    s.client = job.client;
    s.kind = job.kind;
    s.priority = job.priority;
    s.circuit_id = job.circuit_id;
    s.state = job.state;
    s.phase = job.phase;
    s.partitions = static_cast<u32>(job.partitions.size());
    s.partitions_done = job.partitions_done;
    for (u32 i = 0; i < job.partitions.size(); ++i) {
        const Partition& p = job.partitions[i];
        s.partition.push_back({i, p.state, p.synthesis_ms, p.gpu_ms, p.attempts, p.device});
    }
    s.submitted_seconds_ago = seconds_since(job.submitted);
    if (is_final(job.state)) s.finished_seconds_ago = seconds_since(job.ended);
    s.error = job.result.error;
    s.request_bytes = job.request_bytes;
    s.version = job.version;
    return s;
}

std::optional<JobStatus> JobTable::status(const std::string& job_id) const {
    const std::lock_guard lock(mutex_);
    const JobPtr job = find_accepted(job_id);
    if (!job) return std::nullopt;
    return status_of(*job);
}

void JobTable::fill(EngineStatus& status) const {
    const std::lock_guard lock(mutex_);
    status.draining = draining_;
    for (std::size_t k = 0; k < kKinds; ++k) status.queues[k].kind = kAllKinds[k];
    for (const auto& [sequence, job] : unfinished_) {
        QueueStatus& queue = status.queues[kind_index(job->kind)];
        ++(job->state == JobState::kQueued ? queue.pending : queue.in_progress);
        status.jobs.push_back(status_of(*job));
    }
    // A dashboard needs the last ones; every one can be asked for by its id.
    constexpr std::size_t kFinishedShown = 200;
    for (auto it = ended_.rbegin();
         it != ended_.rend() && it - ended_.rbegin() < static_cast<std::ptrdiff_t>(kFinishedShown); ++it)
        status.jobs.push_back(status_of(**it));
    status.completed_by_kind = completed_;
    status.failed_by_kind = failed_;
    for (std::size_t k = 0; k < kKinds; ++k) {
        status.completed += completed_[k];
        status.failed += failed_[k];
    }
    status.cancelled = cancelled_;
    status.timed_out = timed_out_;
}

}  // namespace cuzk::engine
