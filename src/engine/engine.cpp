#include "engine/engine.hpp"

#include <algorithm>
#include <limits>

#include "engine/engine_impl.hpp"

namespace cuzk::engine {

namespace {

constexpr std::size_t kErrorsKept = 100;
constexpr std::size_t kLongestRequestId = 1024;

EngineConfig checked(EngineConfig config) {
    config.check();
    return config;
}

std::vector<DeviceSpec> some(std::vector<DeviceSpec> devices) {
    if (devices.empty()) throw Error(ErrorKind::kUsage, "an engine needs a device to prove on");
    return devices;
}

// Ids end up in JSON, in labels and in file names' digests.
void check_request_id(const std::string& id) {
    if (id.size() > kLongestRequestId)
        throw Error(ErrorKind::kMalformed, "request_id has " + std::to_string(id.size()) +
                                               " bytes, more than " + std::to_string(kLongestRequestId));
    std::size_t i = 0;
    const auto continuation = [&](std::size_t n) {
        for (std::size_t k = 1; k <= n; ++k)
            if (i + k >= id.size() || (static_cast<u8>(id[i + k]) & 0xc0) != 0x80) return false;
        return true;
    };
    while (i < id.size()) {
        const u8 c = static_cast<u8>(id[i]);
        const std::size_t more = c < 0x80 ? 0 : (c & 0xe0) == 0xc0 ? 1 : (c & 0xf0) == 0xe0 ? 2 : 3;
        if (c == 0 || (c >= 0x80 && c < 0xc2) || c > 0xf4 || !continuation(more))
            throw Error(ErrorKind::kMalformed, "request_id is no UTF-8 text");
        i += more + 1;
    }
}

// The content, moved out of the request.
JobContent understood(JobRequest& request) {
    if (auto* raw = std::get_if<RawRequest>(&request.content)) {
        filecoin::ProofRequest parsed = filecoin::parse_request(raw->json, raw->name);
        request.content = filecoin::ProofRequest();
        return parsed;
    }
    if (auto* circuit = std::get_if<CircuitRequest>(&request.content)) return std::move(*circuit);
    return std::move(std::get<filecoin::ProofRequest>(request.content));
}

}  // namespace

Engine::Impl::Impl(EngineConfig config, std::unique_ptr<Workload> workload, std::vector<DeviceSpec> devices,
                   std::shared_ptr<FaultHook> faults)
    : config_(checked(std::move(config))),
      workload_(std::move(workload)),
      faults_(std::move(faults)),
      timeline_(config_.timeline_window, config_.timeline_capacity),
      pool_(some(std::move(devices)), config_.cpu_fallback, config_.gpu_workers_per_device + 1),
      table_(config_) {
    const u32 processors = std::max(1u, std::thread::hardware_concurrency());
    synthesis_workers_ =
        config_.synthesis_workers != 0 ? config_.synthesis_workers : std::clamp(processors / 2, 1u, 18u);
    pipeline_depth_ = config_.pipeline_depth != 0
                          ? config_.pipeline_depth
                          : static_cast<u32>(pool_.size()) * config_.gpu_workers_per_device + 1;

    // Requests have a space of their own, so that a long queue cannot take the memory that shortens it.
    const u64 budget =
        config_.host_budget != 0 ? config_.host_budget : available_host_memory(config_.host_margin);
    const u64 requests = std::min(config_.max_request_bytes, budget / 8);
    const u64 work = budget - requests;
    host_space_ = planner_.add_space("host", work, std::min(config_.critical_reserve, work / 8));
    pinned_space_ = planner_.add_space(
        "pinned", config_.pinned_budget != 0 ? std::min(config_.pinned_budget, work) : work / 2, 0,
        host_space_);
    request_space_ = planner_.add_space("requests", requests);
    for (u32 d = 0; d < pool_.size(); ++d) {
        const u64 own = pool_.device(d).memory_budget();
        device_spaces_.push_back(own == 0 ? std::optional<SpaceId>()
                                          : planner_.add_space("device " + std::to_string(d), own));
    }

    declare_metrics();
    KeyStore::Events events;
    events.changed = [this](const std::string& circuit_id) { key_changed(circuit_id); };
    events.device_lost = [this](u32 device, const std::string& reason) { retire(device, reason); };
    events.held_off = [this](const std::string& circuit_id, const WorkKey& needed_by) {
        yield_to(circuit_id, needed_by);
    };
    events.targets = [this] { return pool_.targets(); };
    events.candidates = [this] { return pool_.candidates(); };
    keys_ = std::make_unique<KeyStore>(
        *workload_, pool_.devices(), planner_, KeyStore::Places{host_space_, pinned_space_, device_spaces_},
        config_.eviction_min_idle, timeline_, metrics_, faults_.get(), std::move(events));
    planner_.set_evictor(
        [this](SpaceId space, u64 wanted, bool urgent) { return keys_->evict_idle(space, wanted, urgent); });
    if (!config_.journal_folder.empty()) {
        journal_ = std::make_unique<Journal>(config_.journal_folder, faults_.get());
        restore_jobs();
    }
    try {
        start_workers();
    } catch (...) {  // no more threads: those that run must end before the members do
        close_queues();
        throw;
    }
}

Engine::Impl::~Impl() {
    stop(Clock::now());
    planner_.set_evictor(nullptr);
    keys_.reset();
}

void Engine::Impl::declare_metrics() {
    const auto seconds = duration_bounds();
    const std::vector<double> bounds(seconds.begin(), seconds.end());
    const auto counter = [&](const char* name, const char* help) {
        metrics_.declare(name, MetricType::kCounter, help);
    };
    counter("cuzk_jobs_accepted_total", "Jobs accepted, by kind");
    counter("cuzk_jobs_joined_total", "Submissions that joined an earlier job of the same content");
    counter("cuzk_jobs_refused_total", "Submissions refused, by reason");
    counter("cuzk_jobs_ended_total", "Jobs ended, by kind and state");
    counter("cuzk_partitions_proved_total", "Partition proofs made, by device");
    counter("cuzk_partition_retries_total", "Partitions sent to a device again, by reason");
    counter("cuzk_selfcheck_failures_total", "Proofs that did not verify, by device");
    counter("cuzk_device_failures_total", "Failures of devices, by device and fault");
    counter("cuzk_journal_failures_total", "Journal records that could not be written");
    metrics_.declare("cuzk_job_duration_seconds", MetricType::kHistogram,
                     "From submission to the end, completed jobs by kind", bounds);
    metrics_.declare("cuzk_queue_wait_seconds", MetricType::kHistogram,
                     "From submission to the first stage, without key loads, by kind", bounds);
    metrics_.declare("cuzk_stage_seconds", MetricType::kHistogram, "Stages, by stage and kind", bounds);
    metrics_.declare("cuzk_device_gap_seconds", MetricType::kHistogram,
                     "Time that a device stood idle although a partition was ready for it", bounds);
}

void Engine::Impl::start_workers() {
    const auto spawn = [&](std::string name, i64 device, bool express, auto body) {
        WorkerStatus fixed;
        fixed.name = std::move(name);
        fixed.device = device;
        fixed.express = express;
        WorkerBoard& board = boards_.emplace_back(std::move(fixed));
        threads_.emplace_back([&board, body] { body(board); });
    };
    // Each stage has a worker for critical jobs alone, so that they start before the next partition of anything else.
    for (u32 i = 0; i <= config_.decode_workers; ++i) {
        const bool express = i == config_.decode_workers;
        spawn(express ? "decode express" : "decode " + std::to_string(i), -1, express,
              [this, express](WorkerBoard& board) { run_decoder(board, express); });
    }
    for (u32 i = 0; i <= synthesis_workers_; ++i) {
        const bool express = i == synthesis_workers_;
        spawn(express ? "synthesis express" : "synthesis " + std::to_string(i), -1, express,
              [this, express](WorkerBoard& board) { run_synthesis(board, express); });
    }
    for (u32 d = 0; d < pool_.size(); ++d)
        for (u32 i = 0; i <= config_.gpu_workers_per_device; ++i) {
            const bool express = i == config_.gpu_workers_per_device;
            spawn("device " + std::to_string(d) + (express ? " express" : " worker " + std::to_string(i)), d,
                  express, [this, d, express](WorkerBoard& board) { run_device(board, d, express); });
        }
    spawn("finaliser", -1, false, [this](WorkerBoard& board) { run_finaliser(board); });
    threads_.emplace_back([this](const std::stop_token& stop) { run_clock(stop); });
}

void Engine::Impl::restore_jobs() {
    for (RestoredJob& restored : journal_->take_restored()) {
        const auto job = std::make_shared<Job>();
        job->id = restored.job.job_id;
        job->request_id = restored.job.request_id;
        job->client = restored.job.client;
        job->digest = restored.job.digest;
        job->kind = restored.job.kind;
        job->circuit_id = restored.job.circuit_id;
        job->priority = restored.job.priority;
        job->timeout = restored.job.timeout;
        table_.restore(job, restored.result ? &*restored.result : nullptr);
        if (restored.result) continue;
        if (!restored.request) {
            fail_job(job, restored.problem, ErrorKind::kEnvironment);
            continue;
        }
        job->request_bytes = content_bytes(*restored.request);
        Reservation memory = planner_.try_acquire(request_claim(job->request_bytes));
        table_.update(job, [&](Job& j) {
            j.memory = std::move(memory);  // accepted is accepted, even where it does not fit
            j.request = std::make_shared<const JobContent>(std::move(*restored.request));
        });
        enqueue(job);
    }
    if (const u64 damaged = journal_->damaged_records(); damaged != 0)
        note_error("", config_.journal_folder + ": " + std::to_string(damaged) +
                           " damaged records of the journal were skipped");
}

Ticket Engine::Impl::submit(JobRequest request) {
    auto content = std::make_shared<JobContent>(understood(request));
    auto job = std::make_shared<Job>();
    job->request_id = std::move(request.request_id);
    u32 wanted = static_cast<u32>(request.priority);
    if (const auto* filecoin = std::get_if<filecoin::ProofRequest>(content.get())) {
        job->kind = job_kind(filecoin->kind);
        if (job->request_id.empty()) job->request_id = filecoin->request_id;
        if (request.priority == Priority::kUnspecified) wanted = filecoin->priority;
    } else {
        const auto& circuit = std::get<CircuitRequest>(*content);
        job->kind = JobKind::kCircuit;
        job->circuit_id = circuit.circuit_id;
        workload_->check(circuit);
    }
    check_request_id(job->request_id);
    job->client = request.client;
    job->priority = effective_priority(wanted, job->kind);
    job->timeout = std::max(request.timeout, Milliseconds(0));
    job->digest = content_digest(*content);
    job->request_bytes = content_bytes(*content);
    job->request = content;
    const auto refused = [&](const RefusedError& e) {
        constexpr const char* kReasons[] = {"draining", "queue full", "client limit", "journal"};
        metrics_.add("cuzk_jobs_refused_total", {{"reason", kReasons[static_cast<int>(e.reason())]}});
    };
    JobTable::Added added;
    try {
        added = table_.add(job);
        if (added.joined) {
            metrics_.add("cuzk_jobs_joined_total");
            return {added.job->id, 0, true};
        }
        try {
            Reservation memory = planner_.try_acquire(request_claim(job->request_bytes));
            if (!memory)
                throw RefusedError(Refusal::kQueueFull,
                                   "the request's " + size_text(job->request_bytes) +
                                       " do not fit beside the requests that wait (max_request_bytes)");
            table_.update(job, [&](Job& j) { j.memory = std::move(memory); });
            if (journal_) {
                try {
                    journal_->accept({job->id, job->request_id, job->client, job->digest, job->kind,
                                      job->circuit_id, job->priority, job->timeout},
                                     *content);
                } catch (const Error& e) {
                    metrics_.add("cuzk_journal_failures_total");
                    throw RefusedError(Refusal::kJournal,
                                       "the job could not be made safe on disk: " + std::string(e.what()));
                }
            }
        } catch (...) {
            table_.refuse(job);
            throw;
        }
    } catch (const RefusedError& e) {
        refused(e);
        throw;
    }
    content.reset();
    table_.accept(job);
    metrics_.add("cuzk_jobs_accepted_total", {{"proof_kind", kind_name(job->kind)}});
    enqueue(job);
    return {job->id, added.position, false};
}

Claim Engine::Impl::request_claim(u64 bytes) const {
    Claim claim{request_space_, bytes, 0, "requests"};
    claim.phase = Claim::Phase::kContinue;
    return claim;
}

void Engine::Impl::enqueue(const JobPtr& job) {
    decode_queue_.push(job->key(), job);
}

bool Engine::Impl::cancel(const std::string& job_id) {
    const JobPtr job = table_.find(job_id);
    return job && end_job(job, JobState::kCancelled, "cancelled", ErrorKind::kUsage);
}

void Engine::Impl::note_error(const std::string& job_id, const std::string& message) {
    const std::lock_guard lock(errors_mutex_);
    errors_.push_front({Clock::now(), job_id, message});
    if (errors_.size() > kErrorsKept) errors_.pop_back();
}

void Engine::Impl::count_end(const Job& job, const JobResult& result) {
    const char* const kind = kind_name(job.kind);
    metrics_.add("cuzk_jobs_ended_total", {{"proof_kind", kind}, {"state", state_name(result.state)}});
    if (result.state != JobState::kCompleted) return;
    metrics_.observe("cuzk_job_duration_seconds", {{"proof_kind", kind}},
                     static_cast<double>(result.timings.total) / 1000);
    metrics_.observe("cuzk_queue_wait_seconds", {{"proof_kind", kind}},
                     static_cast<double>(result.timings.queue_wait) / 1000);
}

bool Engine::Impl::end_job(const JobPtr& job, JobState state, const std::string& error, ErrorKind kind,
                           Proved proved, bool in_journal) {
    if (!table_.end(job, state, error, kind, std::move(proved))) return false;
    job->stop.request_stop();
    if (state != JobState::kCompleted) {
        const auto is_this = [&](const auto& work) { return work.job == job; };
        decode_queue_.remove_if([&](const JobPtr& other) { return other == job; });
        synthesis_queue_.remove_if(is_this);
        device_queue_.remove_if(is_this);
    }
    const JobResult& result = job->result;  // unchanging from its end on
    if (state == JobState::kFailed || state == JobState::kTimedOut) note_error(job->id, error);
    count_end(*job, result);
    if (journal_ && in_journal && !journal_->end(result)) metrics_.add("cuzk_journal_failures_total");
    return true;
}

// Timeouts, and results whose time is over.
void Engine::Impl::run_clock(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any tick;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
        for (const JobPtr& job : table_.take_expired())
            end_job(job, JobState::kTimedOut,
                    "not finished within its timeout of " + std::to_string(job->timeout.count()) + " ms",
                    ErrorKind::kEnvironment);
        for (const std::string& id : table_.prune())
            if (journal_) journal_->forget(id);
        for (const std::string& note : workload_->take_notes()) note_error("", note);
        tick.wait_for(lock, stop, Milliseconds(20), [] { return false; });
    }
}

