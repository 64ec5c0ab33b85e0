// The command line: `cuzk <command> ...`. README.md has a tour; `cuzk <command> --help` the details.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace cuzk::cli {

// Parses, runs, and maps every outcome to an exit code: 0 done or valid, 1 proof invalid or witness
// unsatisfied, 2 usage, 3 malformed or unsupported input, 4 environment, 70 a fault of ours. Messages go to
// stderr, results to stdout.
int run(int argc, const char* const* argv);

// What a command line asks for: run after parsing, returns the exit code.
using Action = std::function<int()>;

// Each adds one command; parsing it sets `action`.
void add_prove(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_setup(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_convert(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_bench_phases(CLI::App& bench, Action& action);
void add_filecoin(CLI::App& app, Action& action);
// Add to the group of add_filecoin.
void add_filecoin_bench(CLI::App& group, Action& action);
void add_filecoin_plan(CLI::App& group, Action& action);
void add_filecoin_params(CLI::App& group, Action& action);

}  // namespace cuzk::cli
