#include "cli/app.hpp"

#include <fmt/core.h>

#include <new>

#include "base/error.hpp"
#include "cli/common.hpp"
#ifdef CUZK_HAS_DAEMON
#include "cli/daemon/commands.hpp"
#endif

namespace cuzk::cli {

namespace {

int fail(int code, const std::string& message) {
    fmt::print(stderr, "cuzk: {}\n", message);
    return code;
}

int fail_of_ours(const std::string& message) {
    return fail(
        exit_code(ErrorKind::kInternal),
        message +
            "\nThis is a fault of cuzk, not of your input: please report it, with the command and the files "
            "if you can share them.");
}

int run_guarded(const Action& action) {
    try {
        return action();
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::kInternal) return fail_of_ours(error.what());
        return fail(exit_code(error.kind()), error.what());
    } catch (const std::bad_alloc&) {
        return fail(exit_code(ErrorKind::kEnvironment), "out of memory");
    } catch (const std::exception& error) {
        return fail_of_ours(fmt::format("unexpected failure: {}", error.what()));
    } catch (...) {
        return fail_of_ours("unexpected failure of an unknown kind");
    }
}

}  // namespace

int run(int argc, const char* const* argv) {
    CLI::App app(
        "A Groth16 prover. Exit codes: 0 done or valid, 1 proof invalid or witness unsatisfied, 2 usage, 3 "
        "malformed "
        "or unsupported input, 4 environment, 70 a fault of cuzk.",
        "cuzk");
    app.set_version_flag("--version", std::string("cuzk ") + kVersion);
    app.require_subcommand(0, 1);  // none is refused below: CLI11 would hide which word it did not understand
    app.fallthrough();

    Action action;
    add_prove(app, action);
    add_verify(app, action);
    add_setup(app, action);
    add_inspect(app, action);
    add_convert(app, action);
    add_bench(app, action);
    add_filecoin(app, action);
#ifdef CUZK_HAS_DAEMON
    add_daemon_commands(app, action);
#endif
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : exit_code(ErrorKind::kUsage);
    }
    if (!action) return fail(exit_code(ErrorKind::kUsage), "which command? `cuzk --help` lists them");
    return run_guarded(action);
}

}  // namespace cuzk::cli
