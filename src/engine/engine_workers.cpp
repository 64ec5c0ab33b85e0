// The stages of a job: decode, wait for the key, synthesise, prove, put together.
#include <algorithm>
#include <iterator>

#include "base/urgent.hpp"
#include "engine/engine_impl.hpp"

namespace cuzk::engine {

namespace {

u64 milliseconds_between(TimePoint from, TimePoint to) {
    return static_cast<u64>(std::chrono::duration_cast<Milliseconds>(to - from).count());
}

double seconds_between(TimePoint from, TimePoint to) {
    return std::chrono::duration<double>(to - from).count();
}

bool is_critical(const WorkKey& key) {
    return key.priority == Priority::kCritical;
}

// One stage of a job. On the processor, critical ones get its threads before others.
template <class Body>
auto run_stage(const Job& job, const Body& body) {
    return job.priority == Priority::kCritical ? run_urgently(body) : body();
}

}  // namespace

void Engine::Impl::Slot::release() {
    if (engine_ == nullptr) return;
    Impl& engine = *std::exchange(engine_, nullptr);
    --engine.pipeline_used_;
    engine.synthesis_queue_.poke();
}

void Engine::Impl::run_decoder(WorkerBoard& board, bool express) {
    while (const auto job = decode_queue_.pop(
               [&](const WorkKey& key, const JobPtr&) { return !express || is_critical(key); }))
        decode(board, *job);
}

void Engine::Impl::decode(WorkerBoard& board, const JobPtr& job) {
    const WorkerBoard::Busy busy(board, job->id, -1);
    std::shared_ptr<const JobContent> request;
    if (!table_.update(job, [&](Job& j) {
            j.phase = "decoding";
            request = std::move(j.request);
        }))
        return;
    const TimePoint begin = Clock::now();
    std::shared_ptr<const PreparedJob> prepared;
    try {
        at(FaultPoint::kDecode, job->id);
        prepared =
            std::visit([&](const auto& content) { return workload_->prepare(content, job->id); }, *request);
        if (prepared->partitions() == 0)
            throw Error(ErrorKind::kMalformed, job->id + ": the request holds nothing to prove");
    } catch (const Error& e) {
        return fail_job(job, e.what(), e.kind());
    } catch (const std::bad_alloc&) {
        return fail_job(job, job->id + ": not enough memory to decode the request", ErrorKind::kEnvironment);
    } catch (const std::exception& e) {
        return fail_job(job, job->id + ": " + e.what(), ErrorKind::kInternal);
    }
    request.reset();
    const TimePoint end = Clock::now();
    timeline_.add({job->id, -1, "decode", board.name(), -1, false, job->request_bytes, begin, end});
    metrics_.observe("cuzk_stage_seconds", {{"stage", "decode"}, {"proof_kind", kind_name(job->kind)}},
                     seconds_between(begin, end));

    if (!table_.update(job, [&](Job& j) {
            j.phase = "waiting for key";
            j.circuit_id = prepared->circuit_id();
            j.memory.shrink(prepared->bytes());
            j.partitions.resize(prepared->partitions());
            j.prepared = std::move(prepared);
            j.key_wanted = end;
        }))
        return;
    want_key(job);
}

// Asks for a job's key, unless the key of an earlier job waits for room: then this job waits, too, and needs nothing meanwhile.
void Engine::Impl::want_key(const JobPtr& job) {
    std::string circuit_id;
    if (!table_.read(job, [&](const Job& j) { circuit_id = j.circuit_id; })) return;
    if (keys_->must_give_way(circuit_id, job->key())) {
        {
            const std::lock_guard lock(waiting_mutex_);
            parked_.push_back(job);
        }
        // The room may have been found between the question and the entry.
        if (!keys_->must_give_way(circuit_id, job->key())) take_up_parked();
        return;
    }
    KeyStore::Interest interest = keys_->want(circuit_id, job->key());
    if (!table_.update(job, [&](Job& j) { j.interest = std::move(interest); })) return;
    {
        const std::lock_guard lock(waiting_mutex_);
        waiting_for_key_[circuit_id].push_back(job);
    }
    key_changed(circuit_id);
}

// A circuit finds no room beside those that are needed: jobs that come after the one that waits for it, and have not begun, let
// go of theirs.
void Engine::Impl::yield_to(const std::string& circuit_id, const WorkKey& needed_by) {
    for (const JobPtr& job : table_.all_unfinished()) {
        if (!(needed_by < job->key())) continue;
        KeyStore::Interest interest;  // ends outside the table's lock
        table_.update(job, [&](Job& j) {
            if (j.started || !j.circuit || j.circuit_id == circuit_id) return;
            interest = std::move(j.interest);
            j.circuit.reset();
            j.phase = "waiting for key";
        });
        if (!interest) continue;
        synthesis_queue_.remove_if([&](const PartitionWork& work) { return work.job == job; });
        const std::lock_guard lock(waiting_mutex_);
        parked_.push_back(job);
    }
}

void Engine::Impl::take_up_parked() {
    std::vector<JobPtr> jobs;
    {
        const std::lock_guard lock(waiting_mutex_);
        jobs.swap(parked_);
    }
    for (const JobPtr& job : jobs) want_key(job);
}

// Starts, or fails, the jobs that wait for a circuit. Called whenever something about it may have changed. The jobs are taken
// before the question is asked: the answer to an earlier question may be that of an earlier load.
void Engine::Impl::key_changed(const std::string& circuit_id) {
    device_queue_.poke();
    KeyStore::Answer answer;
    do {
        std::vector<JobPtr> jobs = take_waiting(circuit_id);
        answer = keys_->ask(circuit_id);
        for (const JobPtr& job : jobs) {
            if (answer.state == KeyStore::State::kReady) start_partitions(job, answer.circuit);
            if (answer.state == KeyStore::State::kFailed) fail_job(job, answer.error, answer.error_kind);
        }
        if (answer.state != KeyStore::State::kLoading || jobs.empty()) break;
        const std::lock_guard lock(waiting_mutex_);
        std::move(jobs.begin(), jobs.end(), std::back_inserter(waiting_for_key_[circuit_id]));
        // The load may have ended while they were in nobody's sight.
    } while (keys_->ask(circuit_id).state != KeyStore::State::kLoading);
    if (answer.state == KeyStore::State::kFailed) fail_jobs_under_way(circuit_id);
    take_up_parked();
}

std::vector<JobPtr> Engine::Impl::take_waiting(const std::string& circuit_id) {
    const std::lock_guard lock(waiting_mutex_);
    const auto it = waiting_for_key_.find(circuit_id);
    if (it == waiting_for_key_.end()) return {};
    std::vector<JobPtr> jobs = std::move(it->second);
    waiting_for_key_.erase(it);
    return jobs;
}

// Jobs that had begun with a circuit whose last device went away.
void Engine::Impl::fail_jobs_under_way(const std::string& circuit_id) {
    std::vector<JobPtr> concerned;
    for (const JobPtr& job : table_.all_unfinished()) {
        bool is_one = false;
        table_.read(job, [&](const Job& j) { is_one = j.circuit != nullptr && j.circuit_id == circuit_id; });
        if (is_one) concerned.push_back(job);
    }
    const KeyStore::Answer answer = keys_->ask(circuit_id);
    if (answer.state != KeyStore::State::kFailed) return;
    for (const JobPtr& job : concerned) fail_job(job, answer.error, answer.error_kind);
}

void Engine::Impl::start_partitions(const JobPtr& job, const std::shared_ptr<const Circuit>& circuit) {
    u32 partitions = 0;
    if (!table_.update(job, [&](Job& j) {
            j.circuit = circuit;
            j.phase = "proving";
            j.key_ready = Clock::now();
            partitions = static_cast<u32>(j.partitions.size());
        }))
        return;
    std::vector<std::pair<WorkKey, PartitionWork>> work;
    for (u32 k = 0; k < partitions; ++k) work.push_back({job->key(k), {job, k}});
    synthesis_queue_.push_all(std::move(work));
}

void Engine::Impl::run_synthesis(WorkerBoard& board, bool express) {
    for (;;) {
        std::unique_lock turn(admission_, std::defer_lock);
        if (!express) turn.lock();
        bool booked = false;
        auto work = synthesis_queue_.pop([&](const WorkKey& key, const PartitionWork&) {
            if (is_critical(key)) return true;
            if (express || pipeline_used_ >= pipeline_depth_) return false;
            ++pipeline_used_;
            booked = true;
            return true;
        });
        if (!work) return;
        Slot slot = booked ? Slot(*this) : Slot();

        std::shared_ptr<const Circuit> circuit;
        table_.read(work->job, [&](const Job& j) { circuit = j.circuit; });
        if (!circuit) continue;  // the job has ended, or gave way and will come again
        const PartitionCost cost = circuit->cost();
        Reservation memory;
        try {
            memory = planner_.acquire(
                {host_space_, cost.witness + cost.synthesis, keys_->host_working_bytes(*circuit), "witness",
                 work->job->priority, Claim::Phase::kStart, work->job->sequence},
                work->job->stop.get_token());
        } catch (const Error& e) {  // never fits
            fail_job(work->job, work->job->id + ": " + e.what(), e.kind());
        }
        if (!memory) continue;  // the job has ended
        if (turn.owns_lock()) turn.unlock();
        synthesise(board, std::move(*work), std::move(memory), std::move(slot));
    }
}

void Engine::Impl::synthesise(WorkerBoard& board, PartitionWork work, Reservation memory, Slot slot) {
    const JobPtr& job = work.job;
    const WorkerBoard::Busy busy(board, job->id, work.partition);
    const TimePoint begin = Clock::now();
    DeviceWork ready;
    std::shared_ptr<const PreparedJob> prepared;
    table_.update(job, [&](Job& j) {
        Partition& p = j.partitions[work.partition];
        if (!j.circuit || p.state != PartitionState::kPending) return;  // gave way meanwhile; it comes again
        if (!j.started) j.started = begin;
        j.state = JobState::kRunning;
        p.state = PartitionState::kSynthesizing;
        prepared = j.prepared;
        ready.circuit = j.circuit;
        ready.circuit_id = j.circuit_id;
    });
    if (!prepared) return;
    ++synthesis_active_;
    try {
        at(FaultPoint::kSynthesis, job->id, work.partition);
        ready.witness = run_stage(*job, [&] { return prepared->synthesise(work.partition, *ready.circuit); });
    } catch (const Error& e) {
        fail_job(job, job->id + ": partition " + std::to_string(work.partition) + ": " + e.what(), e.kind());
    } catch (const std::bad_alloc&) {
        synthesis_out_of_memory(work);
    } catch (const std::exception& e) {
        fail_job(job, job->id + ": partition " + std::to_string(work.partition) + ": " + e.what(),
                 ErrorKind::kInternal);
    }
    --synthesis_active_;
    if (!ready.witness) return;
    const TimePoint end = Clock::now();
    timeline_.add({job->id, work.partition, "synthesis", board.name(), -1, false,
                   ready.circuit->cost().witness, begin, end});
    metrics_.observe("cuzk_stage_seconds", {{"stage", "synthesis"}, {"proof_kind", kind_name(job->kind)}},
                     seconds_between(begin, end));
    if (!table_.update(job, [&](Job& j) {
            Partition& p = j.partitions[work.partition];
            p.state = PartitionState::kSynthesized;
            p.synthesis_ms = milliseconds_between(begin, end);
        }))
        return;
    memory.shrink(ready.circuit->cost().witness);
    ready.job = job;
    ready.partition = work.partition;
    ready.memory = std::move(memory);
    ready.slot = std::move(slot);
    ready.ready = end;
    requeue(std::move(ready));
}

void Engine::Impl::run_device(WorkerBoard& board, u32 device, bool express) {
    while (auto work = device_queue_.pop([&](const WorkKey& key, const DeviceWork& w) {
        return (!express || is_critical(key)) && !avoided(w, device) &&
               keys_->resident(w.circuit_id, device) != nullptr && pool_.begin(device, *w.job);
    }))
        prove(board, device, std::move(*work));
}

// A place on the device is booked; given back here.
void Engine::Impl::prove(WorkerBoard& board, u32 device, DeviceWork work) {
    const JobPtr job = work.job;
    const WorkerBoard::Busy busy(board, job->id, work.partition);
    work.slot.release();
    const auto key = keys_->resident(work.circuit_id, device);
    std::optional<DeviceFault> fault;
    std::string message;
    bool proved = false;
    if (key && table_.unfinished(job)) {
        try {
            proved = prove_on(board, device, work, *key);
        } catch (const DeviceError& e) {
            fault = e.fault();
            message = e.what();
        } catch (const std::bad_alloc&) {
            fault = DeviceFault::kOutOfMemory;
            message = "out of host memory";
        } catch (const Error& e) {
            fail_job(job, job->id + ": partition " + std::to_string(work.partition) + ": " + e.what(),
                     e.kind());
        } catch (const std::exception& e) {
            fail_job(job, job->id + ": partition " + std::to_string(work.partition) + ": " + e.what(),
                     ErrorKind::kInternal);
        }
    }
    if (fault == DeviceFault::kBadKey) keys_->reopen(work.circuit_id, *key, job->key(work.partition));
    const std::set<u32> wrong_on = work.wrong_on;
    // Before the place is free again, so that the device has shrunk when the next partition asks for it.
    if (fault)
        device_failed(device, std::move(work), *fault, message);
    else if (!key)
        requeue(std::move(work));  // the device was retired a moment ago
    pool_.end(device, *job, proved);
    // A proof that failed there and succeeded here is evidence against the device, not against the key.
    if (proved)
        for (const u32 other : wrong_on)
            if (other != device && pool_.distrust(other))
                retire(other, "several proofs in a row did not verify");
    device_queue_.poke();
}

// False if the job ended before the proof began.
bool Engine::Impl::prove_on(WorkerBoard& board, u32 device, DeviceWork& work, ResidentKey& key) {
    const JobPtr& job = work.job;
    const WorkingMemory working = pool_.device(device).working_memory(*work.circuit);
    const auto reserve = [&](SpaceId space, u64 bytes) {
        return planner_.acquire(
            {space, bytes, 0, "proving", job->priority, Claim::Phase::kContinue, job->sequence},
            job->stop.get_token());
    };
    Reservation on_device, on_host;
    if (device_spaces_[device]) on_device = reserve(*device_spaces_[device], working.device);
    on_host = reserve(host_space_, working.host);

    if (!table_.update(job, [&](Job& j) {
            Partition& p = j.partitions[work.partition];
            p.state = PartitionState::kProving;
            p.device = device;
            ++p.attempts;
        }))
        return false;
    const TimePoint begin = Clock::now();
    StageLog stages;
    at(FaultPoint::kDeviceProve, job->id, work.partition, device);
    std::vector<u8> proof = run_stage(*job, [&] { return key.prove(*work.witness, {&stages, nullptr}); });
    const TimePoint end = Clock::now();

    const Labels of_device = {{"device", std::to_string(device)}};
    const Labels kind = {{"stage", "prove"}, {"proof_kind", kind_name(job->kind)}};
    metrics_.observe("cuzk_stage_seconds", kind, seconds_between(begin, end));
    metrics_.add("cuzk_partitions_proved_total", of_device);
    timeline_.add({job->id, work.partition, "prove", board.name(), device, false, 0, begin, end});
    // From when to when the device itself was at it: before, the proof may have waited for another one there.
    TimePoint first = end, last = begin;
    for (StageInterval& s : stages.intervals()) {
        const bool on_device_itself = s.stage != "verify";
        if (on_device_itself) {
            first = std::min(first, s.begin);
            last = std::max(last, s.end);
        }
        metrics_.observe("cuzk_stage_seconds", {{"stage", s.stage}, {"proof_kind", kind_name(job->kind)}},
                         seconds_between(s.begin, s.end));
        timeline_.add({job->id, work.partition, std::move(s.stage), board.name(), device, on_device_itself,
                       s.bytes, s.begin, s.end});
    }
    if (first > last) {  // it tells no stages
        first = begin;
        last = end;
    }
    const TimePoint could_begin = std::max(work.ready, pool_.worked(device, last));
    if (first > could_begin)
        metrics_.observe("cuzk_device_gap_seconds", of_device, seconds_between(could_begin, first));
    table_.update(job,
                  [&](Job& j) { j.partitions[work.partition].gpu_ms += milliseconds_between(first, last); });
    finished_queue_.push(job->key(work.partition), {job, work.partition, std::move(proof)});
    return true;
}

void Engine::Impl::run_finaliser(WorkerBoard& board) {
    while (auto done = finished_queue_.pop()) {
        const WorkerBoard::Busy busy(board, done->job->id, done->partition);
        Proved proved;
        std::shared_ptr<const PreparedJob> prepared;
        table_.update(done->job, [&](Job& j) {
            Partition& p = j.partitions[done->partition];
            if (p.state == PartitionState::kDone) return;
            p.state = PartitionState::kDone;
            p.proof = std::move(done->proof);
            if (++j.partitions_done != j.partitions.size()) return;
            j.phase = "finishing";
            prepared = j.prepared;
            for (const Partition& part : j.partitions)
                proved.proof.insert(proved.proof.end(), part.proof.begin(), part.proof.end());
        });
        if (!prepared) continue;
        proved.public_inputs = prepared->public_inputs();
        end_job(done->job, JobState::kCompleted, "", ErrorKind::kInternal, std::move(proved));
    }
}

}  // namespace cuzk::engine
