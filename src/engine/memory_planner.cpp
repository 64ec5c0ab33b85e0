#include "engine/memory_planner.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace cuzk::engine {

namespace {

// How often a claim that waits asks the evictor again on its own: caches grow old without telling anybody.
constexpr std::chrono::milliseconds kRetryInterval{500};

bool ends_work(const Claim& claim) {
    return claim.phase == Claim::Phase::kContinue;
}

bool goes_before(const Claim& a, const Claim& b) {
    if (ends_work(a) != ends_work(b)) return ends_work(a);
    if (a.priority != b.priority) return a.priority > b.priority;
    return a.age < b.age;
}

u64 add_saturating(u64 a, u64 b) {
    return a > std::numeric_limits<u64>::max() - b ? std::numeric_limits<u64>::max() : a + b;
}

u64 wanted_bytes(const Claim& claim) {
    return ends_work(claim) ? claim.bytes : add_saturating(claim.bytes, claim.headroom);
}

}  // namespace

Reservation::Reservation(Reservation&& other) noexcept {
    *this = std::move(other);
}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
    if (this == &other) return *this;
    release();
    planner_ = std::exchange(other.planner_, nullptr);
    granted_ = std::exchange(other.granted_, Claim());
    return *this;
}

void Reservation::shrink(u64 bytes) {
    if (planner_ == nullptr || bytes >= granted_.bytes) return;
    planner_->give(granted_, granted_.bytes - bytes, false);
    granted_.bytes = bytes;
}

void Reservation::release() {
    if (planner_ == nullptr) return;
    std::exchange(planner_, nullptr)->give(granted_, granted_.bytes, true);
    granted_.bytes = 0;
}

SpaceId MemoryPlanner::add_space(std::string name, u64 budget, u64 critical_reserve,
                                 std::optional<SpaceId> parent) {
    const std::lock_guard lock(mutex_);
    Space space;
    space.name = std::move(name);
    space.budget = budget;
    space.critical_reserve = std::min(critical_reserve, budget);
    space.parent = parent;
    spaces_.push_back(std::move(space));
    return spaces_.size() - 1;
}

void MemoryPlanner::set_evictor(Evictor evictor) {
    const std::lock_guard lock(mutex_);
    evictor_ = std::move(evictor);
}

// The space and those that contain it.
template <class Visit>
void MemoryPlanner::for_chain(SpaceId space, const Visit& visit) const {
    for (std::optional<SpaceId> id = space; id; id = spaces_[*id].parent) visit(*id);
}

bool MemoryPlanner::related(SpaceId a, SpaceId b) const {
    bool found = false;
    for_chain(a, [&](SpaceId x) { for_chain(b, [&](SpaceId y) { found = found || x == y; }); });
    return found;
}

u64 MemoryPlanner::limit(const Space& space, const Claim& claim) const {
    const bool restrained = claim.phase == Claim::Phase::kKeep ||
                            (claim.phase == Claim::Phase::kStart && claim.priority != Priority::kCritical);
    return restrained ? space.budget - space.critical_reserve : space.budget;
}

// How far a claim is from fitting; 0: it fits.
u64 MemoryPlanner::shortage(const Claim& claim) const {
    u64 most = 0;
    for_chain(claim.space, [&](SpaceId id) {
        const Space& space = spaces_[id];
        const u64 allowed = limit(space, claim);
        const auto compare = [&](u64 needed) {
            if (needed > allowed) most = std::max(most, needed - allowed);
        };
        compare(add_saturating(space.used, claim.bytes));
        if (ends_work(claim)) return;
        const auto compare_with_room = [&](u64 held, u64 own, const std::multiset<u64>& others) {
            const u64 room = others.empty() ? own : std::max(own, *others.rbegin());
            compare(add_saturating(held, add_saturating(claim.bytes, room)));
        };
        const bool keeps = claim.phase == Claim::Phase::kKeep;
        compare_with_room(space.used - space.continuing, keeps ? 0 : claim.headroom, space.headrooms);
        // Work that has started ends, and gives back what it holds.
        if (keeps) compare_with_room(space.kept, claim.headroom, space.kept_headrooms);
    });
    return most;
}

bool MemoryPlanner::fits(const Claim& claim) const {
    return shortage(claim) == 0;
}

// Whether no claim that waits has to be served first.
bool MemoryPlanner::may_pass(const Claim& claim) const {
    for (const Waiter* waiter : waiting_) {
        const Claim& first = waiter->claim;
        if (!goes_before(first, claim) || !related(first.space, claim.space)) continue;
        const bool critical_start =
            claim.phase == Claim::Phase::kStart && claim.priority == Priority::kCritical;
        if (ends_work(first) == ends_work(claim) || !critical_start) return false;
    }
    return true;
}

void MemoryPlanner::take(const Claim& claim) {
    for_chain(claim.space, [&](SpaceId id) {
        Space& space = spaces_[id];
        space.used += claim.bytes;
        space.peak = std::max(space.peak, space.used);
        switch (claim.phase) {
            case Claim::Phase::kStart: space.headrooms.insert(claim.headroom); break;
            case Claim::Phase::kContinue: space.continuing += claim.bytes; break;
            case Claim::Phase::kKeep: space.kept += claim.bytes; space.kept_headrooms.insert(claim.headroom);
        }
        // Only who holds something is listed: of two reservations of nothing by one owner, each may end first.
        if (claim.bytes != 0) space.owners[claim.owner] += claim.bytes;
    });
}

