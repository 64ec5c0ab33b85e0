// cuzk convert: between the files of snarkjs and those of bellman.
#include "formats/convert.hpp"

#include <fmt/core.h>

#include "cli/app.hpp"
#include "cli/common.hpp"
#include "cli/terminal_progress.hpp"

namespace cuzk::cli {

namespace {

struct ConvertArguments {
    CommonOptions common;
    std::string input, output, r1cs;
    std::size_t proof_index = 0;
};

int convert_command(const ConvertArguments& args) {
    const ThreadLimit limit(args.common.threads);
    refuse_overwriting(args.output, {args.input, args.r1cs});
    const ByteSource source = ByteSource::open(args.input);
    const FileKind kind = detect(source).kind;
    if (kind == FileKind::kUnknown)
        throw Error(ErrorKind::kMalformed, args.input + ": a file of an unknown kind, or a damaged one");
    const auto target = target_from_name(args.output, kind);
    if (!target)
        throw Error(
            ErrorKind::kUsage,
            args.output + ": the ending does not say what to write (.zkey, .params, .vk, .json, .bin)");
    TerminalProgress progress;
    ConvertOptions options;
    if (!args.r1cs.empty()) options.r1cs = ByteSource::open(args.r1cs);
    options.proof_index = args.proof_index;
    options.progress = &progress;
    convert(source, *target, args.output, options);
    return 0;
}

}  // namespace

void add_convert(CLI::App& app, Action& action) {
    auto args = std::make_shared<ConvertArguments>();
    CLI::App* command = app.add_subcommand("convert",
                                           "Convert keys, verifying keys and proofs between snarkjs and "
                                           "bellman; the output's ending says to what.");
    command->add_option("input", args->input, "Input: .zkey, .params, .vk, verification_key.json, a proof")
        ->required();
    command->add_option("output", args->output, "Output: .zkey, .params, .vk, .json or .bin")->required();
    command->add_option("--r1cs", args->r1cs, "The circuit, which .params to .zkey needs");
    command->add_option("--proof", args->proof_index,
                        "Which of several concatenated proofs to convert (from 0)");
    args->common.add_to(*command, false);
    command->callback([args, &action] { action = [args] { return convert_command(*args); }; });
}

}  // namespace cuzk::cli
