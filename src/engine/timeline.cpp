#include "engine/timeline.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace cuzk::engine {

Timeline::Timeline(Milliseconds window, std::size_t capacity) : window_(window), capacity_(capacity) {}

void Timeline::prune(TimePoint now) {
    while (!intervals_.empty() && (intervals_.size() > capacity_ || now - intervals_.front().end > window_))
        intervals_.pop_front();
}

void Timeline::add(Interval interval) {
    const std::lock_guard lock(mutex_);
    // Threads report a little out of order; the ring is sorted by end.
    const auto at = std::upper_bound(intervals_.begin(), intervals_.end(), interval.end,
                                     [](TimePoint end, const Interval& other) { return end < other.end; });
    intervals_.insert(at, std::move(interval));
    prune(Clock::now());
}

std::vector<Interval> Timeline::intervals(TimePoint since) const {
    const std::lock_guard lock(mutex_);
    const auto first =
        std::upper_bound(intervals_.begin(), intervals_.end(), since,
                         [](TimePoint t, const Interval& interval) { return t < interval.end; });
    return {first, intervals_.end()};
}

double Timeline::device_busy_share(i64 device, Milliseconds window) const {
    const TimePoint now = Clock::now();
    const TimePoint from = std::max(now - window, origin_);
    std::vector<std::pair<TimePoint, TimePoint>> spans;
    for (const Interval& i : intervals(from))
        if (i.on_device && i.device == device)
            spans.emplace_back(std::max(i.begin, from), std::min(i.end, now));
    std::sort(spans.begin(), spans.end());
    Clock::duration busy{0};
    TimePoint covered = from;
    for (const auto& [begin, end] : spans) {
        if (end <= covered) continue;
        busy += end - std::max(begin, covered);
        covered = end;
    }
    const std::chrono::duration<double> all = now - from;
    return all.count() <= 0 ? 0 : std::chrono::duration<double>(busy) / all;
}

std::string Timeline::chrome_trace() const {
    using Json = nlohmann::json;
    const auto microseconds = [](Clock::duration d) {
        return std::chrono::duration<double, std::micro>(d).count();
    };
    Json events = Json::array();
    std::map<std::string, int> lanes;
    for (const Interval& i : intervals()) {
        const int process = i.device < 0 ? 1 : static_cast<int>(i.device) + 2;
        const auto [lane, is_new] = lanes.emplace(i.lane, static_cast<int>(lanes.size()) + 1);
        if (is_new) {
            events.push_back(
                {{"ph", "M"},
                 {"name", "process_name"},
                 {"pid", process},
                 {"args", {{"name", process == 1 ? "host" : "device " + std::to_string(i.device)}}}});
            events.push_back({{"ph", "M"},
                              {"name", "thread_name"},
                              {"pid", process},
                              {"tid", lane->second},
                              {"args", {{"name", i.lane}}}});
        }
        Json args = {{"job", i.job_id}};
        if (i.partition >= 0) args["partition"] = i.partition;
        if (i.bytes != 0) args["bytes"] = i.bytes;
        events.push_back({{"ph", "X"},
                          {"name", i.stage},
                          {"cat", i.on_device ? "device" : "engine"},
                          {"pid", process},
                          {"tid", lane->second},
                          {"ts", microseconds(i.begin - origin_)},
                          {"dur", microseconds(i.end - i.begin)},
                          {"args", std::move(args)}});
    }
    // Ids come from callers: what is no UTF-8 must not break the document.
    return Json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace cuzk::engine
