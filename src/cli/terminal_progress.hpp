// Progress of long work on stderr.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "base/progress.hpp"

namespace cuzk::cli {

// Silent for the first second. Then, on a terminal, one line that is rewritten in place and removed at the
// end; elsewhere a plain line per stage and every ten seconds. Thread-safe.
class TerminalProgress final : public Progress {
public:
    TerminalProgress();
    ~TerminalProgress() override;
    TerminalProgress(const TerminalProgress&) = delete;
    TerminalProgress& operator=(const TerminalProgress&) = delete;

    void report(std::string_view stage, u64 done, u64 total) override;

private:
    using Clock = std::chrono::steady_clock;

    void watch(const std::stop_token& stop);
    void show(Clock::time_point now);

    const bool terminal_;
    const Clock::time_point start_ = Clock::now();
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::string stage_;
    u64 done_ = 0;
    u64 total_ = 0;
    Clock::time_point stage_start_ = start_;
    // What was shown last, for output that is no terminal.
    std::string shown_stage_;
    Clock::time_point shown_at_{};
    bool line_open_ = false;
    std::jthread watcher_;  // last: it uses everything above
};

}  // namespace cuzk::cli
