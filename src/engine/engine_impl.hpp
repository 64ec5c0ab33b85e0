// The engine's workers and what they hand to one another.
#pragma once

#include <atomic>
#include <set>
#include <thread>

#include "engine/device_pool.hpp"
#include "engine/engine.hpp"
#include "engine/job_table.hpp"
#include "engine/journal.hpp"
#include "engine/key_store.hpp"
#include "engine/memory_planner.hpp"
#include "engine/work_queue.hpp"

namespace cuzk::engine {

// Fields of a worker's row in the status.
class WorkerBoard {
public:
    explicit WorkerBoard(WorkerStatus fixed) : status_(std::move(fixed)) {}
    const std::string& name() const { return status_.name; }

    // Busy with a partition while it lives.
    class Busy {
    public:
        Busy(WorkerBoard& board, const std::string& job_id, i64 partition) : board_(board) {
            const std::lock_guard lock(board_.mutex_);
            board_.status_.busy = true;
            board_.status_.job_id = job_id;
            board_.status_.partition = partition;
            board_.since_ = Clock::now();
        }
        ~Busy() {
            const std::lock_guard lock(board_.mutex_);
            board_.status_.busy = false;
            board_.status_.job_id.clear();
            board_.status_.partition = -1;
        }
        Busy(const Busy&) = delete;
        Busy& operator=(const Busy&) = delete;

    private:
        WorkerBoard& board_;
    };

    WorkerStatus status() const {
        const std::lock_guard lock(mutex_);
        WorkerStatus s = status_;
        if (s.busy) s.busy_seconds = std::chrono::duration<double>(Clock::now() - since_).count();
        return s;
    }

private:
    mutable std::mutex mutex_;
    WorkerStatus status_;
    TimePoint since_;
};

class Engine::Impl {
public:
    Impl(EngineConfig config, std::unique_ptr<Workload> workload, std::vector<DeviceSpec> devices,
         std::shared_ptr<FaultHook> faults);
    ~Impl();
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    Ticket submit(JobRequest request);
    bool cancel(const std::string& job_id);
    EngineStatus status() const;
    std::vector<CircuitInfo> circuits() const { return workload_->circuits(); }
    PreloadResult preload(const std::string& circuit_id);
    EvictResult evict(const std::string& circuit_id);
    void stop(TimePoint deadline);

    JobTable& table() { return table_; }
    const JobTable& table() const { return table_; }
    MetricsRegistry& metrics() { return metrics_; }
    const Timeline& timeline() const { return timeline_; }

private:
    // A place between the start of synthesis and a device: bounds how far synthesis runs ahead.
    class Slot {
    public:
        Slot() = default;
        explicit Slot(Impl& engine) : engine_(&engine) {}
        ~Slot() { release(); }
        Slot(Slot&& other) noexcept : engine_(std::exchange(other.engine_, nullptr)) {}
        Slot& operator=(Slot&& other) noexcept {
            release();
            engine_ = std::exchange(other.engine_, nullptr);
            return *this;
        }
        void release();

    private:
        Impl* engine_ = nullptr;
    };

    struct PartitionWork {
        JobPtr job;
        u32 partition = 0;
    };
    struct DeviceWork {
        JobPtr job;
        u32 partition = 0;
        std::string circuit_id;
        std::shared_ptr<const Circuit> circuit;
        Reservation memory;  // goes after the witness
        std::unique_ptr<Witness> witness;
        Slot slot;
        std::set<u32> avoid;     // devices that failed with it
        std::set<u32> wrong_on;  // devices whose proof of it did not verify
        TimePoint ready;
    };
    struct Finished {
        JobPtr job;
        u32 partition = 0;
        std::vector<u8> proof;
    };

    // engine.cpp
    void declare_metrics();
    void start_workers();
    void restore_jobs();
    Claim request_claim(u64 bytes) const;
    void enqueue(const JobPtr& job);
    void close_queues();
    void count_end(const Job& job, const JobResult& result);
    bool end_job(const JobPtr& job, JobState state, const std::string& error, ErrorKind kind,
                 Proved proved = {}, bool in_journal = true);
    void fail_job(const JobPtr& job, const std::string& error, ErrorKind kind) {
        end_job(job, JobState::kFailed, error, kind);
    }
    void note_error(const std::string& job_id, const std::string& message);
    void run_clock(const std::stop_token& stop);

    // engine_workers.cpp
    void run_decoder(WorkerBoard& board, bool express);
    void decode(WorkerBoard& board, const JobPtr& job);
    void want_key(const JobPtr& job);
    void key_changed(const std::string& circuit_id);
    std::vector<JobPtr> take_waiting(const std::string& circuit_id);
    void fail_jobs_under_way(const std::string& circuit_id);
    void yield_to(const std::string& circuit_id, const WorkKey& needed_by);
    void take_up_parked();
    void start_partitions(const JobPtr& job, const std::shared_ptr<const Circuit>& circuit);
    void run_synthesis(WorkerBoard& board, bool express);
    void synthesise(WorkerBoard& board, PartitionWork work, Reservation memory, Slot slot);
    void run_device(WorkerBoard& board, u32 device, bool express);
    void prove(WorkerBoard& board, u32 device, DeviceWork work);
    bool prove_on(WorkerBoard& board, u32 device, DeviceWork& work, ResidentKey& key);
    void run_finaliser(WorkerBoard& board);

    // engine_faults.cpp
    void synthesis_out_of_memory(const PartitionWork& work);
    void device_failed(u32 device, DeviceWork work, DeviceFault fault, const std::string& message);
    void retire(u32 device, const std::string& reason);
    void requeue(DeviceWork work);
    bool avoided(const DeviceWork& work, u32 device) const;

    void at(FaultPoint point, const std::string& subject, i64 partition = -1, i64 device = -1) const {
        if (faults_) faults_->at(point, subject, partition, device);
    }

    const EngineConfig config_;
    const std::unique_ptr<Workload> workload_;
    const std::shared_ptr<FaultHook> faults_;
    const TimePoint started_ = Clock::now();
    u32 pipeline_depth_ = 1;
    u32 synthesis_workers_ = 1;

    MetricsRegistry metrics_;
    Timeline timeline_;
    MemoryPlanner planner_;
    SpaceId host_space_ = 0, pinned_space_ = 0, request_space_ = 0;
    std::vector<std::optional<SpaceId>> device_spaces_;
    DevicePool pool_;
    std::unique_ptr<Journal> journal_;
    JobTable table_;
    std::unique_ptr<KeyStore> keys_;

    WorkQueue<JobPtr> decode_queue_;
    WorkQueue<PartitionWork> synthesis_queue_;
    WorkQueue<DeviceWork> device_queue_;
    WorkQueue<Finished> finished_queue_;
    std::atomic<u32> pipeline_used_ = 0;
    std::atomic<u32> synthesis_active_ = 0;
    std::mutex
        admission_;  // one partition at a time asks for memory, so that grants follow the queue's order

    std::mutex waiting_mutex_;
    std::map<std::string, std::vector<JobPtr>> waiting_for_key_;
    std::vector<JobPtr> parked_;  // until the circuit of an earlier job has found room

    mutable std::mutex errors_mutex_;
    struct ErrorEntry {
        TimePoint when;
        std::string job_id, message;
    };
    std::deque<ErrorEntry> errors_;

    std::mutex stop_mutex_;
    bool stopped_ = false;

    std::deque<WorkerBoard> boards_;
    std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace cuzk::engine
