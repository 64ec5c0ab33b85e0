// cuzk serve: the daemon. cuzk config: its configuration file.
#include <fmt/core.h>

#include <filesystem>

#include "cli/common.hpp"
#include "cli/daemon/commands.hpp"
#include "rpc/circuits.hpp"
#include "rpc/config/config.hpp"
#include "rpc/daemon.hpp"
#include "rpc/listen.hpp"

namespace cuzk::cli {

namespace {

constexpr const char* kSystemConfig = "/etc/cuzk/cuzk.toml";

struct ServeArguments {
    std::string config, status_listen, params, level;
    std::vector<std::string> listen;
    bool allow_insecure = false;
    bool no_status = false;
};

// The named file, else the system's where there is one, else the defaults.
rpc::ParsedConfig configuration(const std::string& path) {
    if (!path.empty()) return rpc::load_config(path);
    if (std::filesystem::exists(kSystemConfig)) return rpc::load_config(kSystemConfig);
    return {};
}

int serve(const ServeArguments& args) {
    rpc::ParsedConfig parsed = configuration(args.config);
    for (const std::string& note : parsed.notes) fmt::print(stderr, "cuzk: note: {}\n", note);
    rpc::DaemonConfig& config = parsed.config;
    if (!args.listen.empty()) config.daemon.listen = args.listen;
    if (!args.status_listen.empty()) config.daemon.status_listen = args.status_listen;
    if (args.no_status) config.daemon.status_listen.clear();
    if (!args.params.empty()) config.srs.param_cache = args.params;
    if (!args.level.empty()) config.logging.level = args.level;
    if (args.allow_insecure) config.daemon.allow_insecure = true;
    return rpc::run_daemon(config);
}

int config_check(const std::string& path) {
    const rpc::ParsedConfig parsed = rpc::load_config(path);
    for (const std::string& address : parsed.config.daemon.listen) rpc::parse_address(address);
    if (!parsed.config.daemon.status_listen.empty()) rpc::parse_address(parsed.config.daemon.status_listen);
    rpc::open_circuits(parsed.config);
    for (const std::string& note : parsed.notes) fmt::print("note: {}\n", note);
    fmt::print("{}: good\n", path);
    return 0;
}

int config_show(const std::string& path) {
    fmt::print("{}", rpc::config_text(configuration(path).config));
    return 0;
}

}  // namespace

void add_serve(CLI::App& app, Action& action) {
    auto args = std::make_shared<ServeArguments>();
    CLI::App* c = app.add_subcommand("serve", "Run the daemon: proofs over gRPC, a dashboard over HTTP");
    c->add_option("-c,--config", args->config,
                  fmt::format("TOML file (default: {} where it exists)", kSystemConfig));
    c->add_option("-l,--listen", args->listen, "gRPC: HOST:PORT or unix:///PATH; may be repeated");
    c->add_option("--status-listen", args->status_listen, "HTTP: HOST:PORT");
    c->add_flag("--no-status", args->no_status, "No HTTP");
    c->add_option("--params", args->params, "Folder of parameter files");
    c->add_option("--log-level", args->level, "trace, debug, info, warn or error")
        ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error"}));
    c->add_flag("--allow-insecure", args->allow_insecure, "Listen beyond loopback without TLS and tokens");
    c->callback([args, &action] { action = [args] { return serve(*args); }; });
}

void add_config(CLI::App& app, Action& action) {
    auto path = std::make_shared<std::string>();
    CLI::App* group = app.add_subcommand("config", "The daemon's configuration");
    group->require_subcommand(1);
    CLI::App* c = group->add_subcommand("check", "Read a file; list every mistake, with its line");
    c->add_option("file", *path, "TOML file")->required();
    c->callback([path, &action] { action = [path] { return config_check(*path); }; });
    c = group->add_subcommand("show", "Print every key with its value and meaning");
    c->add_option("--config", *path, "TOML file (default: what `cuzk serve` would read)");
    c->callback([path, &action] { action = [path] { return config_show(*path); }; });
}

}  // namespace cuzk::cli