// `last`: the reservation ends, and with it the room that it kept free.
void MemoryPlanner::give(const Claim& granted, u64 bytes, bool last) {
    const std::lock_guard lock(mutex_);
    for_chain(granted.space, [&](SpaceId id) {
        Space& space = spaces_[id];
        space.used -= bytes;
        if (granted.phase == Claim::Phase::kContinue) space.continuing -= bytes;
        if (granted.phase == Claim::Phase::kKeep) space.kept -= bytes;
        if (last && !ends_work(granted)) {
            auto& rooms = granted.phase == Claim::Phase::kKeep ? space.kept_headrooms : space.headrooms;
            rooms.erase(rooms.find(granted.headroom));
        }
        if (bytes == 0) return;
        const auto held = space.owners.find(granted.owner);
        held->second -= bytes;
        if (held->second == 0) space.owners.erase(held);
    });
    grant_waiting();
}

void MemoryPlanner::enqueue(Waiter& waiter) {
    const auto at = std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiter* other) {
        return goes_before(waiter.claim, other->claim);
    });
    waiting_.insert(at, &waiter);
}

void MemoryPlanner::grant_waiting() {
    // In the order of goes_before, so that what a claim must not pass is still in the list when its turn comes.
    for (auto it = waiting_.begin(); it != waiting_.end();) {
        Waiter& waiter = **it;
        if (!may_pass(waiter.claim) || !fits(waiter.claim)) {
            ++it;
            continue;
        }
        take(waiter.claim);
        waiter.granted = true;
        waiter.changed.notify_all();
        it = waiting_.erase(it);
    }
}

std::optional<std::string> MemoryPlanner::never_fits_locked(const Claim& claim) const {
    std::optional<std::string> reason;
    for_chain(claim.space, [&](SpaceId id) {
        const u64 allowed = limit(spaces_[id], claim);
        if (reason || wanted_bytes(claim) <= allowed) return;
        reason = claim.owner + " needs " + size_text(wanted_bytes(claim)) + " of " + spaces_[id].name +
                 " memory, of which there are " + size_text(allowed) + " in all";
        if (allowed != spaces_[id].budget)
            *reason += " (" + size_text(spaces_[id].budget) + ", less " +
                       size_text(spaces_[id].critical_reserve) + " kept for critical jobs)";
    });
    return reason;
}

std::optional<std::string> MemoryPlanner::never_fits(const Claim& claim) const {
    const std::lock_guard lock(mutex_);
    return never_fits_locked(claim);
}

Reservation MemoryPlanner::try_acquire(const Claim& claim) {
    for (bool evicted = false;; evicted = true) {
        u64 missing = 0;
        Evictor evictor;
        {
            const std::lock_guard lock(mutex_);
            if (never_fits_locked(claim)) return {};
            Claim aged = claim;
            if (aged.age == 0) aged.age = arrivals_++;
            if (!may_pass(aged)) return {};
            missing = shortage(aged);
            if (missing == 0) {
                take(aged);
                return Reservation(this, claim);
            }
            evictor = evictor_;
        }
        if (evicted || !evictor || evictor(claim.space, missing, false) == 0) return {};
    }
}

Reservation MemoryPlanner::acquire(const Claim& claim, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (const auto reason = never_fits_locked(claim)) throw Error(ErrorKind::kEnvironment, *reason);
    Waiter waiter;
    waiter.claim = claim;
    if (waiter.claim.age == 0) waiter.claim.age = arrivals_++;
    enqueue(waiter);
    grant_waiting();
    while (!waiter.granted && !stop.stop_requested()) {
        waiter.retry = false;
        // Only a claim that is first in line frees caches: the others may not take what it frees.
        const u64 missing = may_pass(waiter.claim) ? shortage(waiter.claim) : 0;
        if (missing != 0 && evictor_) {
            const Evictor evictor = evictor_;
            lock.unlock();
            const u64 freed = evictor(claim.space, missing, true);
            lock.lock();
            if (waiter.granted) break;
            if (freed != 0) {
                grant_waiting();
                continue;
            }
        }
        waiter.changed.wait_for(lock, stop, kRetryInterval, [&] { return waiter.granted || waiter.retry; });
    }
    if (!waiter.granted) {
        waiting_.remove(&waiter);
        grant_waiting();  // those behind may go now
        return {};
    }
    return Reservation(this, claim);
}

void MemoryPlanner::retry_waiting() {
    const std::lock_guard lock(mutex_);
    for (Waiter* waiter : waiting_) {
        waiter->retry = true;
        waiter->changed.notify_all();
    }
}

u64 MemoryPlanner::start_limit(SpaceId space) const {
    const std::lock_guard lock(mutex_);
    return spaces_[space].budget - spaces_[space].critical_reserve;
}

u64 MemoryPlanner::free_bytes(SpaceId space) const {
    const std::lock_guard lock(mutex_);
    u64 least = spaces_[space].budget;
    for_chain(space, [&](SpaceId id) { least = std::min(least, spaces_[id].budget - spaces_[id].used); });
    return least;
}

std::vector<MemoryStatus> MemoryPlanner::status() const {
    const std::lock_guard lock(mutex_);
    std::vector<MemoryStatus> out;
    for (SpaceId id = 0; id < spaces_.size(); ++id) {
        const Space& space = spaces_[id];
        MemoryStatus s{space.name, space.budget, space.used, space.peak, 0, 0, {}};
        for (const Waiter* waiter : waiting_)
            if (waiter->claim.space == id) {
                ++s.waiting;
                s.waiting_bytes += waiter->claim.bytes;
            }
        for (const auto& [owner, bytes] : space.owners) s.owners.push_back({owner, bytes});
        out.push_back(std::move(s));
    }
    return out;
}

}  // namespace cuzk::engine
