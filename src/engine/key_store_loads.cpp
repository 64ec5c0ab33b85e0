// The loads of the key store: each on a thread of its own.
#include <algorithm>
#include <utility>

#include "engine/key_store_held.hpp"

namespace cuzk::engine {

namespace {

// A load that waits for others' memory looks again at least this often.
constexpr std::chrono::milliseconds kRetryInterval{100};

}  // namespace

void KeyStore::Entry::set(const std::shared_ptr<HeldCircuit>& opened) {
    held = opened;
    circuit = opened ? std::shared_ptr<const Circuit>(opened, opened->circuit.get()) : nullptr;
}

void KeyStore::start_load(const std::string& circuit_id, Entry& entry) {
    threads_.remove_if([](LoadThread& load) {
        if (load.done) load.thread.join();
        return load.done;
    });
    entry.loading = true;
    entry.recheck = false;
    entry.error.clear();
    entry.refused.clear();
    if (stopping_.stop_requested()) {
        entry.loading = false;
        entry.error = "the engine has stopped";
        return;
    }
    threads_.emplace_back();
    LoadThread& slot = threads_.back();
    slot.thread = std::jthread([this, circuit_id, &slot] {
        load(circuit_id);
        const std::lock_guard lock(mutex_);
        slot.done = true;
    });
}

void KeyStore::load(const std::string& circuit_id) {
    const TimePoint begin = Clock::now();
    for (;;) {
        std::string error;
        ErrorKind kind = ErrorKind::kEnvironment;
        bool abandoned = false;
        try {
            std::shared_ptr<HeldCircuit> held;
            bool reopen = false;
            {
                const std::lock_guard lock(mutex_);
                held = entries_.at(circuit_id).held;
                reopen = entries_.at(circuit_id).reopen;
            }
            if (!held) {
                held = open_circuit(circuit_id);
                abandoned = !held;
                const std::lock_guard lock(mutex_);
                entries_.at(circuit_id).set(held);
            } else if (reopen) {
                reopen_circuit(circuit_id, *held);
            }
            if (abandoned) {
                error = "the load was given up: nobody needed it any more, or the engine stopped";
            } else {
                const std::shared_ptr<const Circuit> circuit(held, held->circuit.get());
                while (const auto device = next_target(circuit_id)) load_onto(circuit_id, *device, circuit);
            }
        } catch (const Error& e) {
            error = e.what();
            kind = e.kind();
        } catch (const std::bad_alloc&) {
            error = "out of host memory";
        } catch (const std::exception& e) {
            error = e.what();
            kind = ErrorKind::kInternal;
        }
        if (finish_load(circuit_id, error, kind, abandoned,
                        std::chrono::duration<double>(Clock::now() - begin).count()))
            break;
    }
    timeline_.add({"", -1, "key load", "key load " + circuit_id, -1, false, 0, begin, Clock::now()});
    events_.changed(circuit_id);
}

std::shared_ptr<KeyStore::HeldCircuit> KeyStore::open_circuit(const std::string& circuit_id) {
    if (faults_ != nullptr) faults_->at(FaultPoint::kKeyLoad, circuit_id, -1, -1);
    std::unique_ptr<Circuit> circuit = workload_.load_circuit(circuit_id);
    const PartitionCost cost = circuit->cost();
    Claim claim{
        places_.host, circuit->circuit_bytes() + circuit->host_key_bytes(),
        // While the circuit is there, room for one partition of it stays free: else its jobs could never end.
        cost.witness + cost.synthesis + host_working_bytes(*circuit), "key " + circuit_id,
        Priority::kCritical, Claim::Phase::kKeep, 1};
    auto held = std::make_shared<HeldCircuit>();
    held->memory = acquire_beside_needed(circuit_id, claim);
    if (!held->memory) return nullptr;
    events_.changed(circuit_id);  // others may go on beside it
    circuit->open_key(nullptr);
    held->circuit = std::move(circuit);
    return held;
}

// The key from elsewhere: BackendCircuit::doubt_key. Where it needs host memory that it did not need before,
// that must be there at once: begun work holds memory and waits for this key, so to wait for it in turn might never end.
void KeyStore::reopen_circuit(const std::string& circuit_id, HeldCircuit& held) {
    std::map<u32, Resident>
        doubtful;  // that a load under way put there meanwhile; destroyed after the lock is
    {
        const std::lock_guard lock(mutex_);
        doubtful.swap(entries_.at(circuit_id).residents);
    }
    doubtful.clear();
    held.circuit->seek_key(nullptr, stopping_.get_token());
    if (stopping_.stop_requested()) throw Error(ErrorKind::kEnvironment, "the engine has stopped");
    const u64 bytes = held.circuit->host_key_bytes();
    const u64 reserved = held.memory.bytes() - held.circuit->circuit_bytes() + held.more.bytes();
    if (bytes > reserved) {
        const Claim claim{places_.host,        bytes - reserved,    0, "key " + circuit_id,
                          Priority::kCritical, Claim::Phase::kKeep, 1};
        Reservation more = planner_.try_acquire(claim);
        if (!more && evict_idle(places_.host, claim.bytes, true) != 0)  // young ones, too
            more = planner_.try_acquire(claim);
        if (!more)
            throw Error(ErrorKind::kEnvironment,
                        "the key of " + circuit_id +
                            " must be read from its parameter file, and beside the work under way there is "
                            "no memory for that");
        const std::lock_guard lock(mutex_);
        held.more = std::move(more);
        entries_.at(circuit_id).host_claim.bytes += held.more.bytes();
    }
    held.circuit->open_key(nullptr);
    const std::lock_guard lock(mutex_);
    entries_.at(circuit_id).reopen = false;
}

// Whether the host has room for one proof on the device beside the circuit and its key, if for nothing else.
bool KeyStore::fits_beside_key(const Circuit& circuit, u32 device) const {
    const PartitionCost cost = circuit.cost();
    return circuit.circuit_bytes() + circuit.host_key_bytes() + cost.witness + cost.synthesis +
               devices_[device]->working_memory(circuit).host <=
           host_limit_;
}

// By the planner's rule for what stays: whether a load's memory fits beside that of all circuits that are needed: those cannot be evicted.
bool KeyStore::fits_beside_needed(const std::string& circuit_id, const Claim& claim) const {
    u64 bytes = claim.bytes, headroom = claim.headroom;
    for (const auto& [id, entry] : entries_) {
        if (id == circuit_id || !in_use(entry)) continue;
        bytes += entry.host_claim.bytes;
        for (const auto& [device, resident] : entry.residents)
            if (resident.tier == KeyTier::kPinned) bytes += entry.circuit->key_bytes();
        headroom = std::max(headroom, entry.host_claim.headroom);
    }
    return bytes + headroom <= host_limit_;
}

// Waits for a circuit's host memory. In the planner's queue, where it holds up others, only while it is sure to be served; as
// long as circuits that are needed leave no room, it waits outside.
Reservation KeyStore::acquire_beside_needed(const std::string& circuit_id, const Claim& claim) {
    // Its jobs may be of any priority, so what is kept for critical ones does not count.
    Claim ordinary = claim;
    ordinary.priority = Priority::kNormal;
    if (const auto reason = planner_.never_fits(ordinary)) throw Error(ErrorKind::kEnvironment, *reason);
    while (!stopping_.stop_requested()) {
        std::stop_source give_way;
        std::optional<WorkKey> newly_held_off;
        {
            std::unique_lock lock(mutex_);
            Entry& entry = entries_.at(circuit_id);
            if (entry.interests == 0) return {};
            if (fits_beside_needed(circuit_id, claim)) {
                entry.host_claim = claim;
                entry.give_way = give_way;
            } else if (std::exchange(entry.held_off, true)) {
                changed_.wait_for(lock, kRetryInterval);
                continue;
            } else {
                newly_held_off = entry.needed_by;
            }
        }
        if (newly_held_off) {
            events_.held_off(circuit_id, *newly_held_off);
            continue;
        }
        Reservation memory = planner_.acquire(claim, give_way.get_token());
        const std::lock_guard lock(mutex_);
        Entry& entry = entries_.at(circuit_id);
        entry.give_way.reset();
        if (memory) {
            entry.held_off = false;
            return memory;
        }
        entry.host_claim = {};
    }
    return {};
}

// Loads that wait in the planner's queue for memory which a circuit that is needed keeps: they must step back.
std::vector<std::stop_source> KeyStore::claims_without_room() const {
    std::vector<std::stop_source> out;
    for (const auto& [id, entry] : entries_)
        if (entry.give_way && (stopping_.stop_requested() || !fits_beside_needed(id, entry.host_claim)))
            out.push_back(*entry.give_way);
    return out;
}

// False if the load goes on, since the targets changed or somebody came to need it after all.
bool KeyStore::finish_load(const std::string& circuit_id, const std::string& error, ErrorKind kind,
                           bool abandoned, double seconds) {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_.at(circuit_id);
    if (error.empty() && std::exchange(entry.recheck, false)) return false;
    if (abandoned && entry.interests != 0 && !stopping_.stop_requested()) return false;
    entry.loading = false;
    entry.held_off = false;
    entry.needed_by.reset();
    entry.load_seconds = seconds;
    entry.last_used = Clock::now();
    entry.error = error;
    entry.error_kind = kind;
    if (error.empty() && entry.residents.empty()) {
        entry.error = "no device can hold the key of " + circuit_id;
        for (const auto& [device, reason] : entry.refused)
            entry.error += "; device " + std::to_string(device) + ": " + reason;
        if (entry.refused.empty()) entry.error = "no device is left to prove on";
    }
    const bool failed = entry.residents.empty();
    if (failed && !entry.circuit) entry.host_claim = {};
    const bool forget = failed && !entry.circuit && entry.interests == 0;
    metrics_.add("cuzk_key_loads_total",
                 {{"circuit_id", circuit_id}, {"result", failed ? "failed" : "loaded"}});
    if (!failed) metrics_.observe("cuzk_key_load_seconds", {{"circuit_id", circuit_id}}, seconds);
    if (forget) entries_.erase(circuit_id);
    changed_.notify_all();
    return true;
}

std::optional<u32> KeyStore::next_target(const std::string& circuit_id) {
    if (stopping_.stop_requested()) return std::nullopt;
    const std::vector<u32> targets = events_.targets();
    const std::lock_guard lock(mutex_);
    const Entry& entry = entries_.at(circuit_id);
    for (const u32 device : targets)
        if (!entry.residents.contains(device) && !entry.refused.contains(device)) return device;
    return std::nullopt;
}

// Where a device with memory of its own has too little of it, it keeps parts of proofs in pinned memory of the host: from a load that needs
// this on, as large as it says then. Keys that share it reserve it each, so that it is reserved while one of them is there.
Reservation KeyStore::host_memory_of(u32 device) {
    u64 bytes = 0;
    for (const MemoryReport& report : devices_[device]->memory())
        if (report.space == "host") bytes += report.working;
    if (bytes == 0) return {};
    Claim claim{places_.host, bytes, 0, "proofs on device " + std::to_string(device)};
    claim.phase = Claim::Phase::kKeep;
    Reservation memory = planner_.try_acquire(claim);
    if (!memory)
        throw DeviceError(DeviceFault::kOutOfMemory,
                          "proofs there need " + size_text(bytes) +
                              " of host memory, which there is no room for: raise the budget "
                              "of host memory, or the device's");
    return memory;
}

void KeyStore::load_onto(const std::string& circuit_id, u32 device,
                         const std::shared_ptr<const Circuit>& circuit) {
    Device& target = *devices_[device];
    std::string refusal = "out of memory";
    const std::optional<SpaceId> own = places_.devices[device];
    // Where it is a device that stepped in: work for it would wait for ever.
    if (!fits_beside_key(*circuit, device)) {
        const std::lock_guard lock(mutex_);
        entries_.at(circuit_id).refused[device] = "a proof there needs " +
                                                  size_text(target.working_memory(*circuit).host) +
                                                  " of host memory, more than there is beside the key";
        return;
    }
    for (const KeyTier tier : {KeyTier::kHot, KeyTier::kPinned, KeyTier::kMapped}) {
        if (!own && tier != KeyTier::kMapped) continue;
        Reservation memory;
        if (tier != KeyTier::kMapped) {
            Claim claim{tier == KeyTier::kHot ? *own : places_.pinned, circuit->key_bytes(), 0,
                        "key " + circuit_id};
            // Room for at least one proof beside the key.
            claim.phase = Claim::Phase::kKeep;
            if (tier == KeyTier::kHot) claim.headroom = target.working_memory(*circuit).device;
            memory = planner_.try_acquire(claim);
            if (!memory) continue;
        }
        try {
            if (faults_ != nullptr) faults_->at(FaultPoint::kKeyLoad, circuit_id, -1, device);
            std::unique_ptr<ResidentKey> loaded = target.load(circuit, tier, nullptr);
            Reservation host = own ? host_memory_of(device) : Reservation();
            auto key = std::make_shared<Held>(std::move(memory), std::move(host), std::move(loaded));
            std::vector<std::stop_source> give_way;
            {
                const std::lock_guard lock(mutex_);
                const KeyTier tier_now = key->tier();
                entries_.at(circuit_id).residents[device] = {std::move(key), tier, tier_now};
                if (tier == KeyTier::kPinned) give_way = claims_without_room();
                changed_.notify_all();
            }
            for (std::stop_source& source : give_way) source.request_stop();
            events_.changed(circuit_id);
            return;
        } catch (const DeviceError& e) {
            refusal = e.what();
            if (e.fault() == DeviceFault::kOutOfMemory) continue;
            events_.device_lost(device, "while it took the key of " + circuit_id + ": " + e.what());
            break;
        } catch (const std::bad_alloc&) {
            continue;
        }
    }
    const std::lock_guard lock(mutex_);
    entries_.at(circuit_id).refused[device] = refusal;
}

}  // namespace cuzk::engine
