// Where long work says how far it is.
#pragma once

#include <string_view>

#include "base/types.hpp"

namespace cuzk {

// A sink for progress reports. Work that may take over a second accepts `Progress*`, where null means nobody
// listens. Calls may come from any thread, one at a time per stage; an implementation locks what it shares
// and returns fast.
class Progress {
public:
    virtual ~Progress() = default;
    // `stage` is a short name ("h", "reading the key"); done <= total, in units of the stage's own; total 0:
    // not known. A stage ends with done == total or with the first report of another stage.
    virtual void report(std::string_view stage, u64 done, u64 total) = 0;
};

inline void report_progress(Progress* progress, std::string_view stage, u64 done, u64 total) {
    if (progress != nullptr) progress->report(stage, done, total);
}

}  // namespace cuzk
