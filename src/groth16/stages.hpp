// When each stage of a proof ran: the raw material of timing tables, timelines and traces.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace cuzk {

struct StageInterval {
    std::string stage;  // "abc", "h", "msm a", ...
    std::chrono::steady_clock::time_point begin, end;
    u64 bytes = 0;  // what the stage read, where that says something (points and scalars of an MSM)

    double milliseconds() const { return std::chrono::duration<double, std::milli>(end - begin).count(); }
};

// Collects intervals; stages may overlap and come from several threads.
class StageLog {
public:
    void add(StageInterval interval) {
        const std::lock_guard lock(mutex_);
        intervals_.push_back(std::move(interval));
    }
    // In the order in which they ended.
    std::vector<StageInterval> intervals() const {
        const std::lock_guard lock(mutex_);
        return intervals_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<StageInterval> intervals_;
};

// Records the time between its construction and destruction. A null log costs nothing but two clock reads.
class StageTimer {
public:
    StageTimer(StageLog* log, std::string stage, u64 bytes = 0)
        : log_(log), interval_{std::move(stage), std::chrono::steady_clock::now(), {}, bytes} {}
    StageTimer(const StageTimer&) = delete;
    StageTimer& operator=(const StageTimer&) = delete;
    ~StageTimer() {
        if (log_ == nullptr) return;
        interval_.end = std::chrono::steady_clock::now();
        log_->add(std::move(interval_));
    }

private:
    StageLog* log_;
    StageInterval interval_;
};

}  // namespace cuzk
