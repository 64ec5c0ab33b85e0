// cuzk top: the dashboard in a terminal.
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/common.hpp"
#include "cli/daemon/commands.hpp"
#include "cli/daemon/connection.hpp"
#include "cli/table.hpp"
#include "rpc/http/http_client.hpp"

namespace cuzk::cli {

namespace {

struct TopArguments {
    ConnectionOptions connection;
    std::string status_address = "127.0.0.1:9821";
    double interval = 1;
    u32 seconds = 60;
    bool once = false;
};

volatile std::sig_atomic_t interrupted = 0;

// One page of the daemon, and what ran lately.
struct View {
    Json status, timeline;
};

std::size_t terminal_width() {
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40 ? size.ws_col : 100;
}

// Control characters in what clients named must not reach the terminal.
std::string printable(std::string text, std::size_t width) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    if (text.size() > width) text = text.substr(0, width - 1) + "~";
    return text;
}

std::string bar(double share, std::size_t width) {
    const auto full =
        static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width)));
    return std::string(full, '#') + std::string(width - full, '.');
}

// A cell a slice of the window: '#' busy for most of it, '+' for some, '.' idle.
std::string lane(const std::vector<std::pair<double, double>>& busy, double begin, double end,
                 std::size_t width) {
    std::string cells;
    const double slice = (end - begin) / static_cast<double>(width);
    for (std::size_t i = 0; i < width; ++i) {
        const double from = begin + slice * static_cast<double>(i), to = from + slice;
        double covered = 0, reached = from;
        for (const auto& [b, e] : busy) {
            const double start = std::max(b, reached), stop = std::min(e, to);
            if (stop > start) {
                covered += stop - start;
                reached = stop;
            }
        }
        cells += covered > slice / 2 ? '#' : covered > 0 ? '+' : '.';
    }
    return cells;
}

std::string lanes_text(const View& view, u32 seconds, std::size_t width) {
    const double now = view.timeline.at("now_us").get<double>(), begin = now - seconds * 1e6;
    std::map<std::string, std::vector<std::pair<double, double>>> busy;
    for (const auto& worker : view.status.at("lanes")) {
        auto& list = busy[worker.at("name").get<std::string>()];
        if (worker.at("busy").get<bool>())
            list.emplace_back(now - worker.at("busy_secs").get<double>() * 1e6, now);
    }
    for (const auto& interval : view.timeline.at("intervals"))
        busy[interval.at("lane").get<std::string>()].emplace_back(interval.at("begin_us").get<double>(),
                                                                  interval.at("end_us").get<double>());
    std::string out;
    for (auto& [name, list] : busy) {
        std::sort(list.begin(), list.end());
        out += fmt::format("{:<22} {}\n", printable(name, 22), lane(list, begin, now, width - 24));
    }
    return out;
}

std::string text_of(const View& view, u32 seconds) {
    const std::size_t width = std::min<std::size_t>(terminal_width(), 200);
    const Json& s = view.status;
    const Json& counters = s.at("counters");
    std::string out = fmt::format(
        "cuzk {}  up {}{}   {} completed, {} failed, {} waiting\n\n", s.at("version").get<std::string>(),
        duration_text(s.at("uptime_secs").get<double>()), s.at("draining").get<bool>() ? "  DRAINING" : "",
        counters.at("total_completed").get<u64>(), counters.at("total_failed").get<u64>(),
        counters.at("queue_depth").get<u64>());
    for (const auto& d : s.at("devices"))
        out += fmt::format("device {} {:<28} busy {} {:3.0f} %  {}\n", d.at("ordinal").get<u32>(),
                           printable(d.at("name").get<std::string>(), 28),
                           bar(d.at("busy_share").get<double>(), 20), 100 * d.at("busy_share").get<double>(),
                           d.at("retired").get<bool>() ? "RETIRED" : "");
    for (const auto& m : s.at("memory").at("spaces")) {
        const double budget = std::max(1.0, m.at("budget_bytes").get<double>());
        out += fmt::format("{:<37} used {} {} of {}\n", printable(m.at("space").get<std::string>(), 37),
                           bar(m.at("used_bytes").get<double>() / budget, 20),
                           bytes_text(m.at("used_bytes").get<u64>()),
                           bytes_text(m.at("budget_bytes").get<u64>()));
    }
    out += fmt::format("\nlast {} s\n{}\n", seconds, lanes_text(view, seconds, width));
    Table table({"job", "kind", "priority", "phase", ">partitions", ">age"});
    std::size_t shown = 0;
    for (const auto& job : s.at("pipelines")) {
        if (++shown > 20) break;
        table.add({printable(job.at("job_id").get<std::string>(), 48),
                   job.at("proof_kind").get<std::string>(), job.at("priority").get<std::string>(),
                   job.at("phase").get<std::string>(),
                   fmt::format("{}/{}", job.at("partitions_done").get<u32>(),
                               job.at("total_partitions").get<u32>()),
                   duration_text(job.at("started_secs_ago").get<double>())});
    }
    out += shown == 0 ? "no jobs\n" : table.text();
    for (const auto& error : s.at("recent_errors")) {
        out +=
            fmt::format("\nlast error, {} ago: {}: {}\n", duration_text(error.at("secs_ago").get<double>()),
                        printable(error.at("job_id").get<std::string>(), 48),
                        printable(error.at("message").get<std::string>(), 2 * width));
        break;
    }
    return out;
}

int top(const TopArguments& args) {
    const rpc::Address address = rpc::parse_address(args.status_address);
    const std::string token = args.connection.token();
    const auto view = [&] {
        View v;
        v.status = Json::parse(rpc::http_get(address, "/status", token));
        v.timeline = Json::parse(rpc::http_get(address, "/api/timeline", token));
        return v;
    };
    if (args.once || isatty(STDOUT_FILENO) == 0) {
        fmt::print("{}", text_of(view(), args.seconds));
        return 0;
    }
    std::signal(SIGINT, [](int) { interrupted = 1; });
    fmt::print("\x1b[?1049h\x1b[?25l");  // the alternate screen, no cursor
    std::exception_ptr failure;
    try {
        while (interrupted == 0) {
            const std::string page = text_of(view(), args.seconds);
            fmt::print("\x1b[H\x1b[2J{}", page);
            std::fflush(stdout);
            std::this_thread::sleep_for(std::chrono::duration<double>(args.interval));
        }
    } catch (...) {
        failure = std::current_exception();
    }
    fmt::print("\x1b[?25h\x1b[?1049l");
    std::fflush(stdout);
    if (failure) std::rethrow_exception(failure);
    return 0;
}

}  // namespace

void add_top(CLI::App& app, Action& action) {
    auto args = std::make_shared<TopArguments>();
    CLI::App* c = app.add_subcommand("top", "Watch the daemon: devices, memory, lanes, jobs");
    c->add_option("--status-addr", args->status_address, "The daemon's HTTP side, HOST:PORT")
        ->envname("CUZK_STATUS_ADDR")
        ->capture_default_str();
    c->add_option("--token-file", args->connection.token_file,
                  "File with the bearer token (or set CUZK_TOKEN)");
    c->add_option("--interval", args->interval, "Seconds between looks")->check(CLI::Range(0.1, 3600.0));
    c->add_option("--seconds", args->seconds, "What the lanes show")->check(CLI::Range(1, 600));
    c->add_flag("--once", args->once, "One look, without the full screen");
    c->callback([args, &action] { action = [args] { return top(*args); }; });
}

}  // namespace cuzk::cli
