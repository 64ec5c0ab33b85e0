// cuzk filecoin: proofs of storage from the network's requests, their parameters, and simulated sectors.
#include <fmt/core.h>

#include <chrono>

#include "base/output_file.hpp"
#include "cli/app.hpp"
#include "cli/common.hpp"
#include "cli/device_options.hpp"
#include "cli/filecoin_options.hpp"
#include "cli/table.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/test_hooks.hpp"
#include "cli/timings.hpp"
#include "filecoin/chain/claim.hpp"
#include "filecoin/params/key_cache.hpp"
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
    std::string request, proof, folder, caches, vk, output, size, test_randomness;
    std::string kind = "porep";
    DeviceOptions device;
    bool timings = false;
    fil::SimulateOptions simulate;
};

std::string folder_of(const Arguments& args) {
    return args.folder.empty() ? fil::parameter_folder() : args.folder;
}

struct OpenedKey {
    std::shared_ptr<ProvingKey<C>> key;
    bool from_cache = false;
};

OpenedKey open_key(const Arguments& args, const fil::ProofJob& job, bool use_cache, Progress& progress) {
    if (use_cache) {
        const std::string caches = args.caches.empty() ? fil::key_cache_folder() : args.caches;
        const auto found = fil::find_key_cache({folder_of(args), caches}, job.circuit, job.shape);
        if (found.file) return {std::make_shared<ProvingKey<C>>(found.file->proving_key()), true};
        if (!found.problem.empty())
            fmt::print(stderr, "cuzk: warning: the key cache is not used: {}\n", found.problem);
    }
    return {
        std::make_shared<ProvingKey<C>>(fil::load_params(folder_of(args), job.circuit, job.shape, &progress)),
        false};
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
    std::shared_ptr<const fil::CompiledCircuit> circuit;
    const auto backend = make_backend<C>(args.device);
    const auto prove_with = [&](bool use_cache) -> std::vector<u8> {
        OpenedKey opened;
        {
            const StageTimer timer(&log, "key");
            opened = open_key(args, *job, use_cache, progress);
        }
        if (!circuit) {
            const StageTimer timer(&log, "circuit");
            circuit = std::make_shared<const fil::CompiledCircuit>(job->circuit, job->shape);
        }
        opened.key->circuit = circuit;
        try {
            Prover<C> prover(*backend, opened.key);
            return fil::prove_job(*job, prover, options);
        } catch (const Error& error) {
            // A proof that does not verify, where the points come from a copy: perhaps the copy is bad.
            if (!opened.from_cache || error.kind() != ErrorKind::kMalformed) throw;
            fmt::print(stderr, "cuzk: warning: once more with the parameter file instead of its cache: {}\n",
                       error.what());
        }
        return {};
    };
    std::vector<u8> proof = prove_with(true);
    if (proof.empty()) proof = prove_with(false);
    const u64 constraints = circuit->r1cs.constraints;
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

using Run = int (*)(const Arguments&);

std::shared_ptr<Arguments> command(CLI::App& parent, const char* name, const char* help, Run run,
                                   Action& action, CLI::App*& out) {
    auto args = std::make_shared<Arguments>();
    out = parent.add_subcommand(name, help);
    out->callback([args, run, &action] { action = [args, run] { return run(*args); }; });
    return args;
}

void add_circuit_options(CLI::App& app, Arguments& args) {
    add_circuit_option(app, args.kind)->capture_default_str();
    add_size_option(app, args.size)->required();
}

void add_simulate_options(CLI::App& app, Arguments& args) {
    app.add_option("--seed", args.simulate.seed, "Equal seeds give equal requests")->capture_default_str();
    app.add_flag("--non-interactive", args.simulate.non_interactive, "PoRep: the non-interactive form");
    app.add_flag("--synthetic", args.simulate.synthetic, "PoRep: the synthetic form");
    app.add_option("--sectors", args.simulate.sectors,
                   "WindowPoSt: number of sectors (default: one full partition)");
}

void add_folder(CLI::App& app, Arguments& args) {
    add_params_option(app, args.folder);
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
    add_caches_option(*c, args->caches);
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
    add_filecoin_plan(*group, action);
    add_filecoin_params(*group, action);
}

}  // namespace cuzk::cli