Engine::PreloadResult Engine::Impl::preload(const std::string& circuit_id) {
    workload_->check_id(circuit_id);
    const TimePoint begin = Clock::now();
    const bool loaded = keys_->ask(circuit_id).state == KeyStore::State::kReady;
    const KeyStore::Interest interest =
        keys_->want(circuit_id, {Priority::kLow, std::numeric_limits<u64>::max(), 0});
    const KeyStore::Answer answer = keys_->wait(circuit_id);
    if (answer.state != KeyStore::State::kReady) throw Error(answer.error_kind, answer.error);
    const auto took = std::chrono::duration_cast<Milliseconds>(Clock::now() - begin);
    return {loaded, loaded ? 0 : static_cast<u64>(took.count())};
}

Engine::EvictResult Engine::Impl::evict(const std::string& circuit_id) {
    workload_->check_id(circuit_id);
    const auto [loaded, bytes] = keys_->evict(circuit_id);
    return {loaded, bytes};
}

EngineStatus Engine::Impl::status() const {
    EngineStatus s;
    s.uptime_seconds = std::chrono::duration<double>(Clock::now() - started_).count();
    s.devices = pool_.status(timeline_);
    s.keys = keys_->status();
    s.circuits = workload_->circuits();
    table_.fill(s);
    for (const WorkerBoard& board : boards_) s.workers.push_back(board.status());
    s.memory = planner_.status();
    for (std::size_t d = 0; d < device_spaces_.size(); ++d) {
        const SpaceId space = device_spaces_[d].value_or(host_space_);
        s.devices[d].memory_total = s.memory[space].budget;
        s.devices[d].memory_free = s.memory[space].budget - s.memory[space].used;
    }
    {
        const std::lock_guard lock(errors_mutex_);
        for (const ErrorEntry& e : errors_)
            s.recent_errors.push_back(
                {std::chrono::duration<double>(Clock::now() - e.when).count(), e.job_id, e.message});
    }
    s.synthesis_max = synthesis_workers_;
    s.synthesis_active = synthesis_active_;
    s.pipeline_depth = pipeline_depth_;
    s.pipeline_used = pipeline_used_;
    s.queued_partitions = static_cast<u32>(synthesis_queue_.size());
    return s;
}

