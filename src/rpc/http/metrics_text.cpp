#include "rpc/http/metrics_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cuzk::rpc {

namespace {

using engine::Labels;
using engine::MetricFamily;
using engine::MetricSample;
using engine::MetricType;

const char* type_name(MetricType type) {
    switch (type) {
        case MetricType::kCounter: return "counter";
        case MetricType::kGauge: return "gauge";
        case MetricType::kHistogram: break;
    }
    return "histogram";
}

std::string escaped(std::string_view text, bool quotes) {
    std::string out;
    for (const char c : text) {
        if (c == '\\')
            out += "\\\\";
        else if (c == '\n')
            out += "\\n";
        else if (c == '"' && quotes)
            out += "\\\"";
        else
            out += c;
    }
    return out;
}

// {a="b",le="0.5"}, or nothing.
std::string label_text(const Labels& labels, const std::string& bound = "") {
    std::string out;
    for (const auto& [name, value] : labels)
        out += fmt::format("{}{}=\"{}\"", out.empty() ? "" : ",", name, escaped(value, true));
    if (!bound.empty()) out += fmt::format("{}le=\"{}\"", out.empty() ? "" : ",", bound);
    return out.empty() ? out : "{" + out + "}";
}

void append_histogram(std::string& out, const MetricFamily& family, const MetricSample& sample) {
    for (std::size_t i = 0; i < family.bounds.size(); ++i)
        out += fmt::format("{}_bucket{} {}\n", family.name,
                           label_text(sample.labels, fmt::format("{}", family.bounds[i])),
                           i < sample.cumulative.size() ? sample.cumulative[i] : 0);
    out += fmt::format("{}_bucket{} {}\n", family.name, label_text(sample.labels, "+Inf"), sample.count);
    out += fmt::format("{}_sum{} {}\n", family.name, label_text(sample.labels), sample.sum);
    out += fmt::format("{}_count{} {}\n", family.name, label_text(sample.labels), sample.count);
}

MetricFamily family(std::string name, MetricType type, std::string help) {
    return {std::move(name), std::move(help), type, {}, {}};
}

void add(MetricFamily& to, Labels labels, double value) {
    to.samples.push_back({std::move(labels), value, {}, 0, 0});
}
template <class T>
void add(MetricFamily& to, Labels labels, T value) {
    add(to, std::move(labels), static_cast<double>(value));
}

// Metrics spell kinds with underscores.
std::string kind_label(engine::JobKind kind) {
    std::string name = engine::kind_name(kind);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

}  // namespace

std::string prometheus_text(std::span<const MetricFamily> families) {
    std::string out;
    for (const MetricFamily& family : families) {
        out += fmt::format("# HELP {} {}\n# TYPE {} {}\n", family.name, escaped(family.help, false),
                           family.name, type_name(family.type));
        for (const MetricSample& sample : family.samples) {
            if (family.type == MetricType::kHistogram)
                append_histogram(out, family, sample);
            else
                out += fmt::format("{}{} {}\n", family.name, label_text(sample.labels), sample.value);
        }
    }
    return out;
}

std::vector<MetricFamily> status_metrics(const engine::EngineStatus& s) {
    constexpr auto kCounter = MetricType::kCounter;
    constexpr auto kGauge = MetricType::kGauge;
    std::vector<MetricFamily> out;
    const auto single = [&](const char* name, MetricType type, const char* help, auto value) {
        add(out.emplace_back(family(name, type, help)), {}, value);
    };

    u32 pending = 0, running = 0;
    for (const engine::QueueStatus& queue : s.queues) {
        pending += queue.pending;
        running += queue.in_progress;
    }
    const auto workers = std::count_if(s.workers.begin(), s.workers.end(),
                                       [](const auto& worker) { return worker.device >= 0; });
    single("cuzk_proofs_completed_total", kCounter, "Jobs that ended with a proof", s.completed);
    single("cuzk_proofs_failed_total", kCounter, "Jobs that failed", s.failed);
    single("cuzk_proofs_cancelled_total", kCounter, "Jobs that were cancelled", s.cancelled);
    single("cuzk_proofs_timed_out_total", kCounter, "Jobs that ran out of time", s.timed_out);
    single("cuzk_uptime_seconds", kGauge, "Since the daemon started", s.uptime_seconds);
    single("cuzk_queue_depth", kGauge, "Jobs that wait", pending);
    single("cuzk_running_jobs", kGauge, "Jobs under way", running);
    single("cuzk_gpu_workers", kGauge, "Workers of all devices", workers);
    single("cuzk_draining", kGauge, "1 while no new jobs are taken", s.draining ? 1 : 0);
    single("cuzk_synthesis_active", kGauge, "Partitions whose witnesses are being computed",
           s.synthesis_active);
    single("cuzk_partitions_ready", kGauge, "Partitions that wait for synthesis", s.queued_partitions);

    auto& completed = out.emplace_back(family("cuzk_proofs_completed", kCounter, "Proofs by kind"));
    for (const auto kind : engine::kAllKinds)
        add(completed, {{"proof_kind", kind_label(kind)}}, s.completed_by_kind[engine::kind_index(kind)]);
    auto& failed = out.emplace_back(family("cuzk_proofs_failed", kCounter, "Failed jobs by kind"));
    for (const auto kind : engine::kAllKinds)
        add(failed, {{"proof_kind", kind_label(kind)}}, s.failed_by_kind[engine::kind_index(kind)]);
    auto& queued = out.emplace_back(family("cuzk_queue_jobs", kGauge, "Jobs by kind and state"));
    for (const engine::QueueStatus& queue : s.queues) {
        add(queued, {{"proof_kind", kind_label(queue.kind)}, {"state", "pending"}}, queue.pending);
        add(queued, {{"proof_kind", kind_label(queue.kind)}, {"state", "in_progress"}}, queue.in_progress);
    }

    const auto device_family = [&](const char* name, MetricType type, const char* help, auto value_of) {
        auto& f = out.emplace_back(family(name, type, help));
        for (const engine::DeviceStatus& d : s.devices)
            add(f, {{"device", std::to_string(d.index)}, {"name", d.name}, {"kind", d.kind}}, value_of(d));
    };
    device_family("cuzk_device_busy_ratio", kGauge, "Share of the last minute in which the device computed",
                  [](const auto& d) { return d.busy_share; });
    device_family("cuzk_device_memory_total_bytes", kGauge, "Memory of the device",
                  [](const auto& d) { return d.memory_total; });
    device_family("cuzk_device_memory_free_bytes", kGauge, "Of it, free",
                  [](const auto& d) { return d.memory_free; });
    device_family("cuzk_device_partitions_total", kCounter, "Partitions proved on the device",
                  [](const auto& d) { return d.partitions_done; });
    device_family("cuzk_device_failures_total", kCounter, "Proofs that the device failed at",
                  [](const auto& d) { return d.failures; });
    device_family("cuzk_device_retired", kGauge, "1 for a device that is not used any more",
                  [](const auto& d) { return d.retired ? 1 : 0; });

    const auto memory_family = [&](const char* name, const char* help, auto value_of) {
        auto& f = out.emplace_back(family(name, kGauge, help));
        for (const engine::MemoryStatus& m : s.memory) add(f, {{"space", m.space}}, value_of(m));
    };
    memory_family("cuzk_memory_budget_bytes", "What the planner may hand out",
                  [](const auto& m) { return m.budget; });
    memory_family("cuzk_memory_used_bytes", "What it has handed out", [](const auto& m) { return m.used; });
    memory_family("cuzk_memory_peak_bytes", "The most it has handed out",
                  [](const auto& m) { return m.peak; });
    memory_family("cuzk_memory_waiting", "Reservations that wait", [](const auto& m) { return m.waiting; });
    auto& owners = out.emplace_back(family("cuzk_memory_owner_bytes", kGauge, "What holds the memory"));
    for (const engine::MemoryStatus& m : s.memory)
        for (const engine::MemoryOwner& owner : m.owners)
            add(owners, {{"space", m.space}, {"owner", owner.owner}}, owner.bytes);

    auto& keys = out.emplace_back(family("cuzk_key_bytes", kGauge, "Proving keys that are loaded"));
    for (const engine::KeyStatus& key : s.keys)
        if (key.tier != engine::KeyTier::kCold)
            add(keys, {{"circuit", key.circuit_id}, {"tier", engine::tier_name(key.tier)}}, key.key_bytes);
    return out;
}

std::string metrics_page(engine::Engine& engine) {
    std::vector<MetricFamily> families = engine.metrics().snapshot();
    // The durations once more under the name and the labels that earlier daemons gave them.
    const auto durations = std::find_if(families.begin(), families.end(),
                                        [](const auto& f) { return f.name == "cuzk_job_duration_seconds"; });
    if (durations != families.end()) {
        MetricFamily old = *durations;
        old.name = "cuzk_proof_duration_seconds";
        for (MetricSample& sample : old.samples)
            for (auto& [name, value] : sample.labels) std::replace(value.begin(), value.end(), '-', '_');
        families.push_back(std::move(old));
    }
    std::set<std::string> counted;
    for (const MetricFamily& f : families) counted.insert(f.name);
    for (MetricFamily& f : status_metrics(engine.status()))
        if (!counted.contains(f.name)) families.push_back(std::move(f));
    return prometheus_text(families);
}

}  // namespace cuzk::rpc
