// Work in the order of its claim to be done: priority, then age of the job, then partition.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engine/types.hpp"

namespace cuzk::engine {

struct WorkKey {
    Priority priority = Priority::kNormal;
    u64 sequence = 0;  // of the job
    u32 partition = 0;

    friend bool operator<(const WorkKey& a, const WorkKey& b) {
        if (a.priority != b.priority) return a.priority > b.priority;
        if (a.sequence != b.sequence) return a.sequence < b.sequence;
        return a.partition < b.partition;
    }
};

// Thread-safe. Entries with equal keys are kept side by side, in the order of their arrival.
template <class Item>
class WorkQueue {
public:
    void push(const WorkKey& key, Item item) {
        {
            const std::lock_guard lock(mutex_);
            items_.emplace(key, std::move(item));
        }
        changed_.notify_all();
    }

    // All at once: nobody sees some of them and takes later work for the first in line.
    void push_all(std::vector<std::pair<WorkKey, Item>> items) {
        {
            const std::lock_guard lock(mutex_);
            for (auto& [key, item] : items) items_.emplace(key, std::move(item));
        }
        changed_.notify_all();
    }

    // The first item that `admit(key, item)` takes; waits for one. Empty once the queue is closed. `admit` is called under the
    // queue's lock and may book what it admits; what it reads from elsewhere needs a poke() when it changes.
    template <class Admit>
    std::optional<Item> pop(const Admit& admit) {
        std::unique_lock lock(mutex_);
        for (;;) {
            if (closed_) return std::nullopt;
            for (auto it = items_.begin(); it != items_.end(); ++it) {
                if (!admit(it->first, std::as_const(it->second))) continue;
                std::optional<Item> out(std::move(it->second));
                items_.erase(it);
                return out;
            }
            changed_.wait(lock);
        }
    }
    std::optional<Item> pop() {
        return pop([](const WorkKey&, const Item&) { return true; });
    }

    // Takes out all items that `match` names, for the caller to destroy outside the lock.
    template <class Match>
    std::vector<Item> remove_if(const Match& match) {
        std::vector<Item> out;
        const std::lock_guard lock(mutex_);
        for (auto it = items_.begin(); it != items_.end();) {
            if (match(std::as_const(it->second))) {
                out.push_back(std::move(it->second));
                it = items_.erase(it);
            } else {
                ++it;
            }
        }
        return out;
    }

    // Lets everybody who waits look again.
    void poke() {
        { const std::lock_guard lock(mutex_); }
        changed_.notify_all();
    }
    void close() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        changed_.notify_all();
    }
    std::size_t size() const {
        const std::lock_guard lock(mutex_);
        return items_.size();
    }

private:
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::multimap<WorkKey, Item> items_;
    bool closed_ = false;
};

}  // namespace cuzk::engine
