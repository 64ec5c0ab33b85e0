// Proofs of a millisecond behind the engine's seam: sizes, delays and faults at will.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "engine/engine.hpp"

namespace cuzk::engine::fakes {

using namespace std::chrono_literals;
using filecoin::ProofKind;
using filecoin::ProofRequest;

inline constexpr ProofKind kFilecoinKinds[] = {ProofKind::kPorepSealCommit, ProofKind::kSnapDealsUpdate,
                                               ProofKind::kWindowPost, ProofKind::kWinningPost};

struct CircuitSizes {
    u64 circuit = 1000, key = 10'000;
    bool key_in_host = false;
    u64 witness = 1000, synthesis = 0;
    u64 host_working = 1000, device_working = 1000;
    Milliseconds load_delay{0};
    bool in_host_when_sought = false;  // key_in_host, once a self-check cast doubt on the key
};

// What happened, in order. Shared between the fakes of one engine.
class Log {
public:
    void add(const std::string& event) {
        const std::lock_guard lock(mutex_);
        events_.push_back(event);
    }
    std::vector<std::string> events() const {
        const std::lock_guard lock(mutex_);
        return events_;
    }
    std::size_t count(const std::string& event) const {
        const std::lock_guard lock(mutex_);
        return static_cast<std::size_t>(std::count(events_.begin(), events_.end(), event));
    }
    // Position of the first such event; fails the test if there is none.
    std::size_t position(const std::string& event) const {
        const std::lock_guard lock(mutex_);
        const auto it = std::find(events_.begin(), events_.end(), event);
        EXPECT_NE(it, events_.end()) << "no event " << event;
        return static_cast<std::size_t>(it - events_.begin());
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> events_;
};

// Bytes in use and the most there were, for comparison with what the planner granted.
class Meter {
public:
    void take(u64 bytes) {
        const u64 now = used_ += bytes;
        u64 seen = peak_;
        while (now > seen && !peak_.compare_exchange_weak(seen, now)) {
        }
    }
    void give(u64 bytes) { used_ -= bytes; }
    u64 used() const { return used_; }
    u64 peak() const { return peak_; }

private:
    std::atomic<u64> used_ = 0, peak_ = 0;
};

struct World {
    Log log;
    Meter host, vram;
    std::map<std::string, CircuitSizes>
        circuits;  // others have the default sizes; set before the engine starts
    Milliseconds decode_delay{0}, synthesis_delay{0}, prove_delay{1};
    CircuitSizes sizes(const std::string& id) const {
        const auto it = circuits.find(id);
        return it == circuits.end() ? CircuitSizes() : it->second;
    }
};

class FakeWitness final : public Witness {
public:
    FakeWitness(World& world, u64 bytes, std::string text)
        : proof(std::move(text)), world_(world), bytes_(bytes) {
        world_.host.take(bytes_);
    }
    ~FakeWitness() override { world_.host.give(bytes_); }
    const std::string proof;

private:
    World& world_;
    const u64 bytes_;
};

class FakeCircuit final : public Circuit {
public:
    FakeCircuit(World& w, std::string name) : world(w), id(std::move(name)), sizes(w.sizes(id)) {
        world.host.take(sizes.circuit);
    }
    ~FakeCircuit() override { world.host.give(sizes.circuit + (open_ ? host_key_bytes() : 0)); }
    u64 circuit_bytes() const override { return sizes.circuit; }
    u64 key_bytes() const override { return sizes.key; }
    u64 host_key_bytes() const override {
        return sizes.key_in_host || (sizes.in_host_when_sought && sought_) ? sizes.key : 0;
    }
    void seek_key(Progress*, const std::stop_token&) override { sought_ = true; }
    PartitionCost cost() const override { return {sizes.witness, sizes.synthesis}; }
    void open_key(Progress*) override {
        world.log.add("open " + id);
        world.host.take(host_key_bytes());
        open_ = true;
        std::this_thread::sleep_for(sizes.load_delay);
    }
    World& world;
    const std::string id;
    const CircuitSizes sizes;

private:
    bool open_ = false;
    bool sought_ = false;
};

// The "proof" of a partition names everything that it depends on.
inline std::string partition_proof(const ProofRequest& r, u32 partition) {
    return std::string(kind_name(job_kind(r.kind))) + "/" + std::to_string(r.sector_number) + "/" +
           std::string(r.vanilla_proof.begin(), r.vanilla_proof.end()) + "/" + std::to_string(partition) +
           ";";
}

class FakeJob final : public PreparedJob {
public:
    FakeJob(World& world, ProofRequest request) : world_(world), request_(std::move(request)) {}
    std::string circuit_id() const override {
        return std::string(request_.comm_r_old.begin(), request_.comm_r_old.end());
    }
    u32 partitions() const override { return static_cast<u32>(request_.registered_proof); }
    u64 bytes() const override { return 1; }
    std::unique_ptr<Witness> synthesise(u32 partition, const Circuit& circuit) const override {
        const auto& fake = dynamic_cast<const FakeCircuit&>(circuit);
        world_.host.take(fake.sizes.synthesis);
        std::this_thread::sleep_for(world_.synthesis_delay);
        world_.host.give(fake.sizes.synthesis);
        return std::make_unique<FakeWitness>(world_, fake.sizes.witness,
                                             partition_proof(request_, partition));
    }

private:
    World& world_;
    const ProofRequest request_;
};

class FakeWorkload final : public Workload {
public:
    using Workload::prepare;

