// cuzk submit, await, cancel: one proof from the daemon.
#include <fmt/core.h>

#include <map>

#include "base/output_file.hpp"
#include "cli/common.hpp"
#include "cli/daemon/commands.hpp"
#include "cli/daemon/connection.hpp"
#include "cli/terminal_progress.hpp"

namespace cuzk::cli {

namespace {

struct SubmitArguments {
    ConnectionOptions connection;
    std::string request, output, job_id, request_id, priority;
    u64 timeout_ms = 0;
    bool no_wait = false, json = false;
};

const std::map<std::string, u32> kPriorities = {{"low", 1}, {"normal", 2}, {"high", 3}, {"critical", 4}};

// Shows the job's progress until it ends.
void follow(rpc::Client& client, const std::string& job_id) {
    TerminalProgress progress;
    client.watch(job_id, [&](const rpc::JobLine& job) {
        progress.report(job.phase, job.partitions_done, job.partitions);
        return !job.final;
    });
}

// Writes the proof and says what it took; a job that ended otherwise is an error.
int conclude(const SubmitArguments& args, engine::JobResult result) {
    const bool completed = result.state == engine::JobState::kCompleted;
    if (completed && !args.output.empty()) write_file(args.output, std::span<const u8>(result.proof));
    const auto& t = result.timings;
    if (args.json) {
        fmt::print("{}\n", Json{{"job_id", result.job_id},
                                {"state", engine::state_name(result.state)},
                                {"error", result.error},
                                {"proof_bytes", result.proof.size()},
                                {"proof", completed ? args.output : ""},
                                {"queue_wait_ms", t.queue_wait},
                                {"key_load_ms", t.key_load},
                                {"synthesis_ms", t.synthesis},
                                {"gpu_compute_ms", t.gpu_compute},
                                {"total_ms", t.total}}
                               .dump(2));
        return completed ? 0 : exit_code(ErrorKind::kEnvironment);
    }
    if (!completed)
        throw Error(ErrorKind::kEnvironment, fmt::format("job {} {}: {}", result.job_id,
                                                         result.state == engine::JobState::kTimedOut
                                                             ? "is not done"
                                                             : engine::state_name(result.state),
                                                         result.error));
    fmt::print("proved and verified: job {}, {} bytes, {} (waited {}, key {}, synthesis {}, proving {})\n",
               result.job_id, result.proof.size(), duration_text(static_cast<double>(t.total) / 1e3),
               duration_text(static_cast<double>(t.queue_wait) / 1e3),
               duration_text(static_cast<double>(t.key_load) / 1e3),
               duration_text(static_cast<double>(t.synthesis) / 1e3),
               duration_text(static_cast<double>(t.gpu_compute) / 1e3));
    return 0;
}

int submit(const SubmitArguments& args) {
    if (!args.output.empty()) refuse_overwriting(args.output, {args.request});
    const ByteSource source = ByteSource::open(args.request);
    filecoin::ProofRequest request = filecoin::parse_request(source.bytes, args.request);
    if (!args.request_id.empty()) request.request_id = args.request_id;
    if (!args.priority.empty()) request.priority = kPriorities.at(args.priority);
    rpc::Client client(args.connection.resolved());
    const engine::Ticket ticket = client.submit(request);
    if (args.no_wait) {
        if (args.json)
            fmt::print("{}\n",
                       Json{{"job_id", ticket.job_id}, {"queue_position", ticket.queue_position}}.dump(2));
        else
            fmt::print("{}\n", ticket.job_id);
        return 0;
    }
    if (!args.json) fmt::print(stderr, "job {}, {} before it\n", ticket.job_id, ticket.queue_position);
    follow(client, ticket.job_id);
    return conclude(args, client.await(ticket.job_id));
}

int await(const SubmitArguments& args) {
    rpc::Client client(args.connection.resolved());
    if (args.timeout_ms != 0)
        return conclude(args, client.await(args.job_id, std::chrono::milliseconds(args.timeout_ms)));
    return conclude(args, client.await(args.job_id));
}

int cancel(const SubmitArguments& args) {
    rpc::Client client(args.connection.resolved());
    const bool was_running = client.cancel(args.job_id);
    if (args.json)
        fmt::print("{}\n", Json{{"job_id", args.job_id}, {"was_running", was_running}}.dump(2));
    else
        fmt::print("{}: {}\n", args.job_id, was_running ? "cancelled" : "is no unfinished job");
    return was_running ? 0 : exit_code(ErrorKind::kUnsatisfied);
}

}  // namespace

void add_submit(CLI::App& app, Action& action) {
    const auto common = [](CLI::App* c, SubmitArguments& args) {
        args.connection.add_to(*c);
        c->add_flag("--json", args.json, "Print the result as JSON");
    };
    auto args = std::make_shared<SubmitArguments>();
    CLI::App* c =
        app.add_subcommand("submit", "Have the daemon prove a Filecoin request; wait for the proof");
    c->add_option("request", args->request, "Request or C1 JSON")->required();
    c->add_option("-o,--output", args->output, "Proof bytes: 192 a partition");
    c->add_option("--request-id", args->request_id, "Instead of the request's own");
    c->add_option("--priority", args->priority,
                  "low, normal, high or critical (default: the request's, or its kind's)")
        ->check(CLI::IsMember({"low", "normal", "high", "critical"}));
    c->add_flag("--no-wait", args->no_wait, "Print the job's id and leave");
    common(c, *args);
    c->callback([args, &action] { action = [args] { return submit(*args); }; });

    args = std::make_shared<SubmitArguments>();
    c = app.add_subcommand("await", "Wait for a job of the daemon");
    c->add_option("job", args->job_id, "Its id")->required();
    c->add_option("-o,--output", args->output, "Proof bytes");
    c->add_option("--timeout-ms", args->timeout_ms, "How long to wait (default: until it ends)");
    common(c, *args);
    c->callback([args, &action] { action = [args] { return await(*args); }; });

    args = std::make_shared<SubmitArguments>();
    c = app.add_subcommand("cancel", "End an unfinished job of the daemon (exit code 1: there is none)");
    c->add_option("job", args->job_id, "Its id")->required();
    common(c, *args);
    c->callback([args, &action] { action = [args] { return cancel(*args); }; });
}

}  // namespace cuzk::cli
