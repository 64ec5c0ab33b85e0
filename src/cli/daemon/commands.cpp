#include "cli/daemon/commands.hpp"

namespace cuzk::cli {

void add_daemon_commands(CLI::App& app, Action& action) {
    add_serve(app, action);
    add_config(app, action);
    add_submit(app, action);
    add_control(app, action);
    add_top(app, action);
    add_doctor(app, action);
    add_bench_serve(*app.get_subcommand("bench"), action);
}

}  // namespace cuzk::cli
