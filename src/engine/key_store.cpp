#include "engine/key_store.hpp"

#include <algorithm>
#include <utility>

namespace cuzk::engine {

namespace {

// A load that waits for others' memory looks again at least this often.
constexpr std::chrono::milliseconds kRetryInterval{100};

double seconds_between(TimePoint from, TimePoint to) {
    return std::chrono::duration<double>(to - from).count();
}

// A circuit that holds its reservation.
struct HeldCircuit {
    Reservation memory;
    std::shared_ptr<const Circuit> circuit;
};

}  // namespace

// A key that holds its reservation; the key goes first, then its memory is free.
class KeyStore::Held final : public ResidentKey {
public:
    Held(Reservation memory, std::unique_ptr<ResidentKey> key)
        : memory_(std::move(memory)), key_(std::move(key)) {}
    std::vector<u8> prove(const Witness& witness, const ProveMonitor& monitor) override {
        return key_->prove(witness, monitor);
    }
    KeyTier tier() const override { return key_->tier(); }

private:
    Reservation memory_;
    std::unique_ptr<ResidentKey> key_;
};

KeyStore::Interest& KeyStore::Interest::operator=(Interest&& other) noexcept {
    if (this == &other) return *this;
    release();
    store_ = std::exchange(other.store_, nullptr);
    circuit_id_ = std::move(other.circuit_id_);
    return *this;
}

void KeyStore::Interest::release() {
    if (store_ != nullptr) std::exchange(store_, nullptr)->release_interest(circuit_id_);
}

KeyStore::KeyStore(Workload& workload, std::vector<std::shared_ptr<Device>> devices, MemoryPlanner& planner,
                   Places places, Milliseconds min_idle, Timeline& timeline, MetricsRegistry& metrics,
                   FaultHook* faults, Events events)
    : workload_(workload),
      devices_(std::move(devices)),
      planner_(planner),
      places_(std::move(places)),
      min_idle_(min_idle),
      timeline_(timeline),
      metrics_(metrics),
      faults_(faults),
      host_limit_(planner.start_limit(places_.host)),
      events_(std::move(events)) {
    metrics_.declare("cuzk_key_loads_total", MetricType::kCounter, "Key loads by circuit and outcome");
    const auto bounds = duration_bounds();
    metrics_.declare("cuzk_key_load_seconds", MetricType::kHistogram, "Time to load a key",
                     {bounds.begin(), bounds.end()});
}

KeyStore::~KeyStore() {
    close();
}

void KeyStore::close() {
    std::list<LoadThread> threads;
    std::vector<std::stop_source> give_way;
    {
        const std::lock_guard lock(mutex_);
        stopping_.request_stop();
        threads.splice(threads.end(), threads_);
        give_way = claims_without_room();
    }
    for (std::stop_source& source : give_way) source.request_stop();
    for (LoadThread& load : threads) load.thread.join();
}

KeyStore::Interest KeyStore::want(const std::string& circuit_id, const WorkKey& needed_by) {
    const std::vector<u32> targets = events_.targets();
    std::vector<std::stop_source> give_way;
    {
        const std::lock_guard lock(mutex_);
        Entry& entry = entries_[circuit_id];
        if (entry.interests++ == 0) give_way = claims_without_room();
        if (!entry.needed_by || needed_by < *entry.needed_by) entry.needed_by = needed_by;
        // A circuit that failed before is tried afresh: the files may be there now. A device that could not hold the key
        // while others could is left alone.
        const bool complete =
            !entry.residents.empty() && std::all_of(targets.begin(), targets.end(), [&](u32 d) {
                return entry.residents.contains(d) || entry.refused.contains(d);
            });
        if (!entry.loading && !complete) start_load(circuit_id, entry);
    }
    for (std::stop_source& source : give_way) source.request_stop();
    return Interest(*this, circuit_id);
}

void KeyStore::release_interest(const std::string& circuit_id) {
    bool idle = false;
    {
        const std::lock_guard lock(mutex_);
        Entry& entry = entries_.at(circuit_id);
        entry.last_used = Clock::now();
        idle = --entry.interests == 0;
        // What failed to load and is needed by nobody leaves no trace.
        if (idle && !entry.loading && !entry.circuit) entries_.erase(circuit_id);
        changed_.notify_all();
    }
    if (idle) planner_.retry_waiting();
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
            std::shared_ptr<const Circuit> circuit;
            {
                const std::lock_guard lock(mutex_);
                circuit = entries_.at(circuit_id).circuit;
            }
            if (!circuit) {
                circuit = open_circuit(circuit_id);
                abandoned = !circuit;
                const std::lock_guard lock(mutex_);
                entries_.at(circuit_id).circuit = circuit;
            }
            if (abandoned)
                error = "the load was given up: nobody needed it any more, or the engine stopped";
            else
                while (const auto device = next_target(circuit_id)) load_onto(circuit_id, *device, circuit);
        } catch (const Error& e) {
            error = e.what();
            kind = e.kind();
        } catch (const std::bad_alloc&) {
            error = "out of host memory";
        } catch (const std::exception& e) {
            error = e.what();
            kind = ErrorKind::kInternal;
        }
        if (finish_load(circuit_id, error, kind, abandoned, seconds_between(begin, Clock::now()))) break;
    }
    timeline_.add({"", -1, "key load", "key load " + circuit_id, -1, false, 0, begin, Clock::now()});
    events_.changed(circuit_id);
}

