// cuzk prove: a witness and a snarkjs key, or a ready assignment and a bellman key.
#include <fmt/core.h>

#include <chrono>
#include <optional>

#include "base/allocator.hpp"
#include "base/output_file.hpp"
#include "cli/app.hpp"
#include "cli/common.hpp"
#include "cli/device_options.hpp"
#include "cli/table.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/test_hooks.hpp"
#include "cli/timings.hpp"
#include "formats/assignment.hpp"
#include "formats/bellman.hpp"
#include "formats/proof_bytes.hpp"
#include "formats/r1cs_file.hpp"
#include "formats/snarkjs_json.hpp"
#include "formats/wtns.hpp"
#include "formats/zkey.hpp"
#include "groth16/prover.hpp"

namespace cuzk::cli {

namespace {

struct ProveArguments {
    CommonOptions common;
    std::string key, witness, proof, inputs, r1cs;
    DeviceOptions device;
    bool timings = false;
    std::string trace;
    bool allow_insecure_key = false;
    std::string test_randomness;
};

template <class C>
void report(const ProveArguments& args, const ProvingKey<C>& key, const StageLog& log, double seconds) {
    if (!args.trace.empty()) write_file(args.trace, chrome_trace(log));
    if (args.common.json) {
        fmt::print("{}\n", Json{{"curve", C::kName},
                                {"variables", key.variables},
                                {"public_inputs", key.public_inputs()},
                                {"domain", key.domain()},
                                {"seconds", seconds},
                                {"peak_bytes", peak_memory()},
                                {"stages", timings_json(log)},
                                {"device", device_summary(log)},
                                {"proof", args.proof}}
                               .dump(2));
        return;
    }
    if (args.timings) {
        fmt::print("{}", timings_table(log));
    }
    fmt::print("proved and verified: {}, {} variables, domain 2^{}, {}, peak memory {}\n", C::kName,
               grouped(key.variables), key.log_domain, duration_text(seconds), bytes_text(peak_memory()));
}

template <class C>
int prove_witness(const ProveArguments& args, ByteSource key_source, const ByteSource& witness_source,
                  std::chrono::steady_clock::time_point start) {
    using Fr = typename C::Fr;
    if (args.inputs.empty())
        throw Error(ErrorKind::kUsage, "a .zkey proof takes four files: KEY WITNESS PROOF.json PUBLIC.json");
    TerminalProgress progress;
    StageLog log;
    ProveOptions<Fr> options;
    options.monitor = {&log, &progress};
    options.fixed = fixed_blinding<Fr>(args.test_randomness);

    std::shared_ptr<const ProvingKey<C>> key;
    {
        // Points are not checked here: a proof from a damaged key fails its verification, and then the damage
        // is looked for.
        const StageTimer timer(&log, "key");
        key = std::make_shared<const ProvingKey<C>>(
            read_zkey<C>(std::move(key_source), {PointChecks::kNone, &progress}));
        refuse_forgeable(key->vk, args.key, args.allow_insecure_key);
    }
    std::vector<Fr> z;
    {
        const StageTimer timer(&log, "witness");
        z = read_wtns<C>(witness_source);
    }
    std::optional<R1csFile<Fr>> circuit;
    if (!args.r1cs.empty()) {
        const StageTimer timer(&log, "r1cs");
        const ByteSource source = ByteSource::open(args.r1cs);
        expect_kind(source, {FileKind::kR1cs});
        if (read_r1cs_header(source).curve != curve_id<C>())
            throw Error(ErrorKind::kMalformed,
                        args.r1cs + ": this circuit is not over the field of " + args.key);
        circuit = read_r1cs<C>(source, &progress);
        options.r1cs = &circuit->system;
    }

    const auto backend = make_backend<C>(args.device);
    Prover<C> prover(*backend, key, KeyTrust::kAllowForgeable);
    const Proof<C> proof = prover.prove(z, options);

    OutputFile proof_file(args.proof);
    OutputFile inputs_file(args.inputs);
    proof_file.write(proof_to_json(proof));
    inputs_file.write(public_to_json<C>(std::span<const Fr>(z).subspan(1, key->public_inputs())));
    proof_file.commit();
    inputs_file.commit();
    report<C>(args, *key, log, seconds_since(start));
    return 0;
}

int prove_assignment(const ProveArguments& args, ByteSource key_source, const ByteSource& assignment_source,
                     std::chrono::steady_clock::time_point start) {
    using C = Bls12_381;
    if (!args.r1cs.empty())
        throw Error(ErrorKind::kUsage, "--r1cs is for .zkey keys: an assignment holds all rows itself");
    TerminalProgress progress;
    StageLog log;
    ProveOptions<C::Fr> options;
    options.monitor = {&log, &progress};
    options.fixed = fixed_blinding<C::Fr>(args.test_randomness);

    std::shared_ptr<const ProvingKey<C>> key;
    {
        const StageTimer timer(&log, "key");
        key = std::make_shared<const ProvingKey<C>>(
            read_params(std::move(key_source), {PointChecks::kNone, &progress}));
        refuse_forgeable(key->vk, args.key, args.allow_insecure_key);
    }
    Assignment<C::Fr> assignment;
    {
        const StageTimer timer(&log, "assignment");
        assignment = read_assignment(assignment_source);
    }
    const auto backend = make_backend<C>(args.device);
    Prover<C> prover(*backend, key, KeyTrust::kAllowForgeable);
    const Proof<C> proof = prover.prove(assignment, options);

    OutputFile proof_file(args.proof);
    std::optional<OutputFile> inputs_file;
    proof_file.write(proof_to_bytes(proof));
    if (!args.inputs.empty()) {
        inputs_file.emplace(args.inputs);
        inputs_file->write(public_to_json<C>(assignment.z.subspan(1, key->public_inputs())));
    }
    proof_file.commit();
    if (inputs_file) inputs_file->commit();
    report<C>(args, *key, log, seconds_since(start));
    return 0;
}

int prove(const ProveArguments& args) {
    const auto start = std::chrono::steady_clock::now();
    // One proof a process: what one step frees is there for the next one. A third less peak memory for some page faults.
    give_back_freed_blocks(256 * 1024);
    const ThreadLimit limit(args.common.threads);
    for (const std::string& output : {args.proof, args.inputs})
        if (!output.empty()) refuse_overwriting(output, {args.key, args.witness, args.r1cs});
    if (args.proof == args.inputs) throw Error(ErrorKind::kUsage, "PROOF and PUBLIC are the same file");

    ByteSource key = ByteSource::open(args.key);
    const ByteSource witness = ByteSource::open(args.witness);
    const DetectedFile key_file = expect_kind(key, {FileKind::kZkey, FileKind::kParams});
    if (key_file.kind == FileKind::kParams) {
        expect_kind(witness, {FileKind::kAssignment});
        return prove_assignment(args, std::move(key), witness, start);
    }
    const DetectedFile witness_file = expect_kind(witness, {FileKind::kWtns});
    if (key_file.curve && witness_file.curve && *key_file.curve != *witness_file.curve)
        throw Error(ErrorKind::kMalformed,
                    fmt::format("{}: a witness over {}, but {} is a key for {}", args.witness,
                                curve_name(*witness_file.curve), args.key, curve_name(*key_file.curve)));
    return with_curve(zkey_curve(key), [&](auto c) {
        return prove_witness<decltype(c)>(args, std::move(key), witness, start);
    });
}

}  // namespace

void add_prove(CLI::App& app, Action& action) {
    auto args = std::make_shared<ProveArguments>();
    CLI::App* command = app.add_subcommand("prove",
                                           "Prove a witness with a .zkey (KEY WITNESS PROOF PUBLIC, as "
                                           "rapidsnark), or a ready assignment with bellman "
                                           ".params. Every proof is verified before it is written.");
    command->add_option("key", args->key, "Proving key: .zkey or bellman .params")->required();
    command->add_option("witness", args->witness, "Witness: .wtns, or a ready assignment for bellman keys")
        ->required();
    command->add_option("proof", args->proof, "Output: proof.json, or 192 bytes for bellman keys")
        ->required();
    command->add_option("public", args->inputs, "Output: public.json (may be left out for bellman keys)");
    command->add_option("--r1cs", args->r1cs,
                        "The circuit: names the constraint that a bad witness violates");
    command->add_flag("--timings", args->timings, "Print how long each stage took");
    command->add_option("--trace", args->trace,
                        "Write the stages as a trace for Perfetto or chrome://tracing");
    args->device.add_to(*command);
    command->add_flag("--allow-insecure-key", args->allow_insecure_key,
                      "Use a key under which anyone can forge proofs");
    add_test_randomness(*command, args->test_randomness);
    args->common.add_to(*command);
    command->callback([args, &action] { action = [args] { return prove(*args); }; });
}

}  // namespace cuzk::cli
