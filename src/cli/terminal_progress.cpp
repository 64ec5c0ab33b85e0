#include "cli/terminal_progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include "cli/common.hpp"

namespace cuzk::cli {

namespace {
constexpr std::chrono::seconds kSilence{1};
constexpr std::chrono::milliseconds kRefresh{200};
constexpr std::chrono::seconds kPlainInterval{10};
}  // namespace

TerminalProgress::TerminalProgress()
    : terminal_(isatty(STDERR_FILENO) == 1), watcher_([this](const std::stop_token& stop) { watch(stop); }) {}

TerminalProgress::~TerminalProgress() {
    watcher_.request_stop();
    wake_.notify_all();
    watcher_.join();
    if (line_open_) fmt::print(stderr, "\r\x1b[K");
}

void TerminalProgress::report(std::string_view stage, u64 done, u64 total) {
    const std::lock_guard lock(mutex_);
    if (stage != stage_) {
        stage_ = stage;
        stage_start_ = Clock::now();
    }
    done_ = done;
    total_ = total;
}

void TerminalProgress::watch(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        wake_.wait_for(lock, stop, kRefresh, [] { return false; });
        const auto now = Clock::now();
        if (!stop.stop_requested() && now - start_ >= kSilence && !stage_.empty()) show(now);
    }
}

void TerminalProgress::show(Clock::time_point now) {
    const bool news = stage_ != shown_stage_ || now - shown_at_ >= kPlainInterval;
    if (!terminal_ && !news) return;
    std::string text = stage_;
    if (total_ > 1) text += fmt::format(" {:3} %", 100 * done_ / total_);
    text += fmt::format(" ({})", duration_text(std::chrono::duration<double>(now - start_).count()));
    if (terminal_) {
        fmt::print(stderr, "\r\x1b[K{}", text);
        line_open_ = true;
    } else {
        fmt::print(stderr, "cuzk: {}\n", text);
    }
    shown_stage_ = stage_;
    shown_at_ = now;
}

}  // namespace cuzk::cli