    explicit FakeWorkload(World& world) : world_(world) {}
    std::unique_ptr<PreparedJob> prepare(const ProofRequest& request, const std::string& name) override {
        std::this_thread::sleep_for(world_.decode_delay);
        if (request.sector_size == 666)
            throw Error(ErrorKind::kMalformed, name + ": the number of the beast");
        world_.log.add("decode " + name);
        return std::make_unique<FakeJob>(world_, request);
    }
    std::unique_ptr<Circuit> load_circuit(const std::string& id) override {
        world_.log.add("load " + id);
        return std::make_unique<FakeCircuit>(world_, id);
    }

private:
    World& world_;
};

class FakeDevice final : public Device {
public:
    FakeDevice(World& world, u32 index, u64 memory = 0, bool exclusive = true)
        : world_(world), index_(index), memory_(memory), exclusive_(exclusive) {}
    std::string name() const override { return "fake " + std::to_string(index_); }
    std::string kind() const override { return memory_ == 0 ? "cpu" : "fake"; }
    u64 memory_budget() const override { return memory_; }
    std::vector<MemoryReport> memory() const override {
        if (parked == 0) return {};
        return {{"fake " + std::to_string(index_), 0, 0, 0, 0}, {"host", 0, parked, parked, 0}};
    }
    WorkingMemory working_memory(const Circuit& circuit) const override {
        const auto& fake = dynamic_cast<const FakeCircuit&>(circuit);
        return {fake.sizes.host_working + more_host_working, memory_ == 0 ? 0 : fake.sizes.device_working};
    }
    std::unique_ptr<ResidentKey> load(std::shared_ptr<const Circuit> circuit, KeyTier tier,
                                      Progress*) override;

