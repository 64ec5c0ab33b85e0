// cuzk inspect: what a file is and says.
#include "formats/inspect.hpp"

#include <fmt/core.h>

#include "cli/app.hpp"
#include "cli/common.hpp"
#include "cli/terminal_progress.hpp"

namespace cuzk::cli {

namespace {

struct InspectArguments {
    CommonOptions common;
    std::string file;
    bool deep = false;
};

int inspect_command(const InspectArguments& args) {
    const ThreadLimit limit(args.common.threads);
    const InspectReport report = [&] {
        TerminalProgress progress;
        return inspect(ByteSource::open(args.file), {args.deep, &progress});
    }();
    fmt::print("{}\n", args.common.json ? to_json(report) : to_text(report));
    return report.has_danger() || report.kind == FileKind::kUnknown ? exit_code(ErrorKind::kMalformed) : 0;
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
    auto args = std::make_shared<InspectArguments>();
    CLI::App* command = app.add_subcommand(
        "inspect",
        "Say what a file is: kind, curve, sizes, sections, digests, findings. Exits with 3 if "
        "something in it is dangerous.");
    command->add_option("file", args->file, "Any file that cuzk, snarkjs, circom or bellman writes")
        ->required();
    command->add_flag("--deep", args->deep, "Check every point of a key, the subgroup included");
    args->common.add_to(*command);
    command->callback([args, &action] { action = [args] { return inspect_command(*args); }; });
}

}  // namespace cuzk::cli