std::shared_ptr<const Circuit> KeyStore::open_circuit(const std::string& circuit_id) {
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
    const Circuit* const raw = held->circuit.get();
    return {std::move(held), raw};
}

// By the planner's rule for what stays: whether a load's memory fits beside that of all circuits that are needed: those cannot be evicted.
bool KeyStore::fits_beside_needed(const std::string& circuit_id, const Claim& claim) const {
    u64 bytes = claim.bytes, headroom = claim.headroom;
    for (const auto& [id, entry] : entries_) {
        if (id == circuit_id || !in_use(entry)) continue;
        bytes += entry.host_claim.bytes;
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

bool KeyStore::must_give_way(const std::string& circuit_id, const WorkKey& needed_by) const {
    const std::lock_guard lock(mutex_);
    return std::any_of(entries_.begin(), entries_.end(), [&](const auto& other) {
        const Entry& entry = other.second;
        return other.first != circuit_id && entry.held_off && entry.interests != 0 &&
               *entry.needed_by < needed_by;
    });
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

void KeyStore::load_onto(const std::string& circuit_id, u32 device,
                         const std::shared_ptr<const Circuit>& circuit) {
    Device& target = *devices_[device];
    std::string refusal = "out of memory";
    const std::optional<SpaceId> own = places_.devices[device];
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
            auto key = std::make_shared<Held>(std::move(memory), target.load(circuit, tier, nullptr));
            {
                const std::lock_guard lock(mutex_);
                const KeyTier tier_now = key->tier();
                entries_.at(circuit_id).residents[device] = {std::move(key), tier, tier_now};
                changed_.notify_all();
            }
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

bool KeyStore::usable(const Entry& entry, const std::vector<u32>& targets) const {
    return std::any_of(targets.begin(), targets.end(), [&](u32 d) { return entry.residents.contains(d); });
}

KeyStore::Answer KeyStore::ask(const std::string& circuit_id) const {
    const std::vector<u32> targets = events_.targets();
    const std::lock_guard lock(mutex_);
    const auto it = entries_.find(circuit_id);
    if (it == entries_.end())
        return {State::kFailed, circuit_id + " is not loaded", ErrorKind::kInternal, nullptr};
    const Entry& entry = it->second;
    if (usable(entry, targets)) return {State::kReady, "", entry.error_kind, entry.circuit};
    if (entry.loading) return {};
    // A device was retired a moment ago, and drop_device is about to load the key onto one that steps in.
    const bool about_to_load =
        entry.interests != 0 && entry.error.empty() && !stopping_.stop_requested() &&
        std::any_of(targets.begin(), targets.end(), [&](u32 d) { return !entry.refused.contains(d); });
    if (about_to_load) return {};
    return {State::kFailed, entry.error.empty() ? "no device is left to prove on" : entry.error,
            entry.error_kind, nullptr};
}

KeyStore::Answer KeyStore::wait(const std::string& circuit_id) const {
    for (;;) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] {
            const auto it = entries_.find(circuit_id);
            return it == entries_.end() || !it->second.loading;
        });
        lock.unlock();
        Answer answer = ask(circuit_id);
        if (answer.state != State::kLoading) return answer;
        lock.lock();
        changed_.wait_for(lock, kRetryInterval);
    }
}

std::shared_ptr<ResidentKey> KeyStore::resident(const std::string& circuit_id, u32 device) const {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(circuit_id);
    if (entry == entries_.end()) return nullptr;
    const auto it = entry->second.residents.find(device);
    return it == entry->second.residents.end() ? nullptr : it->second.key;
}

bool KeyStore::expected_on(const std::string& circuit_id, u32 device) const {
    const std::lock_guard lock(mutex_);
    const auto it = entries_.find(circuit_id);
    if (it == entries_.end()) return false;
    const Entry& entry = it->second;
    return entry.residents.contains(device) || (entry.loading && !entry.refused.contains(device));
}

u64 KeyStore::host_working_bytes(const Circuit& circuit) const {
    u64 most = 0;
    for (const u32 device : events_.targets())
        most = std::max(most, devices_[device]->working_memory(circuit).host);
    return most;
}

bool KeyStore::in_use(const Entry& entry) const {
    return entry.interests != 0 || entry.loading ||
           std::any_of(entry.residents.begin(), entry.residents.end(),
                       [](const auto& resident) { return resident.second.key.use_count() > 1; });
}

std::pair<bool, u64> KeyStore::evict(const std::string& circuit_id) {
    Entry gone;  // destroyed after the lock is
    const std::lock_guard lock(mutex_);
    const auto it = entries_.find(circuit_id);
    if (it == entries_.end() || (!it->second.circuit && !it->second.loading)) return {false, 0};
    if (in_use(it->second))
        throw Error(ErrorKind::kEnvironment,
                    circuit_id + (it->second.loading ? " is being loaded"
                                                     : " is in use: " + std::to_string(it->second.interests) +
                                                           " unfinished jobs need it"));
    gone = std::move(it->second);
    entries_.erase(it);
    changed_.notify_all();
    const u64 host = gone.circuit->circuit_bytes() + gone.circuit->host_key_bytes();
    u64 elsewhere = 0;
    for (const auto& [device, resident] : gone.residents)
        if (resident.tier != KeyTier::kMapped) elsewhere += gone.circuit->key_bytes();
    return {true, host + elsewhere};
}

u64 KeyStore::evict_idle(SpaceId space, u64 wanted, bool urgent) {
    std::vector<Entry> gone;  // destroyed after the lock is
    std::vector<Resident> gone_keys;
    const std::lock_guard lock(mutex_);
    std::vector<std::pair<TimePoint, std::string>> idle;
    for (const auto& [id, entry] : entries_)
        if (!in_use(entry) && (urgent || Clock::now() - entry.last_used >= min_idle_))
            idle.emplace_back(entry.last_used, id);
    std::sort(idle.begin(), idle.end());
    u64 freed = 0;
    for (const auto& [used, id] : idle) {
        if (freed >= wanted) break;
        Entry& entry = entries_.at(id);
        const u64 key_bytes = entry.circuit ? entry.circuit->key_bytes() : 0;
        for (auto it = entry.residents.begin(); it != entry.residents.end();) {
            const bool hot_here = it->second.tier == KeyTier::kHot && places_.devices[it->first] == space;
            const bool pinned_here =
                it->second.tier == KeyTier::kPinned && (space == places_.pinned || space == places_.host);
            if (!hot_here && !pinned_here) {
                ++it;
                continue;
            }
            freed += key_bytes;
            gone_keys.push_back(std::move(it->second));
            it = entry.residents.erase(it);
        }
        if (space == places_.host || entry.residents.empty()) {
            if (space == places_.host) freed += entry.host_claim.bytes;
            gone.push_back(std::move(entry));
            entries_.erase(id);
        }
    }
    return freed;
}

void KeyStore::drop_device(u32 device) {
    std::vector<std::string> affected;
    std::vector<Resident> gone;  // destroyed after the lock is
    {
        const std::lock_guard lock(mutex_);
        for (auto& [id, entry] : entries_) {
            const auto it = entry.residents.find(device);
            if (it != entry.residents.end()) {
                gone.push_back(std::move(it->second));
                entry.residents.erase(it);
            }
            if (entry.loading)
                entry.recheck = true;
            else if (entry.interests != 0)
                start_load(id, entry);
            affected.push_back(id);
        }
        changed_.notify_all();
    }
    for (const std::string& id : affected) events_.changed(id);
}

std::vector<KeyStatus> KeyStore::status() const {
    const std::lock_guard lock(mutex_);
    std::vector<KeyStatus> out;
    for (const auto& [id, entry] : entries_) {
        KeyStatus s;
        s.circuit_id = id;
        s.loading = entry.loading;
        if (entry.circuit) {
            s.key_bytes = entry.circuit->key_bytes();
            s.circuit_bytes = entry.circuit->circuit_bytes();
        }
        s.references = entry.interests;
        for (const auto& [device, resident] : entry.residents) {
            s.tier = std::min(s.tier, resident.shown);
            s.devices.push_back(device);
            s.references += static_cast<u32>(resident.key.use_count() - 1);
        }
        s.evictable = !in_use(entry);
        if (s.evictable) s.idle_seconds = seconds_between(entry.last_used, Clock::now());
        s.load_seconds = entry.load_seconds;
        out.push_back(std::move(s));
    }
    return out;
}

}  // namespace cuzk::engine
