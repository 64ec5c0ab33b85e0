// The commands around the daemon. Only in builds that have it.
#pragma once

#include "cli/app.hpp"

namespace cuzk::cli {

// serve, config, submit, await, cancel, status, jobs, preload, evict, drain, top, doctor, and `bench serve`; after add_bench.
void add_daemon_commands(CLI::App& app, Action& action);

void add_serve(CLI::App& app, Action& action);
void add_config(CLI::App& app, Action& action);
void add_submit(CLI::App& app, Action& action);   // submit, await, cancel
void add_control(CLI::App& app, Action& action);  // status, jobs, preload, evict, drain
void add_top(CLI::App& app, Action& action);
void add_doctor(CLI::App& app, Action& action);
void add_bench_serve(CLI::App& bench, Action& action);

}  // namespace cuzk::cli