    u64 more_host_working = 0, parked = 0;  // set before the engine starts
    std::atomic<u32> at_once = 0, most_at_once = 0;

private:
    friend class FakeKey;
    World& world_;
    const u32 index_;
    const u64 memory_;
    const bool exclusive_;
    std::mutex lock_;  // of the device, as a backend has one: proofs take turns
};

class FakeKey final : public ResidentKey {
public:
    FakeKey(FakeDevice& device, std::shared_ptr<const Circuit> circuit, KeyTier tier)
        : device_(device), circuit_(std::move(circuit)), tier_(tier) {
        if (tier_ == KeyTier::kHot) device_.world_.vram.take(circuit_->key_bytes());
    }
    ~FakeKey() override {
        if (tier_ == KeyTier::kHot) device_.world_.vram.give(circuit_->key_bytes());
    }
    KeyTier tier() const override { return tier_; }
    std::vector<u8> prove(const Witness& witness, const ProveMonitor& monitor) override {
        const auto& fake = dynamic_cast<const FakeWitness&>(witness);
        const WorkingMemory working = device_.working_memory(*circuit_);
        device_.world_.host.take(working.host);
        device_.world_.vram.take(working.device);
        {
            std::unique_lock turn(device_.lock_, std::defer_lock);
            if (device_.exclusive_) turn.lock();
            const u32 now = ++device_.at_once;
            if (now > device_.most_at_once) device_.most_at_once = now;
            const StageTimer timer(monitor.stages, "h", 1);
            device_.world_.log.add("prove " + fake.proof);
            std::this_thread::sleep_for(device_.world_.prove_delay);
            --device_.at_once;
        }
        device_.world_.vram.give(working.device);
        device_.world_.host.give(working.host);
        return {fake.proof.begin(), fake.proof.end()};
    }

private:
    FakeDevice& device_;
    const std::shared_ptr<const Circuit> circuit_;
    const KeyTier tier_;
};

inline std::unique_ptr<ResidentKey> FakeDevice::load(std::shared_ptr<const Circuit> circuit, KeyTier tier,
                                                     Progress*) {
    return std::make_unique<FakeKey>(*this, std::move(circuit), tier);
}

// A fault hook from a function.
class Script final : public FaultHook {
public:
    using Body = std::function<void(FaultPoint, const std::string&, i64, i64)>;
    explicit Script(Body body) : body_(std::move(body)) {}
    void at(FaultPoint point, const std::string& subject, i64 partition, i64 device) override {
        body_(point, subject, partition, device);
    }

private:
    const Body body_;
};

// The first `times` proofs tell that their key is damaged.
inline std::shared_ptr<FaultHook> damaged_key(int times) {
    const auto left = std::make_shared<std::atomic<int>>(times);
    return std::make_shared<Script>([left](FaultPoint point, const std::string&, i64, i64) {
        if (point == FaultPoint::kDeviceProve && left->fetch_sub(1) > 0)
            throw DeviceError(DeviceFault::kBadKey, "the key is damaged");
    });
}

inline EngineConfig small_config() {
    EngineConfig config;
    config.host_budget = u64{100} << 20;
    config.synthesis_workers = 2;
    config.gpu_workers_per_device = 2;
    return config;
}

inline ProofRequest content(ProofKind kind, const std::string& circuit, u32 partitions, u64 sector = 1) {
    ProofRequest r;
    r.kind = kind;
    r.registered_proof = partitions;
    r.sector_number = sector;
    r.comm_r_old.assign(circuit.begin(), circuit.end());
    return r;
}

inline JobRequest request(const ProofRequest& content, const std::string& id = "",
                          Priority priority = Priority::kUnspecified, Milliseconds timeout = 0ms) {
    JobRequest r;
    r.request_id = id;
    r.content = content;
    r.priority = priority;
    r.timeout = timeout;
    return r;
}

inline std::string whole_proof(const ProofRequest& r) {
    std::string out;
    for (u32 k = 0; k < r.registered_proof; ++k) out += partition_proof(r, k);
    return out;
}

inline std::string text(const std::vector<u8>& proof) {
    return {proof.begin(), proof.end()};
}

// An engine on fakes, with one CPU-like device unless told otherwise. The world outlives it.
inline std::unique_ptr<Engine> make_engine(World& world, EngineConfig config = small_config(),
                                           std::vector<DeviceSpec> devices = {},
                                           std::shared_ptr<FaultHook> faults = nullptr) {
    if (devices.empty()) devices = {{std::make_shared<FakeDevice>(world, 0), false}};
    return std::make_unique<Engine>(std::move(config), std::make_unique<FakeWorkload>(world),
                                    std::move(devices), std::move(faults));
}

// For the message of a test that waited in vain.
inline std::string describe(const EngineStatus& s) {
    std::ostringstream out;
    for (const MemoryStatus& space : s.memory) {
        out << space.space << ": " << space.used << " of " << space.budget << ", waiting " << space.waiting
            << " for " << space.waiting_bytes << ";";
        for (const MemoryOwner& owner : space.owners) out << " " << owner.owner << " " << owner.bytes;
        out << "\n";
    }
    for (const KeyStatus& key : s.keys) {
        out << key.circuit_id << (key.loading ? " loading" : "") << ", references " << key.references
            << ", on";
        for (const u32 d : key.devices) out << " " << d;
        out << "\n";
    }
    for (const DeviceStatus& d : s.devices)
        out << d.name << (d.retired ? " retired" : "") << ", concurrency " << d.concurrency << ", job "
            << d.current_job_id << "\n";
    for (const WorkerStatus& w : s.workers)
        if (w.busy) out << w.name << ": " << w.job_id << " " << w.partition << "\n";
    out << "pipeline " << s.pipeline_used << ", queued partitions " << s.queued_partitions << "\n";
    for (const JobStatus& job : s.jobs) {
        if (is_final(job.state)) continue;
        out << job.job_id << " " << kind_name(job.kind) << " " << priority_name(job.priority) << " "
            << job.circuit_id << " " << job.phase << ":";
        for (const PartitionStatus& p : job.partition) out << " " << partition_state_name(p.state);
        out << "\n";
    }
    return out.str();
}

inline JobResult finish(Engine& engine, const std::string& job_id, Milliseconds patience = 20s) {
    const AwaitResult answer = engine.await(job_id, Clock::now() + patience);
    EXPECT_EQ(answer.kind, AwaitResult::Kind::kDone) << job_id << " did not end\n"
                                                     << describe(engine.status());
    return answer.result;
}

template <class Condition>
bool eventually(const Condition& condition, Milliseconds patience = 20s) {
    const TimePoint deadline = Clock::now() + patience;
    while (!condition()) {
        if (Clock::now() > deadline) return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

// What must hold when nothing is going on: nothing is left over from whatever happened before.
inline void expect_at_rest(Engine& engine) {
    const auto idle = [&] {
        const EngineStatus s = engine.status();
        bool rest = s.pipeline_used == 0 && s.synthesis_active == 0 && s.queued_partitions == 0;
        for (const WorkerStatus& w : s.workers) rest = rest && !w.busy;
        // A job's waiters are told before its memory is given back.
        for (const KeyStatus& key : s.keys) rest = rest && key.references == 0 && !key.loading;
        for (const MemoryStatus& space : s.memory)
            for (const MemoryOwner& owner : space.owners) rest = rest && owner.owner.rfind("key ", 0) == 0;
        return rest;
    };
    EXPECT_TRUE(eventually(idle));
    const EngineStatus s = engine.status();
    EXPECT_EQ(s.pipeline_used, 0u);
    EXPECT_EQ(s.synthesis_active, 0u);
    for (const QueueStatus& queue : s.queues) EXPECT_EQ(queue.pending + queue.in_progress, 0u);
    for (const KeyStatus& key : s.keys) EXPECT_EQ(key.references, 0u) << key.circuit_id;
    for (const MemoryStatus& space : s.memory) {
        EXPECT_EQ(space.waiting, 0u) << space.space;
        for (const MemoryOwner& owner : space.owners)
            EXPECT_EQ(owner.owner.rfind("key ", 0), 0u) << owner.owner << " holds " << owner.bytes;
    }
}

class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "cuzk-engine-XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    std::string path() const { return path_; }

private:
    std::string path_;
};

}  // namespace cuzk::engine::fakes
