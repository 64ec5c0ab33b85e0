// Writes the engine's news to the log: jobs that ended, errors, devices that were given up.
#pragma once

#include <set>
#include <string>

#include "engine/status.hpp"

namespace cuzk::rpc {

// Fed with snapshots, a second or so apart. Not thread-safe.
class JobLog {
public:
    void look(const engine::EngineStatus& status);

private:
    std::set<std::string> ended_;  // jobs whose end was written, as long as the engine keeps them
    std::set<u32> retired_;
    double last_look_ = 0;  // uptime, seconds
};

}  // namespace cuzk::rpc
