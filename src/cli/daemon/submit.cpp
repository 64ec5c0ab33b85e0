// cuzk submit, await, cancel: one proof from the daemon.
#include <fmt/core.h>

#include <map>
#include <optional>

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
    std::string circuit, public_inputs;  // registered circuits
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

// Says what the proof took; a job that ended otherwise is an error of that kind.
int report(const SubmitArguments& args, const engine::JobResult& result, ErrorKind failure) {
    const bool completed = result.state == engine::JobState::kCompleted;
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
        return completed ? 0 : exit_code(failure);
    }
    if (!completed)
        throw Error(failure, fmt::format("job {} {}: {}", result.job_id,
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

int conclude(const SubmitArguments& args, const engine::JobResult& result) {
    if (result.state == engine::JobState::kCompleted && !args.output.empty())
        write_file(args.output, std::span<const u8>(result.proof));
    return report(args, result, ErrorKind::kEnvironment);
}

int conclude(const SubmitArguments& args, rpc::CircuitOutcome outcome) {
    engine::JobResult& result = outcome.result;
    if (result.state == engine::JobState::kCompleted) {
        if (!args.output.empty()) write_file(args.output, std::string_view(outcome.proof_json));
        if (!args.public_inputs.empty())
            write_file(args.public_inputs, std::string_view(outcome.public_json));
    }
    if (!engine::is_final(result.state)) {
        result.state = engine::JobState::kTimedOut;
        result.error = "it goes on and can be awaited again";
    }
    const bool failed = result.state == engine::JobState::kFailed;
    return report(args, result, failed ? result.error_kind : ErrorKind::kEnvironment);
}

// --no-wait: the id is the answer.
int leave(const SubmitArguments& args, const engine::Ticket& ticket) {
    if (args.json)
        fmt::print("{}\n",
                   Json{{"job_id", ticket.job_id}, {"queue_position", ticket.queue_position}}.dump(2));
    else
        fmt::print("{}\n", ticket.job_id);
    return 0;
}

void wait_for(const SubmitArguments& args, rpc::Client& client, const engine::Ticket& ticket) {
    if (!args.json) fmt::print(stderr, "job {}, {} before it\n", ticket.job_id, ticket.queue_position);
    follow(client, ticket.job_id);
}

int submit_witness(const SubmitArguments& args) {
    for (const std::string& output : {args.output, args.public_inputs})
        if (!output.empty()) refuse_overwriting(output, {args.request});
    if (!args.output.empty() && args.output == args.public_inputs)
        throw Error(ErrorKind::kUsage, "PROOF and PUBLIC are the same file");
    const ByteSource source = ByteSource::open(args.request);
    expect_kind(source, {FileKind::kWtns});
    engine::JobRequest job;
    job.request_id = args.request_id;
    job.content = engine::CircuitRequest{
        args.circuit, engine::CircuitRequest::Encoding::kWtns, {source.bytes.begin(), source.bytes.end()}};
    if (!args.priority.empty()) job.priority = static_cast<engine::Priority>(kPriorities.at(args.priority));
    job.timeout = engine::Milliseconds(args.timeout_ms);
    rpc::Client client(args.connection.resolved());
    const engine::Ticket ticket = client.submit_circuit(job);
    if (args.no_wait) return leave(args, ticket);
    wait_for(args, client, ticket);
    return conclude(args, client.await_circuit(ticket.job_id));
}

int submit(const SubmitArguments& args) {
    if (!args.circuit.empty()) return submit_witness(args);
    if (!args.public_inputs.empty() || args.timeout_ms != 0)
        throw Error(ErrorKind::kUsage, "--public and --timeout-ms are for witnesses: they need --circuit");
    if (!args.output.empty()) refuse_overwriting(args.output, {args.request});
    const ByteSource source = ByteSource::open(args.request);
    filecoin::ProofRequest request = filecoin::parse_request(source.bytes, args.request);
    if (!args.request_id.empty()) request.request_id = args.request_id;
    if (!args.priority.empty()) request.priority = kPriorities.at(args.priority);
    rpc::Client client(args.connection.resolved());
    const engine::Ticket ticket = client.submit(request);
    if (args.no_wait) return leave(args, ticket);
    wait_for(args, client, ticket);
    return conclude(args, client.await(ticket.job_id));
}

int await(const SubmitArguments& args) {
    rpc::Client client(args.connection.resolved());
    std::optional<std::chrono::milliseconds> timeout;
    if (args.timeout_ms != 0) timeout = std::chrono::milliseconds(args.timeout_ms);
    if (!args.public_inputs.empty()) return conclude(args, client.await_circuit(args.job_id, timeout));
    return conclude(args, client.await(args.job_id, timeout));
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
        app.add_subcommand("submit",
                           "Have the daemon prove a Filecoin request, or a witness for a registered "
                           "circuit; wait for the proof");
    c->add_option("request", args->request, "Request or C1 JSON; with --circuit a witness (.wtns)")
        ->required();
    c->add_option("-o,--output", args->output, "Proof bytes, 192 a partition; with --circuit proof.json");
    c->add_option("--circuit", args->circuit, "A circuit that the daemon's configuration registers");
    c->add_option("--public", args->public_inputs, "With --circuit: public.json");
    c->add_option("--timeout-ms", args->timeout_ms,
                  "With --circuit: how long the job may take (default: the daemon's)");
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
    c->add_option("-o,--output", args->output, "Proof bytes; with --public proof.json");
    c->add_option("--public", args->public_inputs, "public.json, of a job for a registered circuit");
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
