#include "engine/key_store.hpp"

#include <algorithm>
#include <utility>

namespace cuzk::engine {

namespace {

// Who waits for an answer looks again at least this often.
constexpr std::chrono::milliseconds kRetryInterval{100};

double seconds_between(TimePoint from, TimePoint to) {
    return std::chrono::duration<double>(to - from).count();
}

}  // namespace

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

bool KeyStore::must_give_way(const std::string& circuit_id, const WorkKey& needed_by) const {
    const std::lock_guard lock(mutex_);
    return std::any_of(entries_.begin(), entries_.end(), [&](const auto& other) {
        const Entry& entry = other.second;
        return other.first != circuit_id && entry.held_off && entry.interests != 0 && entry.needed_by &&
               *entry.needed_by < needed_by;
    });
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
    // What is begun now may have to be ended by a device that steps in. One where that is hopeless gets no key (load_onto).
    for (const u32 device : events_.candidates())
        if (fits_beside_key(circuit, device))
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

void KeyStore::reopen(const std::string& circuit_id, const ResidentKey& key, const WorkKey& needed_by) {
    std::map<u32, Resident> gone;  // destroyed after the lock is
    {
        const std::lock_guard lock(mutex_);
        const auto it = entries_.find(circuit_id);
        if (it == entries_.end()) return;
        Entry& entry = it->second;
        // Of several proofs that failed with one key the first does it for all.
        if (std::none_of(entry.residents.begin(), entry.residents.end(),
                         [&](const auto& resident) { return resident.second.key.get() == &key; }))
            return;
        gone.swap(entry.residents);
        entry.reopen = true;
        entry.needed_by = needed_by;
        // A load under way puts the doubtful key on more devices: it begins again when it is done with that.
        if (entry.loading)
            entry.recheck = true;
        else
            start_load(circuit_id, entry);
        changed_.notify_all();
    }
    events_.changed(circuit_id);
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
            else if (entry.interests != 0 && entry.circuit)  // else its load failed, and the jobs do
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
