// What ran where and when, for the last minutes: the source of the dashboard's lanes and of the exported trace.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "engine/types.hpp"

namespace cuzk::engine {

struct Interval {
    std::string job_id;  // empty: work of the engine itself (a key load that no job asked for)
    i64 partition = -1;  // -1: of the whole job
    std::string stage;  // "decode", "key load", "synthesis", "prove", and the device's own: "h", "msm a", ...
    std::string lane;   // "synthesis 0", "cuda 0 worker 1", "key load porep-32g"
    i64 device = -1;    // index of the device for what occupied it, else -1
    bool on_device = false;  // a stage that kept the device itself busy (not the worker's waiting around it)
    u64 bytes = 0;
    TimePoint begin, end;
};

// Thread-safe ring, bounded in number and in age.
class Timeline {
public:
    Timeline(Milliseconds window, std::size_t capacity);

    void add(Interval interval);
    // Intervals that ended after `since`, oldest end first.
    std::vector<Interval> intervals(TimePoint since = TimePoint::min()) const;
    // Share of the last `window` in which the device was busy (0..1): the union of its on_device intervals.
    double device_busy_share(i64 device, Milliseconds window) const;
    // Trace Event Format ("Chrome JSON"), which Perfetto and chrome://tracing read: one process a device or worker kind, one
    // thread a lane, complete events ("ph":"X") in microseconds since `origin`; spec: "Trace Event Format", Google, 2016.
    std::string chrome_trace() const;

    TimePoint origin() const { return origin_; }

private:
    void prune(TimePoint now);

    const Milliseconds window_;
    const std::size_t capacity_;
    const TimePoint origin_ = Clock::now();
    mutable std::mutex mutex_;
    std::deque<Interval> intervals_;
};

}  // namespace cuzk::engine
