// One stage of a proof, watched.
#pragma once

#include <string>
#include <utility>

#include "groth16/backend.hpp"

namespace cuzk {

// A stage of a proof, for the timing table and the progress display alike.
class Stage {
public:
    Stage(const ProveMonitor& monitor, std::string name, u64 bytes = 0)
        : progress_(monitor.progress), name_(std::move(name)), timer_(monitor.stages, name_, bytes) {
        report_progress(progress_, name_, 0, 1);
    }
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;
    ~Stage() { report_progress(progress_, name_, 1, 1); }

private:
    Progress* progress_;
    std::string name_;
    StageTimer timer_;
};

}  // namespace cuzk
