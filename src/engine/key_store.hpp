// Circuits and their keys: what is loaded, where, in which tier, and who needs it.
//
// A load runs on a thread of its own and blocks nobody but those who need that circuit; requests for a circuit that is being
// loaded share the load. Tiers of a device with its own memory: hot (room for the key is reserved there), else pinned (in
// page-locked host memory), else mapped (ordinary host memory); a key never waits for a tier. A device that works in host
// memory uses the key as the host has it.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/faults.hpp"
#include "engine/memory_planner.hpp"
#include "engine/metrics.hpp"
#include "engine/timeline.hpp"
#include "engine/work.hpp"
#include "engine/work_queue.hpp"

namespace cuzk::engine {

// Thread-safe. Callbacks are called without locks.
class KeyStore {
public:
    struct Places {
        SpaceId host = 0, pinned = 0;
        std::vector<std::optional<SpaceId>> devices;  // own memory of each device
    };
    struct Events {
        // A load made progress: the circuit became usable on another device, or its load failed.
        std::function<void(const std::string& circuit_id)> changed;
        // A device failed while it took a key.
        std::function<void(u32 device, const std::string& reason)> device_lost;
        // A load has no room beside the circuits that are needed. `needed_by`: the first job that waits for it. Jobs after that
        // one which have not begun should let go of their circuits.
        std::function<void(const std::string& circuit_id, const WorkKey& needed_by)> held_off;
        // Devices that should hold keys, in the order of loading.
        std::function<std::vector<u32>()> targets;
        // Those, and devices that may come to be targets when others fail.
        std::function<std::vector<u32>()> candidates;
    };

    KeyStore(Workload& workload, std::vector<std::shared_ptr<Device>> devices, MemoryPlanner& planner,
             Places places, Milliseconds min_idle, Timeline& timeline, MetricsRegistry& metrics,
             FaultHook* faults, Events events);
    // close()
    ~KeyStore();
    // Waits for loads under way, and starts no more.
    void close();
    KeyStore(const KeyStore&) = delete;
    KeyStore& operator=(const KeyStore&) = delete;

    // While it lives its circuit is not evicted. Move-only; must not outlive the store.
    class Interest {
    public:
        Interest() = default;
        Interest(KeyStore& store, std::string circuit_id)
            : store_(&store), circuit_id_(std::move(circuit_id)) {}
        ~Interest() { release(); }
        Interest(Interest&& other) noexcept { *this = std::move(other); }
        Interest& operator=(Interest&& other) noexcept;
        explicit operator bool() const { return store_ != nullptr; }
        void release();

    private:
        KeyStore* store_ = nullptr;
        std::string circuit_id_;
    };

    // Says that a job needs the circuit, and starts the loads that are missing.
    Interest want(const std::string& circuit_id, const WorkKey& needed_by);
    // Whether another circuit waits for room on behalf of an earlier job: then this one should not be wanted yet.
    bool must_give_way(const std::string& circuit_id, const WorkKey& needed_by) const;

    enum class State { kLoading, kReady, kFailed };
    struct Answer {
        State state = State::kLoading;
        std::string error;  // kFailed
        ErrorKind error_kind = ErrorKind::kEnvironment;
        std::shared_ptr<const Circuit> circuit;  // kReady: usable on at least one device that is wanted
    };
    Answer ask(const std::string& circuit_id) const;
    // Waits for kReady or kFailed.
    Answer wait(const std::string& circuit_id) const;

    // The key on a device, or null. Holding the pointer keeps it there.
    std::shared_ptr<ResidentKey> resident(const std::string& circuit_id, u32 device) const;
    // Whether it is there, or on its way.
    bool expected_on(const std::string& circuit_id, u32 device) const;
    // The most host memory that one proof of the circuit needs on any device that is wanted, or may be when others fail.
    u64 host_working_bytes(const Circuit& circuit) const;

    // Error(kEnvironment) while the circuit is needed. Bytes freed, 0 and false if it was not loaded.
    std::pair<bool, u64> evict(const std::string& circuit_id);
    // Least recently used first; see MemoryPlanner::Evictor.
    u64 evict_idle(SpaceId space, u64 wanted, bool urgent);
    // A self-check cast doubt on a key, and its circuit takes it from elsewhere now (BackendCircuit::doubt_key): it goes from all
    // devices, and is opened and loaded again. Nothing happens if `key` is on none any more.
    void reopen(const std::string& circuit_id, const ResidentKey& key, const WorkKey& needed_by);
    // The device is gone: its keys count no longer, and circuits that are needed are loaded onto the targets that are left.
    void drop_device(u32 device);

    std::vector<KeyStatus> status() const;

private:
    struct Resident {
        std::shared_ptr<ResidentKey> key;
        KeyTier tier = KeyTier::kMapped;   // as reserved
        KeyTier shown = KeyTier::kMapped;  // as the device has it
    };
    struct HeldCircuit;
    struct Entry {
        std::shared_ptr<HeldCircuit> held;
        std::shared_ptr<const Circuit> circuit;  // the one in `held`
        bool reopen = false;                     // its key must be opened again before it goes to a device
        std::map<u32, Resident> residents;
        std::map<u32, std::string> refused;  // devices that cannot hold it, with the reason
        bool loading = false;
        bool recheck = false;  // the targets changed during the load
        std::string error;
        ErrorKind error_kind = ErrorKind::kEnvironment;
        u32 interests = 0;
        std::optional<WorkKey> needed_by;  // the first job that waits for the load
        bool held_off = false;
        Claim host_claim;                          // granted, or waited for
        std::optional<std::stop_source> give_way;  // while it waits in the planner's queue
        TimePoint last_used = Clock::now();
        double load_seconds = 0;

        void set(const std::shared_ptr<HeldCircuit>& opened);
    };
    class Held;

    void start_load(const std::string& circuit_id, Entry& entry);
    void load(const std::string& circuit_id);
    std::shared_ptr<HeldCircuit> open_circuit(const std::string& circuit_id);
    void reopen_circuit(const std::string& circuit_id, HeldCircuit& held);
    Reservation acquire_beside_needed(const std::string& circuit_id, const Claim& claim);
    bool fits_beside_key(const Circuit& circuit, u32 device) const;
    bool fits_beside_needed(const std::string& circuit_id, const Claim& claim) const;
    std::vector<std::stop_source> claims_without_room() const;
    std::optional<u32> next_target(const std::string& circuit_id);
    Reservation host_memory_of(u32 device);
    void load_onto(const std::string& circuit_id, u32 device, const std::shared_ptr<const Circuit>& circuit);
    bool in_use(const Entry& entry) const;
    void release_interest(const std::string& circuit_id);
    bool finish_load(const std::string& circuit_id, const std::string& error, ErrorKind kind, bool abandoned,
                     double seconds);
    bool usable(const Entry& entry, const std::vector<u32>& targets) const;

    Workload& workload_;
    const std::vector<std::shared_ptr<Device>> devices_;
    MemoryPlanner& planner_;
    const Places places_;
    const Milliseconds min_idle_;
    Timeline& timeline_;
    MetricsRegistry& metrics_;
    FaultHook* const faults_;
    const u64 host_limit_;
    const Events events_;

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::map<std::string, Entry> entries_;
    struct LoadThread {
        std::jthread thread;
        bool done = false;
    };
    std::list<LoadThread> threads_;
    std::stop_source stopping_;
};

}  // namespace cuzk::engine
