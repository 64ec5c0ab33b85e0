// cuzk status, jobs, preload, evict, drain: a look at the daemon, and a hand on it.
#include <fmt/core.h>

#include "cli/common.hpp"
#include "cli/daemon/commands.hpp"
#include "cli/daemon/connection.hpp"
#include "cli/table.hpp"

namespace cuzk::cli {

namespace {

struct ControlArguments {
    ConnectionOptions connection;
    std::string circuit;
    u32 limit = 50;
    bool json = false, metrics = false;
};

Json status_json(const rpc::ServiceStatus& s, const std::vector<rpc::CircuitLine>& registered) {
    Json gpus = Json::array(), keys = Json::array(), queues = Json::array(), circuits = Json::array();
    for (const auto& circuit : registered)
        circuits.push_back({{"circuit_id", circuit.id},
                            {"curve", circuit.curve},
                            {"constraints", circuit.constraints ? Json(*circuit.constraints) : Json()},
                            {"variables", circuit.variables},
                            {"public_inputs", circuit.public_inputs},
                            {"domain", circuit.domain},
                            {"key_bytes", circuit.key_bytes},
                            {"key_digest", circuit.key_digest},
                            {"loaded", circuit.loaded},
                            {"unfinished_jobs", circuit.unfinished_jobs}});
    for (const auto& gpu : s.gpus)
        gpus.push_back({{"ordinal", gpu.ordinal},
                        {"name", gpu.name},
                        {"memory_total_bytes", gpu.memory_total},
                        {"memory_free_bytes", gpu.memory_free},
                        {"current_job", gpu.job_id},
                        {"current_kind", gpu.kind}});
    for (const auto& key : s.keys)
        keys.push_back({{"circuit_id", key.circuit_id},
                        {"tier", key.tier},
                        {"size_bytes", key.bytes},
                        {"ref_count", key.references}});
    for (const auto& queue : s.queues)
        queues.push_back(
            {{"proof_kind", queue.kind}, {"pending", queue.pending}, {"in_progress", queue.in_progress}});
    return {{"uptime_secs", s.uptime_seconds},
            {"total_completed", s.completed},
            {"total_failed", s.failed},
            {"pinned_bytes", s.pinned_bytes},
            {"pinned_limit_bytes", s.pinned_limit_bytes},
            {"gpus", gpus},
            {"loaded_srs", keys},
            {"queues", queues},
            {"circuits", circuits}};
}

int status(const ControlArguments& args) {
    rpc::Client client(args.connection.resolved());
    if (args.metrics) {
        fmt::print("{}", client.metrics_text());
        return 0;
    }
    const rpc::ServiceStatus s = client.status();
    const std::vector<rpc::CircuitLine> circuits = client.circuits();
    if (args.json) {
        fmt::print("{}\n", status_json(s, circuits).dump(2));
        return 0;
    }
    fmt::print("up {}, {} proofs completed, {} failed\n\n",
               duration_text(static_cast<double>(s.uptime_seconds)), grouped(s.completed), grouped(s.failed));
    Table devices({"device", "name", ">memory", ">free", "job", "kind"});
    for (const auto& gpu : s.gpus)
        devices.add({std::to_string(gpu.ordinal), gpu.name, bytes_text(gpu.memory_total),
                     bytes_text(gpu.memory_free), gpu.job_id.empty() ? "idle" : gpu.job_id, gpu.kind});
    fmt::print("{}\n", devices.text());
    Table queues({"kind", ">waiting", ">running"});
    for (const auto& queue : s.queues)
        queues.add({queue.kind, std::to_string(queue.pending), std::to_string(queue.in_progress)});
    fmt::print("{}\n", queues.text());
    if (!circuits.empty()) {
        Table table({"circuit", "curve", ">constraints", ">variables", ">public", ">key", ">jobs"});
        for (const auto& circuit : circuits)
            table.add({circuit.id, circuit.curve, circuit.constraints ? grouped(*circuit.constraints) : "-",
                       grouped(circuit.variables), grouped(circuit.public_inputs),
                       bytes_text(circuit.key_bytes), std::to_string(circuit.unfinished_jobs)});
        fmt::print("{}\n", table.text());
    }
    if (s.keys.empty()) {
        fmt::print("no key is loaded\n");
        return 0;
    }
    Table keys({"key", "tier", ">size", ">used by"});
    for (const auto& key : s.keys)
        keys.add({key.circuit_id, key.tier, bytes_text(key.bytes), std::to_string(key.references)});
    fmt::print("{}", keys.text());
    return 0;
}

int jobs(const ControlArguments& args) {
    rpc::Client client(args.connection.resolved());
    Json rows = Json::array();
    Table table({"job", "kind", "priority", "state", ">partitions", ">time", "client", "error"});
    for (const rpc::JobLine& job : client.jobs(args.limit)) {
        table.add({job.job_id, job.kind == "circuit" ? "circuit " + job.circuit : job.kind, job.priority,
                   job.final ? job.state : job.phase,
                   fmt::format("{}/{}", job.partitions_done, job.partitions),
                   duration_text(static_cast<double>(job.total_ms) / 1e3), job.client, job.error});
        rows.push_back({{"job_id", job.job_id},
                        {"proof_kind", job.kind},
                        {"circuit_id", job.circuit},
                        {"priority", job.priority},
                        {"state", job.state},
                        {"phase", job.phase},
                        {"partitions", job.partitions},
                        {"partitions_done", job.partitions_done},
                        {"age_ms", job.age_ms},
                        {"total_ms", job.total_ms},
                        {"client", job.client},
                        {"error", job.error}});
    }
    if (args.json)
        fmt::print("{}\n", rows.dump(2));
    else if (rows.empty())
        fmt::print("no jobs\n");
    else
        fmt::print("{}", table.text());
    return 0;
}

int preload(const ControlArguments& args) {
    rpc::Client client(args.connection.resolved());
    const auto result = client.preload(args.circuit);
    if (args.json)
        fmt::print("{}\n", Json{{"circuit_id", args.circuit},
                                {"already_loaded", result.already_loaded},
                                {"load_time_ms", result.milliseconds}}
                               .dump(2));
    else if (result.already_loaded)
        fmt::print("{}: was loaded already\n", args.circuit);
    else
        fmt::print("{}: loaded in {}\n", args.circuit,
                   duration_text(static_cast<double>(result.milliseconds) / 1e3));
    return 0;
}

int evict(const ControlArguments& args) {
    rpc::Client client(args.connection.resolved());
    const auto result = client.evict(args.circuit);
    if (args.json)
        fmt::print("{}\n", Json{{"circuit_id", args.circuit},
                                {"was_loaded", result.was_loaded},
                                {"freed_bytes", result.freed_bytes}}
                               .dump(2));
    else
        fmt::print(
            "{}: {}\n", args.circuit,
            result.was_loaded ? "dropped, " + bytes_text(result.freed_bytes) + " freed" : "was not loaded");
    return 0;
}

int drain(const ControlArguments& args) {
    rpc::Client client(args.connection.resolved());
    const u32 unfinished = client.drain();
    if (args.json)
        fmt::print("{}\n", Json{{"unfinished_jobs", unfinished}}.dump(2));
    else
        fmt::print("no new jobs are accepted; {} go on\n", unfinished);
    return 0;
}

using Run = int (*)(const ControlArguments&);

std::pair<CLI::App*, std::shared_ptr<ControlArguments>> command(CLI::App& app, const char* name,
                                                                const char* help, Run run, Action& action) {
    auto args = std::make_shared<ControlArguments>();
    CLI::App* c = app.add_subcommand(name, help);
    args->connection.add_to(*c);
    c->add_flag("--json", args->json, "Print the result as JSON");
    c->callback([args, run, &action] { action = [args, run] { return run(*args); }; });
    return {c, args};
}

constexpr const char* kCircuitHelp =
    "porep-32g, snap-32g, wpost-32g, winning-32g, ..., sizes 2k to 64g; or a registered circuit";

}  // namespace

void add_control(CLI::App& app, Action& action) {
    auto [c, args] = command(app, "status", "What the daemon is doing", status, action);
    c->add_flag("--metrics", args->metrics, "Print the Prometheus text instead");
    std::tie(c, args) =
        command(app, "jobs", "The daemon's jobs: unfinished ones, then the newest", jobs, action);
    c->add_option("--limit", args->limit, "How many at most; 0: all")->capture_default_str();
    std::tie(c, args) =
        command(app, "preload", "Have the daemon load a key before it is needed", preload, action);
    c->add_option("circuit", args->circuit, kCircuitHelp)->required();
    std::tie(c, args) = command(app, "evict", "Have the daemon drop an idle key", evict, action);
    c->add_option("circuit", args->circuit, kCircuitHelp)->required();
    command(app, "drain", "Have the daemon finish what it has and take nothing new", drain, action);
}

}  // namespace cuzk::cli
