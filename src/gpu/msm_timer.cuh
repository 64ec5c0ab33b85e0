// Times of stages on the device, read once at the end.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "gpu/device.hpp"

namespace cuzk::gpu {

class StageTimer {
public:
    // Without `enabled` nothing is measured.
    StageTimer(const Stream& stream, bool enabled) : stream_(stream), enabled_(enabled) {}

    // Runs work() and adds its time on the device to `milliseconds` when finish() is called.
    template <class Work>
    void operator()(double& milliseconds, const Work& work) {
        if (!enabled_) return work();
        auto start = std::make_unique<Event>();
        auto end = std::make_unique<Event>();
        start->record(stream_);
        work();
        end->record(stream_);
        times_.push_back({&milliseconds, std::move(start), std::move(end)});
    }
    // Waits for the stream.
    void finish() {
        stream_.synchronize();
        for (const auto& time : times_) *time.milliseconds += time.end->milliseconds_since(*time.start);
        times_.clear();
    }

private:
    struct Time {
        double* milliseconds;
        std::unique_ptr<Event> start, end;
    };

    const Stream& stream_;
    bool enabled_;
    std::vector<Time> times_;
};

}  // namespace cuzk::gpu
