// cuzk setup: a development key from a circuit.
#include "groth16/setup.hpp"

#include <fmt/core.h>

#include <chrono>
#include <memory>
#include <type_traits>

#include "base/output_file.hpp"
#include "cli/app.hpp"
#include "cli/common.hpp"
#include "cli/terminal_progress.hpp"
#include "formats/bellman.hpp"
#include "formats/r1cs_file.hpp"
#include "formats/snarkjs_json.hpp"
#include "formats/zkey_writer.hpp"

namespace cuzk::cli {

namespace {

struct SetupArguments {
    CommonOptions common;
    std::string r1cs, key, vk, seed;
};

std::vector<u8> seed_bytes(const std::string& hex) {
    const auto digit = [](char c) {
        if (c >= '0' && c <= '9') return c - '0';
        const int letter = (c | 0x20) - 'a';
        if (letter >= 0 && letter < 6) return letter + 10;
        throw Error(ErrorKind::kUsage, "--seed wants hexadecimal digits");
    };
    if (hex.size() % 2 != 0)
        throw Error(ErrorKind::kUsage, "--seed wants an even number of hexadecimal digits");
    std::vector<u8> bytes(hex.size() / 2);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<u8>(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    return bytes;
}

template <class C>
std::unique_ptr<KeySink<C>> make_sink(KeyFamily family, const std::string& path) {
    if (family == KeyFamily::kSnarkjs) return std::make_unique<ZkeySink<C>>(path);
    if constexpr (std::is_same_v<C, Bls12_381>)
        return std::make_unique<ParamsSink>(path);
    else
        throw Error(
            ErrorKind::kUnsupported,
            fmt::format("{}: bellman parameters are for bls12381, this circuit is for {}", path, C::kName));
}

template <class C>
void write_vk(const std::string& path, const VerifyingKey<C>& vk) {
    if (!path.ends_with(".vk")) return write_file(path, std::string_view(vk_to_json<C>(vk)));
    if constexpr (std::is_same_v<C, Bls12_381>)
        write_bellman_vk(path, vk);
    else
        throw Error(ErrorKind::kUnsupported,
                    fmt::format("{}: bellman keys are for bls12381, this circuit is for {}", path, C::kName));
}

template <class C>
int run_setup(const SetupArguments& args, const ByteSource& source) {
    const auto start = std::chrono::steady_clock::now();
    TerminalProgress progress;
    const R1csFile<typename C::Fr> circuit = read_r1cs<C>(source, &progress);

    OsRandom os;
    std::optional<SeededRandom> seeded;
    if (!args.seed.empty()) seeded.emplace(std::span<const u8>(seed_bytes(args.seed)));
    RandomSource& random = seeded ? static_cast<RandomSource&>(*seeded) : os;

    const KeyFamily family = args.key.ends_with(".params") ? KeyFamily::kBellman : KeyFamily::kSnarkjs;
    const std::unique_ptr<KeySink<C>> sink = make_sink<C>(family, args.key);
    const VerifyingKey<C> vk = setup<C>(family, circuit.system, random, *sink, &progress);
    if (!args.vk.empty()) write_vk<C>(args.vk, vk);

    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (args.common.json)
        fmt::print("{}\n", Json{{"curve", C::kName},
                                {"constraints", circuit.system.constraints()},
                                {"variables", circuit.system.variables},
                                {"public_inputs", circuit.system.public_inputs},
                                {"seconds", seconds},
                                {"peak_bytes", peak_memory()},
                                {"unsafe_for_production", true},
                                {"key", args.key}}
                               .dump(2));
    else
        fmt::print("{}: {} constraints, {} variables, {} public inputs, {}, peak memory {}\n", args.key,
                   grouped(circuit.system.constraints()), grouped(circuit.system.variables),
                   circuit.system.public_inputs, duration_text(seconds), bytes_text(peak_memory()));
    return 0;
}

int setup_command(const SetupArguments& args) {
    const ThreadLimit limit(args.common.threads);
    for (const std::string& output : {args.key, args.vk})
        if (!output.empty()) refuse_overwriting(output, {args.r1cs});
    const ByteSource source = ByteSource::open(args.r1cs);
    expect_kind(source, {FileKind::kR1cs});
    const CurveId curve = read_r1cs_header(source).curve;
    fmt::print(
        stderr,
        "cuzk: warning: a development setup is UNSAFE FOR PRODUCTION: {} can forge proofs under its key\n",
        args.seed.empty() ? "whoever ran it" : "everyone who knows the seed");
    return with_curve(curve, [&](auto c) { return run_setup<decltype(c)>(args, source); });
}

}  // namespace

void add_setup(CLI::App& app, Action& action) {
    auto args = std::make_shared<SetupArguments>();
    CLI::App* command = app.add_subcommand(
        "setup",
        "Make a development key for a circuit. UNSAFE FOR PRODUCTION: whoever runs it can forge proofs.");
    command->add_option("circuit", args->r1cs, "Circuit: .r1cs")->required();
    command
        ->add_option("key", args->key, "Output: a .zkey, or bellman parameters if the name ends in .params")
        ->required();
    command->add_option("--seed", args->seed,
                        "Hexadecimal seed for a reproducible key (default: the system's randomness)");
    command->add_option("--vk", args->vk,
                        "Also write the verifying key (JSON, or bellman if the name ends in .vk)");
    args->common.add_to(*command);
    command->callback([args, &action] { action = [args] { return setup_command(*args); }; });
}

}  // namespace cuzk::cli
