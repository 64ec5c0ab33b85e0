// cuzk filecoin: proofs of storage from the network's requests, their parameters, and simulated sectors.
#include <fmt/core.h>

#include <chrono>

#include "base/output_file.hpp"
#include "cli/app.hpp"
#include "cli/common.hpp"
#include "cli/device_options.hpp"
#include "cli/table.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/test_hooks.hpp"
#include "cli/timings.hpp"
#include "filecoin/chain/claim.hpp"
#include "filecoin/params/store.hpp"
#include "filecoin/prove/prove.hpp"
#include "filecoin/simulate/sector.hpp"
#include "formats/bellman.hpp"
#include "formats/proof_bytes.hpp"

namespace cuzk::cli {

namespace {

namespace fil = filecoin;
using C = Bls12_381;

struct Arguments {
    CommonOptions common;
    std::string trace;
    std::string request, proof, folder, vk, output, size, seed_hex, test_randomness;
    std::string kind = "porep";
    DeviceOptions device;
    bool timings = false;
    fil::SimulateOptions simulate;
};

const std::vector<std::string> kKinds = {"porep", "update", "window-post", "winning-post"};

std::string folder_of(const Arguments& args) {
    return args.folder.empty() ? fil::parameter_folder() : args.folder;
}

fil::ProofJob job_of(const std::string& path) {
    const ByteSource source = ByteSource::open(path);
    return fil::prepare(fil::parse_request(source.bytes, path), path);
}

int prove(const Arguments& args) {
    const auto start = std::chrono::steady_clock::now();
    const ThreadLimit limit(args.common.threads);
    refuse_overwriting(args.output, {args.request});
    TerminalProgress progress;
    StageLog log;
    ProveOptions<C::Fr> options;
    options.monitor = {&log, &progress};
    options.fixed = fixed_blinding<C::Fr>(args.test_randomness);

    std::optional<fil::ProofJob> job;
    {
        const StageTimer timer(&log, "request");
        job = job_of(args.request);
    }
    std::shared_ptr<ProvingKey<C>> key;
    {
        const StageTimer timer(&log, "key");
        key = std::make_shared<ProvingKey<C>>(
            fil::load_params(folder_of(args), job->circuit, job->shape, &progress));
    }
    {
        const StageTimer timer(&log, "circuit");
        key->circuit = std::make_shared<const fil::CompiledCircuit>(job->circuit, job->shape);
    }
    const u64 constraints = key->circuit->r1cs.constraints;
    const auto backend = make_backend<C>(args.device);
    Prover<C> prover(*backend, key);
    const std::vector<u8> proof = fil::prove_job(*job, prover, options);
    write_file(args.output, std::span<const u8>(proof));
    if (!args.trace.empty()) write_file(args.trace, chrome_trace(log));

    if (args.common.json) {
        fmt::print("{}\n", Json{{"circuit", fil::circuit_name(job->circuit)},
                                {"sector_size", job->shape.bytes},
                                {"partitions", job->partitions.size()},
                                {"constraints", constraints},
                                {"seconds", seconds_since(start)},
                                {"peak_bytes", peak_memory()},
                                {"stages", timings_json(log)},
                                {"device", device_summary(log)},
                                {"proof", args.output}}
                               .dump(2));
        return 0;
    }
    if (args.timings) {
        fmt::print("{}", timings_table(log));
    }
    fmt::print("proved and verified: {} {}, {} partition{}, {} constraints each, {}, peak memory {}\n",
               fil::circuit_name(job->circuit), fil::sector_size_name(job->shape.bytes),
               job->partitions.size(), job->partitions.size() == 1 ? "" : "s", grouped(constraints),
               duration_text(seconds_since(start)), bytes_text(peak_memory()));
    return 0;
}

int verify(const Arguments& args) {
    const ThreadLimit limit(args.common.threads);
    const ByteSource source = ByteSource::open(args.request);
    const ByteSource proof = ByteSource::open(args.proof);
    const auto verifier = [&](fil::CircuitKind kind, const fil::SectorShape& shape) {
        return Verifier<C>(args.vk.empty() ? fil::load_vk(folder_of(args), kind, shape)
                                           : read_bellman_vk(ByteSource::open(args.vk)));
    };
    const auto report = [&](bool valid, fil::CircuitKind kind, const fil::SectorShape& shape) {
        const std::size_t partitions = proof.bytes.size() / kProofBytes;
        if (args.common.json)
            fmt::print("{}\n", Json{{"valid", valid}, {"partitions", partitions}}.dump(2));
        else
            fmt::print("{}: {} ({} {}, {} partition{})\n", args.proof, valid ? "valid" : "INVALID",
                       fil::circuit_name(kind), fil::sector_size_name(shape.bytes), partitions,
                       partitions == 1 ? "" : "s");
        return valid ? 0 : exit_code(ErrorKind::kUnsatisfied);
    };
    if (fil::is_claim(source.bytes)) {
        const fil::Claim claim = fil::parse_claim(source);
        const auto kind = fil::circuit_of(claim);
        const auto& shape = fil::shape_of(claim);
        return report(
            fil::verify_partitions(fil::public_inputs(claim), verifier(kind, shape), proof.bytes, args.proof),
            kind, shape);
    }
    const fil::ProofJob job = job_of(args.request);
    return report(fil::verify_job(job, verifier(job.circuit, job.shape), proof.bytes, args.proof),
                  job.circuit, job.shape);
}

int simulate(const Arguments& args) {
    const ThreadLimit limit(args.common.threads);
    const fil::SectorShape shape = fil::sector_shape(fil::parse_sector_size(args.size));
    const fil::ProofRequest request = fil::simulate(fil::circuit_of_name(args.kind), shape, args.simulate);
    const std::string text = fil::request_to_json(request);
    write_file(args.output, std::string_view(text));
    fmt::print("{}: a simulated {} request for a sector of {}, {}\n", args.output, args.kind, args.size,
               bytes_text(text.size()));
    return 0;
}

// Compiles the circuit and makes the witness of one simulated partition: what synthesis costs at any size.
int circuit(const Arguments& args) {
    const ThreadLimit limit(args.common.threads);
    const fil::SectorShape shape = fil::sector_shape(fil::parse_sector_size(args.size));
    const fil::CircuitKind kind = fil::circuit_of_name(args.kind);
    auto start = std::chrono::steady_clock::now();
    const fil::CompiledCircuit compiled(kind, shape);
    const double compile_seconds = seconds_since(start);
    const fil::InstancedR1cs& r1cs = compiled.r1cs;

    const fil::ProofRequest request = fil::simulate(kind, shape, args.simulate);
    start = std::chrono::steady_clock::now();
    const fil::ProofJob job = fil::prepare(request, "simulated");
    const double prepare_seconds = seconds_since(start);
    start = std::chrono::steady_clock::now();
    const fil::CompactWitness witness = job.witness(0);
    const double witness_seconds = seconds_since(start);
    const u64 peak = peak_memory();

    double check_seconds = 0;
    if (args.timings) {
        start = std::chrono::steady_clock::now();
        compiled.assignment(witness);  // throws where a constraint does not hold
        check_seconds = seconds_since(start);
    }
    if (args.common.json) {
        fmt::print("{}\n", Json{{"circuit", args.kind},
                                {"sector_size", shape.bytes},
                                {"threads", thread_count()},
                                {"inputs", r1cs.inputs},
                                {"aux", r1cs.aux},
                                {"constraints", r1cs.constraints},
                                {"bits", r1cs.bit_count()},
                                {"a_aux_density", compiled.density.a_aux.count()},
                                {"b_aux_density", compiled.density.b_aux.count()},
                                {"structure_bytes", r1cs.bytes()},
                                {"templates", r1cs.blocks.size()},
                                {"instances", r1cs.segments.size()},
                                {"compile_seconds", compile_seconds},
                                {"decode_and_check_seconds", prepare_seconds},
                                {"witness_seconds", witness_seconds},
                                {"witness_bytes", witness.bytes()},
                                {"peak_bytes_with_witness", peak},
                                {"evaluate_and_check_seconds", check_seconds},
                                {"peak_bytes", peak_memory()}}
                               .dump(2));
        return 0;
    }
    Table table({fmt::format("{} {}", args.kind, args.size), ">"});
    table.add({"public inputs, the one included", grouped(r1cs.inputs)});
    table.add({"private variables", grouped(r1cs.aux)});
    table.add({"  of them bits", grouped(r1cs.bit_count())});
    table.add({"constraints", grouped(r1cs.constraints)});
    table.add({"variables in A / in B", fmt::format("{} / {}", grouped(compiled.density.a_aux.count()),
                                                    grouped(compiled.density.b_aux.count()))});
    table.add({"structure in memory", bytes_text(r1cs.bytes())});
    table.add({"compile", duration_text(compile_seconds)});
    table.add({"decode and check the vanilla proofs, all partitions", duration_text(prepare_seconds)});
    table.add({fmt::format("witness of one partition, {} threads", thread_count()),
               duration_text(witness_seconds)});
    table.add({"compact witness", bytes_text(witness.bytes())});
    if (args.timings) table.add({"A z, B z, C z and satisfaction", duration_text(check_seconds)});
    table.add({"peak memory", bytes_text(peak_memory())});
    fmt::print("{}", table.text());
    return 0;
}

int params_list(const Arguments& args) {
    Table table({"circuit", "sector", "file", "digest", "here"});
    Json rows = Json::array();
    for (const fil::PublishedDigest& d : fil::published_digests()) {
        const fil::SectorShape shape = fil::sector_shape(d.sector_bytes);
        const std::string path = fil::params_path(folder_of(args), d.kind, shape);
        const bool here = std::filesystem::exists(path);
        const std::string name = fil::parameter_name(d.kind, shape) + ".params";
        table.add({fil::circuit_name(d.kind), fil::sector_size_name(d.sector_bytes), name, d.params,
                   here ? "yes" : "no"});
        rows.push_back({{"circuit", fil::circuit_name(d.kind)},
                        {"sector_size", d.sector_bytes},
                        {"file", name},
                        {"digest", d.params},
                        {"vk_digest", d.vk},
                        {"present", here}});
    }
    if (args.common.json)
        fmt::print("{}\n", rows.dump(2));
    else
        fmt::print(
            "folder: {}\n{}Missing files come from the network's parameter fetcher, by these names and "
            "digests.\n",
            folder_of(args), table.text());
    return 0;
}

// Compares every published file that is in the folder with its digest.
int params_check(const Arguments& args) {
    TerminalProgress progress;
    Table table({"file", "result"});
    Json rows = Json::array();
    bool good = true;
    for (const fil::PublishedDigest& d : fil::published_digests()) {
        const fil::SectorShape shape = fil::sector_shape(d.sector_bytes);
        for (const auto& [path, digest] :
             {std::pair{fil::params_path(folder_of(args), d.kind, shape), d.params},
              std::pair{fil::vk_path(folder_of(args), d.kind, shape), d.vk}}) {
            if (!std::filesystem::exists(path)) continue;
            const bool equal = fil::network_digest(path, &progress) == digest;
            good = good && equal;
            table.add({path, equal ? "the network's file"
                                   : "NOT the network's file (damaged, or development parameters)"});
            rows.push_back({{"file", path}, {"published", equal}});
        }
    }
    if (args.common.json)
        fmt::print("{}\n", rows.dump(2));
    else if (rows.empty())
        fmt::print("no parameter file is in {}\n", folder_of(args));
    else
        fmt::print("{}", table.text());
    return good ? 0 : exit_code(ErrorKind::kMalformed);
}

int params_generate(const Arguments& args) {
    const ThreadLimit limit(args.common.threads);
    const fil::SectorShape shape = fil::sector_shape(fil::parse_sector_size(args.size));
    const fil::CircuitKind kind = fil::circuit_of_name(args.kind);
    TerminalProgress progress;
    OsRandom os;
    std::optional<SeededRandom> seeded;
    if (!args.seed_hex.empty())
        seeded.emplace(std::span(reinterpret_cast<const u8*>(args.seed_hex.data()), args.seed_hex.size()));
    RandomSource& random = seeded ? static_cast<RandomSource&>(*seeded) : os;
    fil::generate_params(folder_of(args), kind, shape, random, &progress);
    fmt::print(
        stderr,
        "cuzk: warning: development parameters: UNSAFE FOR PRODUCTION, whoever made them can forge proofs\n");
    fmt::print("{}\n", fil::params_path(folder_of(args), kind, shape));
    return 0;
}

using Run = int (*)(const Arguments&);

std::shared_ptr<Arguments> command(CLI::App& parent, const char* name, const char* help, Run run,
                                   Action& action, CLI::App*& out) {
    auto args = std::make_shared<Arguments>();
    out = parent.add_subcommand(name, help);
    out->callback([args, run, &action] { action = [args, run] { return run(*args); }; });
    return args;
}

void add_circuit_options(CLI::App& app, Arguments& args) {
    app.add_option("--circuit,--proof", args.kind, "porep, update, window-post or winning-post")
        ->check(CLI::IsMember(kKinds))
        ->capture_default_str();
    app.add_option("--sector-size", args.size, "2KiB, 8MiB, 32GiB, ...")->required();
}

void add_simulate_options(CLI::App& app, Arguments& args) {
    app.add_option("--seed", args.simulate.seed, "Equal seeds give equal requests")->capture_default_str();
    app.add_flag("--non-interactive", args.simulate.non_interactive, "PoRep: the non-interactive form");
    app.add_flag("--synthetic", args.simulate.synthetic, "PoRep: the synthetic form");
    app.add_option("--sectors", args.simulate.sectors,
                   "WindowPoSt: number of sectors (default: one full partition)");
}

void add_folder(CLI::App& app, Arguments& args) {
    app.add_option("--params", args.folder,
                   "Folder of parameter files (default: FIL_PROOFS_PARAMETER_CACHE)");
}

}  // namespace

void add_filecoin(CLI::App& app, Action& action) {
    CLI::App* group =
        app.add_subcommand("filecoin", "Filecoin's proofs: PoRep, SnapDeals, WindowPoSt, WinningPoSt");
    group->require_subcommand(1);
    CLI::App* c = nullptr;

    auto args = command(*group, "prove", "Prove a request (JSON of cuzk.v1.SubmitProofRequest, or a C1 file)",
                        prove, action, c);
    c->add_option("request", args->request, "Request or C1 JSON")->required();
    c->add_option("-o,--output", args->output, "Proof bytes: 192 a partition")->required();
    c->add_flag("--timings", args->timings, "Print how long each stage took");
    c->add_option("--trace", args->trace, "Write the stages as a trace for Perfetto or chrome://tracing");
    args->device.add_to(*c);
    add_test_randomness(*c, args->test_randomness);
    add_folder(*c, *args);
    args->common.add_to(*c);

    args = command(*group, "verify", "Verify the proofs of all partitions together", verify, action, c);
    c->add_option(
         "statement", args->request,
         "What was proved: a claim (public data alone, see docs/filecoin.md), a request, or a C1 file")
        ->required();
    c->add_option("proof", args->proof, "Proof bytes")->required();
    c->add_option("--vk", args->vk, "Verifying key (default: the one of this circuit among the parameters)");
    add_folder(*c, *args);
    args->common.add_to(*c);

    args = command(*group, "simulate", "Make a valid request for a sector that nobody sealed", simulate,
                   action, c);
    add_circuit_options(*c, *args);
    add_simulate_options(*c, *args);
    c->add_option("-o,--output", args->output, "Request JSON")->required();
    args->common.add_to(*c, false);

    args = command(*group, "circuit", "Sizes of a circuit, and what its synthesis costs here", circuit,
                   action, c);
    add_circuit_options(*c, *args);
    add_simulate_options(*c, *args);
    c->add_flag("--check", args->timings, "Evaluate all constraints too (needs 128 bytes a constraint)");
    args->common.add_to(*c);

    add_filecoin_bench(*group, action);

    CLI::App* params = group->add_subcommand("params", "Parameter files");
    params->require_subcommand(1);
    args = command(*params, "list", "The network's files: names, digests, which are here", params_list,
                   action, c);
    add_folder(*c, *args);
    args->common.add_to(*c);
    args = command(*params, "check", "Compare the files that are here with the network's digests",
                   params_check, action, c);
    add_folder(*c, *args);
    args->common.add_to(*c);
    args = command(*params, "generate", "Development parameters of a circuit: UNSAFE FOR PRODUCTION",
                   params_generate, action, c);
    add_circuit_options(*c, *args);
    c->add_option("--seed", args->seed_hex,
                  "Equal seeds give equal parameters (default: the system's randomness)");
    add_folder(*c, *args);
    args->common.add_to(*c, false);
}

}  // namespace cuzk::cli