void Engine::Impl::close_queues() {
    decode_queue_.close();
    synthesis_queue_.close();
    device_queue_.close();
    finished_queue_.close();
}

void Engine::Impl::stop(TimePoint deadline) {
    table_.drain();
    table_.wait_idle(deadline);
    const std::lock_guard lock(stop_mutex_);
    if (std::exchange(stopped_, true)) return;
    table_.wait_decided();
    for (const JobPtr& job : table_.all_unfinished())
        end_job(job, JobState::kCancelled,
                journal_ ? "the engine stopped; the job goes on when it starts again" : "the engine stopped",
                ErrorKind::kEnvironment, {}, false);
    close_queues();
    for (std::jthread& thread : threads_) thread.request_stop();
    for (std::jthread& thread : threads_) thread.join();
    keys_->close();
}

Engine::Engine(EngineConfig config, std::unique_ptr<Workload> workload, std::vector<DeviceSpec> devices,
               std::shared_ptr<FaultHook> faults)
    : impl_(std::make_unique<Impl>(std::move(config), std::move(workload), std::move(devices),
                                   std::move(faults))) {}

Engine::~Engine() = default;

Ticket Engine::submit(JobRequest request) {
    return impl_->submit(std::move(request));
}
AwaitResult Engine::await(const std::string& job_id, std::optional<TimePoint> deadline) {
    return impl_->table().await(job_id, deadline);
}
bool Engine::cancel(const std::string& job_id) {
    return impl_->cancel(job_id);
}
std::optional<JobStatus> Engine::job(const std::string& job_id) const {
    return impl_->table().status(job_id);
}
std::optional<JobStatus> Engine::watch(const std::string& job_id, u64 seen_version,
                                       TimePoint deadline) const {
    return impl_->table().watch(job_id, seen_version, deadline);
}
EngineStatus Engine::status() const {
    return impl_->status();
}
std::vector<CircuitInfo> Engine::circuits() const {
    return impl_->circuits();
}
MetricsRegistry& Engine::metrics() {
    return impl_->metrics();
}
const Timeline& Engine::timeline() const {
    return impl_->timeline();
}
Engine::PreloadResult Engine::preload(const std::string& circuit_id) {
    return impl_->preload(circuit_id);
}
Engine::EvictResult Engine::evict(const std::string& circuit_id) {
    return impl_->evict(circuit_id);
}
void Engine::drain() {
    impl_->table().drain();
}
bool Engine::wait_idle(TimePoint deadline) {
    return impl_->table().wait_idle(deadline);
}
void Engine::stop(TimePoint deadline) {
    impl_->stop(deadline);
}

}  // namespace cuzk::engine
