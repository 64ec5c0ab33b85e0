#include "cli/timings.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/table.hpp"

namespace cuzk::cli {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<StageInterval> by_start(const StageLog& log) {
    auto intervals = log.intervals();
    std::stable_sort(intervals.begin(), intervals.end(),
                     [](const StageInterval& a, const StageInterval& b) { return a.begin < b.begin; });
    return intervals;
}

double ms_between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
}

bool starts_with_any(const std::string& stage, std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return stage.starts_with(name); });
}

}  // namespace

Json timings_json(const StageLog& log) {
    Json stages = Json::array();
    const auto intervals = by_start(log);
    for (const StageInterval& s : intervals)
        stages.push_back({{"stage", s.stage},
                          {"start_ms", ms_between(intervals.front().begin, s.begin)},
                          {"ms", s.milliseconds()},
                          {"bytes", s.bytes}});
    return stages;
}

Json device_summary(const StageLog& log) {
    double transforms = 0, ones = 0, tails = 0, total = 0;
    bool on_device = false;
    for (const StageInterval& s : log.intervals()) {
        if (s.stage == "c" || starts_with_any(s.stage, {"ntt", "abc", "msm h"}))
            transforms += s.milliseconds();
        else if (s.stage.starts_with("batch_add"))
            ones += s.milliseconds();
        else if (starts_with_any(s.stage, {"tail_msm", "streamed sums", "sums in parts"}))
            tails += s.milliseconds();
        else if (!starts_with_any(s.stage, {"upload", "select"}))
            continue;
        on_device = on_device || starts_with_any(s.stage, {"abc and", "ntt", "batch_add", "tail_msm"});
        total += s.milliseconds();
    }
    if (!on_device) return nullptr;
    return {{"ntt_msm_h_ms", transforms},
            {"batch_add_ms", ones},
            {"tail_msm_ms", tails},
            {"gpu_total_ms", total}};
}

std::string timings_table(const StageLog& log) {
    Table table({"stage", ">start", ">time", ">read"});
    const auto intervals = by_start(log);
    for (const StageInterval& s : intervals)
        table.add({s.stage, duration_text(ms_between(intervals.front().begin, s.begin) / 1e3),
                   duration_text(s.milliseconds() / 1e3), s.bytes == 0 ? "" : bytes_text(s.bytes)});
    const Json summary = device_summary(log);
    if (!summary.is_null())
        for (const auto& [name, value] : summary.items())
            table.add({name, "", duration_text(value.get<double>() / 1e3), ""});
    return table.text();
}

std::string chrome_trace(const StageLog& log) {
    Json events = Json::array();
    const auto intervals = by_start(log);
    for (const StageInterval& s : intervals)
        events.push_back({{"name", s.stage},
                          {"ph", "X"},
                          {"ts", ms_between(intervals.front().begin, s.begin) * 1e3},
                          {"dur", s.milliseconds() * 1e3},
                          {"pid", 1},
                          {"tid", 1},
                          {"args", {{"bytes", s.bytes}}}});
    return Json{{"traceEvents", events}, {"displayTimeUnit", "ms"}}.dump();
}

}  // namespace cuzk::cli
