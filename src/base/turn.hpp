// Turns at what only one thread may use at a time.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>

#include "base/urgent.hpp"

namespace cuzk {

// A mutex whose waiters go in: urgent ones (base/urgent.hpp) before the others, and among equals the one that came first. For
// sections of milliseconds and more: taking a turn costs a mutex and a list.
class Turn {
public:
    // Has the turn while it lives.
    class Holder {
    public:
        ~Holder() { turn_.leave(); }
        Holder(const Holder&) = delete;
        Holder& operator=(const Holder&) = delete;

    private:
        friend class Turn;
        explicit Holder(Turn& turn) : turn_(turn) {}
        Turn& turn_;
    };

    // Waits for the turn. Not recursive.
    [[nodiscard]] Holder take() {
        std::unique_lock lock(mutex_);
        if (taken_) {
            Waiter waiter;
            waiting_[is_urgent() ? 0 : 1].push_back(&waiter);
            waiter.called.wait(lock, [&] { return waiter.may_go; });
        }
        taken_ = true;
        return Holder(*this);
    }

    // Threads that wait.
    std::size_t waiting() const {
        const std::lock_guard lock(mutex_);
        return waiting_[0].size() + waiting_[1].size();
    }

private:
    struct Waiter {
        std::condition_variable called;
        bool may_go = false;
    };

    // Hands the turn on: between its holders it is never free, so nobody slips in.
    void leave() {
        const std::lock_guard lock(mutex_);
        for (std::list<Waiter*>& waiters : waiting_)
            if (!waiters.empty()) {
                waiters.front()->may_go = true;
                waiters.front()->called.notify_one();
                waiters.pop_front();
                return;
            }
        taken_ = false;
    }

    mutable std::mutex mutex_;
    bool taken_ = false;
    std::array<std::list<Waiter*>, 2> waiting_;  // urgent, other
};

}  // namespace cuzk
