#include "engine/device_pool.hpp"

#include <algorithm>
#include <utility>

namespace cuzk::engine {

namespace {

// After so many proofs without trouble a device that had run out of memory may try one more at once.
constexpr u32 kCleanBeforeGrowth = 50;
// A wrong proof may be a flipped bit; so many in a row are a broken device.
constexpr u32 kWrongBeforeRetirement = 3;

}  // namespace

DevicePool::DevicePool(std::vector<DeviceSpec> specs, bool allow_fallback, u32 concurrency)
    : specs_(std::move(specs)),
      allow_fallback_(allow_fallback),
      full_concurrency_(concurrency),
      states_(specs_.size()) {
    for (State& state : states_) state.concurrency = concurrency;
}

std::vector<std::shared_ptr<Device>> DevicePool::devices() const {
    std::vector<std::shared_ptr<Device>> out;
    for (const DeviceSpec& spec : specs_) out.push_back(spec.device);
    return out;
}

bool DevicePool::is_target(u32 device) const {
    if (states_[device].retired) return false;
    if (!specs_[device].fallback) return true;
    if (!allow_fallback_) return false;
    for (std::size_t d = 0; d < specs_.size(); ++d)
        if (!specs_[d].fallback && !states_[d].retired) return false;
    return true;
}

bool DevicePool::replaceable(u32 device) const {
    for (u32 d = 0; d < specs_.size(); ++d)
        if (d != device && !states_[d].retired && (allow_fallback_ || !specs_[d].fallback)) return true;
    return false;
}

std::vector<u32> DevicePool::targets() const {
    const std::lock_guard lock(mutex_);
    std::vector<u32> out;
    for (u32 d = 0; d < specs_.size(); ++d)
        if (is_target(d)) out.push_back(d);
    return out;
}

std::vector<u32> DevicePool::candidates() const {
    const std::lock_guard lock(mutex_);
    std::vector<u32> out;
    for (u32 d = 0; d < specs_.size(); ++d)
        if (!states_[d].retired && (allow_fallback_ || !specs_[d].fallback)) out.push_back(d);
    return out;
}

bool DevicePool::begin(u32 device, const Job& job) {
    const bool critical = job.priority == Priority::kCritical;
    const std::lock_guard lock(mutex_);
    State& state = states_[device];
    if (!is_target(device) || state.active >= state.concurrency || (state.critical != 0 && !critical))
        return false;
    ++state.active;
    if (critical) ++state.critical;
    state.current.emplace(job.id, job.kind);
    return true;
}

void DevicePool::end(u32 device, const Job& job, bool proved) {
    const std::lock_guard lock(mutex_);
    State& state = states_[device];
    if (const auto it = state.current.find(job.id); it != state.current.end()) state.current.erase(it);
    if (job.priority == Priority::kCritical) --state.critical;
    --state.active;
    if (!proved) return;
    ++state.done;
    state.wrong_in_row = 0;
    if (state.concurrency < full_concurrency_ && ++state.clean >= kCleanBeforeGrowth) {
        ++state.concurrency;
        state.clean = 0;
    }
}

bool DevicePool::shrink(u32 device) {
    const std::lock_guard lock(mutex_);
    State& state = states_[device];
    ++state.failures;
    state.clean = 0;
    const u32 beside = std::max(state.active, 1u);
    if (state.concurrency == 1) return false;
    state.concurrency = std::max(1u, std::min(state.concurrency - 1, beside - 1));
    return true;
}

bool DevicePool::distrust(u32 device) {
    const std::lock_guard lock(mutex_);
    State& state = states_[device];
    ++state.failures;
    return ++state.wrong_in_row >= kWrongBeforeRetirement && replaceable(device);
}

bool DevicePool::retire(u32 device, const std::string& reason) {
    const std::lock_guard lock(mutex_);
    State& state = states_[device];
    if (state.retired) return false;
    state.retired = true;
    state.reason = reason;
    ++state.failures;
    return true;
}

TimePoint DevicePool::worked(u32 device, TimePoint end) {
    const std::lock_guard lock(mutex_);
    TimePoint& until = states_[device].worked_until;
    return std::exchange(until, std::max(until, end));
}

std::vector<DeviceStatus> DevicePool::status(const Timeline& timeline) const {
    std::vector<DeviceStatus> out(specs_.size());
    for (u32 d = 0; d < specs_.size(); ++d) {
        DeviceStatus& s = out[d];
        s.index = d;
        s.name = specs_[d].device->name();
        s.kind = specs_[d].device->kind();
        s.fallback = specs_[d].fallback;
        s.memory_total = specs_[d].device->memory_budget();
        s.busy_share = timeline.device_busy_share(d, std::chrono::minutes(1));
    }
    const std::lock_guard lock(mutex_);
    for (u32 d = 0; d < specs_.size(); ++d) {
        const State& state = states_[d];
        DeviceStatus& s = out[d];
        s.retired = state.retired;
        s.retired_reason = state.reason;
        s.concurrency = state.concurrency;
        s.partitions_done = state.done;
        s.failures = state.failures;
        if (!state.current.empty()) {
            s.current_job_id = state.current.begin()->first;
            s.current_kind = kind_name(state.current.begin()->second);
        }
    }
    return out;
}

}  // namespace cuzk::engine
