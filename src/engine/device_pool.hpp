// The devices: which may work, how many proofs at once each may have, how they fared.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/job_table.hpp"
#include "engine/timeline.hpp"
#include "engine/work.hpp"

namespace cuzk::engine {

// Thread-safe; calls no device under its lock.
class DevicePool {
public:
    // `concurrency`: proofs at once on a healthy device.
    DevicePool(std::vector<DeviceSpec> specs, bool allow_fallback, u32 concurrency);

    std::size_t size() const { return specs_.size(); }
    Device& device(u32 index) const { return *specs_[index].device; }
    std::vector<std::shared_ptr<Device>> devices() const;

    // Those that should hold keys and prove: the ordinary ones that are left, else the fallback.
    std::vector<u32> targets() const;
    // Those that are targets, or come to be when others are retired.
    std::vector<u32> candidates() const;

    // Books a place for a proof; false if the device is retired, no target, or full. While a critical proof has a place, no other
    // kind gets one: where a backend's proofs take turns, the critical one's turn is then the next.
    bool begin(u32 device, const Job& job);
    // Gives the place back.
    void end(u32 device, const Job& job, bool proved);
    // Out of memory: one proof at once less. False if it was down to one already.
    bool shrink(u32 device);
    // A proof that did not verify, though another device could make it; true if the device has made so many in a row that it
    // deserves no trust, and others can do its work.
    bool distrust(u32 device);
    // True if it was not retired before.
    bool retire(u32 device, const std::string& reason);

    // Notes that the device worked on a proof until `end`; returns until when it had worked before (since when it is here, if it had not).
    TimePoint worked(u32 device, TimePoint end);
    std::vector<DeviceStatus> status(const Timeline& timeline) const;

private:
    struct State {
        bool retired = false;
        std::string reason;
        u32 concurrency = 1, active = 0;
        u32 critical = 0;      // of `active`
        u32 clean = 0;         // proofs since the last shrink
        u32 wrong_in_row = 0;  // proofs that did not verify
        u64 done = 0, failures = 0;
        TimePoint worked_until = Clock::now();
        std::multimap<std::string, JobKind> current;
    };
    bool is_target(u32 device) const;
    bool replaceable(u32 device) const;

    const std::vector<DeviceSpec> specs_;
    const bool allow_fallback_;
    const u32 full_concurrency_;
    mutable std::mutex mutex_;
    std::vector<State> states_;
};

}  // namespace cuzk::engine
