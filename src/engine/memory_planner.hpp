// Who may use how much memory: every large allocation is reserved here first, at its true size.
//
// Spaces are budgets in bytes; a space may lie in another (pinned memory is host memory too), and then counts in both. A
// reservation is granted when it fits under the limits, and waits otherwise:
//   * kStart claims begin work and state the room that it will need to go on (`headroom`). They are granted only if the largest
//     headroom of all started work stays free, counted without the kContinue memory in use, which comes back on its own. So
//     whatever was started can always be ended, and waiting never becomes a deadlock.
//   * kContinue claims end started work. They go before kStart, whatever the priority; while one waits, nothing but critical
//     work is started in its space.
//   * kKeep claims are what stays (keys) and state the room that work beside them will need: the largest such need fits beside
//     all that is kept, within what ordinary work may start in. So there is always room to start any work whose keys are there.
//   * Within a phase: by priority, then by age. Nobody overtakes: a large claim is not starved by small ones.
//   * Part of a space may be kept for starting critical work.
// A claim that cannot fit even in an empty space fails at once. Before a claim waits, the evictor is asked to free caches.
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/status.hpp"
#include "engine/types.hpp"

namespace cuzk::engine {

using SpaceId = std::size_t;

struct Claim {
    enum class Phase : u8 { kStart, kContinue, kKeep };

    SpaceId space = 0;
    u64 bytes = 0;
    u64 headroom = 0;   // kStart, kKeep: see above
    std::string owner;  // as MemoryOwner::owner
    Priority priority = Priority::kNormal;
    Phase phase = Phase::kStart;
    u64 age = 0;  // smaller goes first within a priority; 0: by arrival
};

class MemoryPlanner;

// Bytes granted; gives them back when it ends. Move-only; must not outlive its planner.
class Reservation {
public:
    Reservation() = default;
    ~Reservation() { release(); }
    Reservation(Reservation&& other) noexcept;
    Reservation& operator=(Reservation&& other) noexcept;
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;

    explicit operator bool() const { return planner_ != nullptr; }
    u64 bytes() const { return granted_.bytes; }
    // Gives back all but `bytes`; never grows.
    void shrink(u64 bytes);
    void release();

private:
    friend class MemoryPlanner;
    Reservation(MemoryPlanner* planner, Claim granted) : planner_(planner), granted_(std::move(granted)) {}

    MemoryPlanner* planner_ = nullptr;
    Claim granted_;
};

// Thread-safe. The evictor is called without the planner's lock.
class MemoryPlanner {
public:
    // Frees caches in a space, at least `wanted` bytes if it can; returns how many. Urgent: a claim will wait otherwise; not
    // urgent: only what has been idle for long.
    using Evictor = std::function<u64(SpaceId space, u64 wanted, bool urgent)>;

    MemoryPlanner() = default;
    MemoryPlanner(const MemoryPlanner&) = delete;
    MemoryPlanner& operator=(const MemoryPlanner&) = delete;

    // Before any claim. `parent`: a space that contains this one.
    SpaceId add_space(std::string name, u64 budget, u64 critical_reserve = 0,
                      std::optional<SpaceId> parent = std::nullopt);
    void set_evictor(Evictor evictor);

    // Waits until granted; empty if `stop` was requested first. Throws Error(kEnvironment) with the sizes if it can never fit.
    Reservation acquire(const Claim& claim, const std::stop_token& stop = {});
    // At once or not at all, and never before a claim that waits with at least the same right. May evict.
    Reservation try_acquire(const Claim& claim);

    // A cache became idle: claims that wait ask the evictor again.
    void retry_waiting();

    // Whether a claim fits into an empty space; if not, says why.
    std::optional<std::string> never_fits(const Claim& claim) const;
    // What ordinary work may start in: the budget less what is kept for critical work.
    u64 start_limit(SpaceId space) const;
    u64 free_bytes(SpaceId space) const;
    std::vector<MemoryStatus> status() const;

private:
    friend class Reservation;
    struct Space {
        std::string name;
        u64 budget = 0;
        u64 critical_reserve = 0;
        std::optional<SpaceId> parent;
        u64 used = 0, peak = 0;
        u64 continuing = 0, kept = 0;       // of `used`: kContinue, kKeep
        std::multiset<u64> headrooms;       // of the reservations that started work
        std::multiset<u64> kept_headrooms;  // of those that stay
        std::map<std::string, u64> owners;
    };
    struct Waiter {
        Claim claim;
        bool granted = false;
        bool retry = false;
        std::condition_variable_any changed;
    };

    template <class Visit>
    void for_chain(SpaceId space, const Visit& visit) const;
    bool related(SpaceId a, SpaceId b) const;
    u64 limit(const Space& space, const Claim& claim) const;
    bool fits(const Claim& claim) const;
    u64 shortage(const Claim& claim) const;
    bool may_pass(const Claim& claim) const;
    void take(const Claim& claim);
    void give(const Claim& granted, u64 bytes, bool last);
    void enqueue(Waiter& waiter);
    void grant_waiting();
    std::optional<std::string> never_fits_locked(const Claim& claim) const;

    mutable std::mutex mutex_;
    std::vector<Space> spaces_;
    std::list<Waiter*> waiting_;   // in the order of goes_before
    u64 arrivals_ = u64{1} << 63;  // ages of claims that have none: behind those that have
    Evictor evictor_;
};

// What the engine may use of the host, in bytes: the least of the cgroup's limit less its use and the machine's MemAvailable,
// less the margin. `root` prefixes /proc and /sys (tests).
u64 available_host_memory(u64 margin, const std::string& root = "");

// "21.0 GiB"
std::string size_text(u64 bytes);

}  // namespace cuzk::engine
