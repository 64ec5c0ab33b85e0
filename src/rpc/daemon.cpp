#include "rpc/daemon.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>

#include "base/allocator.hpp"
#include "base/parallel.hpp"
#include "engine/filecoin_work.hpp"
#include "rpc/access.hpp"
#include "rpc/circuits.hpp"
#include "rpc/devices.hpp"
#include "rpc/grpc_server.hpp"
#include "rpc/http/http_server.hpp"
#include "rpc/http/metrics_text.hpp"
#include "rpc/job_log.hpp"
#include "rpc/logging.hpp"
#include "rpc/service_notify.hpp"

namespace cuzk::rpc {

namespace {

using engine::Clock;
using engine::TimePoint;
using std::chrono::milliseconds;

// What the process holds beside what the engine plans, at most: code, threads, the buffers of calls, a backend's small vectors.
constexpr u64 kOwnMemory = u64{256} << 20;

// Signals that the daemon waits for instead of being interrupted by them.
class Signals {
public:
    Signals() {
        sigemptyset(&set_);
        sigaddset(&set_, SIGTERM);
        sigaddset(&set_, SIGINT);
        pthread_sigmask(SIG_BLOCK, &set_, nullptr);
        std::signal(SIGPIPE, SIG_IGN);
    }
    // The next signal, or 0 after `timeout`.
    int wait(milliseconds timeout) const {
        timespec time{};
        time.tv_sec = timeout.count() / 1000;
        time.tv_nsec = (timeout.count() % 1000) * 1'000'000;
        const int signal = sigtimedwait(&set_, nullptr, &time);
        return signal > 0 ? signal : 0;
    }

private:
    sigset_t set_{};
};

GrpcOptions grpc_options(const DaemonConfig& config) {
    GrpcOptions options;
    for (const std::string& text : config.daemon.listen) options.listen.push_back(parse_address(text));
    options.tls_certificate = config.daemon.tls_certificate;
    options.tls_key = config.daemon.tls_key;
    options.allow_insecure = config.daemon.allow_insecure;
    options.max_message_bytes = config.daemon.max_message_bytes;
    options.jobs = {config.daemon.max_bytes_per_client, config.daemon.job_timeout,
                    config.daemon.max_job_timeout};
    return options;
}

u32 unfinished(const engine::EngineStatus& status) {
    u32 jobs = 0;
    for (const engine::QueueStatus& queue : status.queues) jobs += queue.pending + queue.in_progress;
    return jobs;
}

std::unique_ptr<engine::Engine> make_engine(const DaemonConfig& config) {
    engine::CircuitRegistry circuits = open_circuits(config);
    std::vector<engine::DeviceSpec> devices = devices_of(config, circuits.bn254_device_memory());
    engine::EngineConfig limits = engine_config(config);
    auto workload = engine::make_circuit_workload(
        std::move(circuits),
        engine::make_filecoin_workload(limits.params_folder, limits.key_caches, limits.key_cache_folder));
    return std::make_unique<engine::Engine>(std::move(limits), std::move(workload), std::move(devices));
}

class Daemon {
public:
    explicit Daemon(const DaemonConfig& config)
        : config_(config),
          tokens_(config.daemon.token_file.empty() ? TokenList() : TokenList::load(config.daemon.token_file)),
          threads_(config.synthesis.threads),
          engine_(make_engine(config)),
          grpc_(*engine_, tokens_, grpc_options(config), [this] { return metrics_page(*engine_); }) {
        if (!config.daemon.status_listen.empty())
            http_.emplace(*engine_, tokens_, parse_address(config.daemon.status_listen),
                          config.daemon.allow_insecure);
    }

    int run(const Signals& signals) {
        announce();
        const std::jthread preloading([this](const std::stop_token& stop) { preload(stop); });
        const int signal = serve(signals);
        notify_.stopping();
        grpc_.set_serving(false);
        engine_->drain();
        spdlog::info("{}: no new jobs are accepted; {} go on, for {} s at most", strsignal(signal),
                     unfinished(engine_->status()), config_.daemon.shutdown_deadline.count() / 1000);
        finish_jobs(signals);
        stop_engine(signals);
        grpc_.stop(Clock::now() + std::chrono::seconds(2));
        http_.reset();
        spdlog::info("stopped");
        return 0;
    }

private:
    void announce() {
        for (const engine::DeviceStatus& device : engine_->status().devices)
            spdlog::info("device {}: {}{}", device.index, device.name,
                         device.fallback ? ", where no GPU is left" : "");
        std::string where;
        for (const Address& address : grpc_.addresses()) {
            where += (where.empty() ? "" : ", ") + address.text();
            spdlog::info("gRPC on {}", address.text());
        }
        if (http_) spdlog::info("dashboard on http://{}/", http_->address().text());
        grpc_.set_serving(true);
        notify_.ready("serving on " + where);
    }

    void preload(const std::stop_token& stop) {
        std::vector<std::string> wanted = config_.srs.preload;
        for (const DaemonConfig::Circuit& circuit : config_.circuits)
            if (circuit.preload) wanted.push_back(circuit.id);
        for (const std::string& circuit : wanted) {
            if (stop.stop_requested()) return;
            try {
                const auto result = engine_->preload(circuit);
                spdlog::info("key {} loaded in {} ms", circuit, result.load_time_ms);
            } catch (const std::exception& error) {
                spdlog::error("key {} is not loaded: {}", circuit, error.what());
            }
        }
    }

    // Until a signal. Asking the engine for its status is also what the watchdog watches: an engine that does not answer is not
    // reported alive.
    int serve(const Signals& signals) {
        for (;;) {
            if (const int signal = signals.wait(kLook)) return signal;
            look();
        }
    }

    void look() {
        log_.look(engine_->status());
        say_alive();
    }

    void say_alive() {
        const auto now = Clock::now();
        if (const auto interval = notify_.watchdog_interval(); interval && now - alive_at_ >= *interval / 2) {
            notify_.alive();
            alive_at_ = now;
        }
    }

    void finish_jobs(const Signals& signals) {
        const TimePoint deadline = Clock::now() + config_.daemon.shutdown_deadline;
        while (Clock::now() < deadline) {
            if (engine_->wait_idle(std::min(deadline, Clock::now() + milliseconds(20)))) break;
            if (const int signal = signals.wait(kLook)) end_at_once(signal);
            look();
        }
        if (const u32 left = unfinished(engine_->status()); left != 0)
            spdlog::warn("the deadline has passed; {} jobs are unfinished{}", left,
                         config_.daemon.journal.empty() ? "" : " and stay in the journal");
    }

    // Stages under way can not be interrupted; what still runs after a while ends with the process.
    void stop_engine(const Signals& signals) {
        constexpr std::chrono::seconds kPatience{30};
        std::atomic<bool> stopped{false};
        const std::jthread stopping([&] {
            engine_->stop(Clock::now());
            stopped = true;
        });
        const TimePoint deadline = Clock::now() + kPatience;
        while (!stopped) {
            if (const int signal = signals.wait(milliseconds(20))) end_at_once(signal);
            if (Clock::now() > deadline) end_at_once(0);
            say_alive();
        }
        look();
    }

    [[noreturn]] void end_at_once(int signal) {
        spdlog::warn("{}: ending at once, with {} unfinished jobs",
                     signal != 0 ? strsignal(signal) : "a stage does not end", unfinished(engine_->status()));
        for (const Address& address : grpc_.addresses())
            if (address.kind == Address::Kind::kUnix) std::remove(address.path.c_str());
        spdlog::default_logger()->flush();
        std::_Exit(signal != 0 ? 128 + signal : exit_code(ErrorKind::kEnvironment));
    }

    static constexpr milliseconds kLook{500};

    const DaemonConfig& config_;
    const TokenList tokens_;
    const ThreadLimit threads_;
    std::unique_ptr<engine::Engine> engine_;
    GrpcServer grpc_;
    std::optional<HttpServer> http_;
    ServiceNotify notify_;
    JobLog log_;
    TimePoint alive_at_{};
};

}  // namespace

engine::EngineConfig engine_config(const DaemonConfig& config) {
    engine::EngineConfig e;
    e.params_folder = config.srs.param_cache;
    e.key_caches = config.srs.key_cache == "off"   ? engine::KeyCaches::kOff
                   : config.srs.key_cache == "use" ? engine::KeyCaches::kUse
                                                   : engine::KeyCaches::kMake;
    e.key_cache_folder = config.srs.key_cache_folder;
    e.journal_folder = config.daemon.journal;
    e.synthesis_workers = static_cast<u32>(config.pipeline.max_parallel_synthesis);
    e.gpu_workers_per_device = static_cast<u32>(config.gpus.gpu_workers_per_device);
    e.pipeline_depth = static_cast<u32>(config.pipeline.max_gpu_queue_depth);
    e.cpu_fallback = config.gpus.allow_cpu;
    if (const auto total = config.memory.total_budget)
        e.host_budget = *total - std::min(kOwnMemory, *total / 2);
    e.host_margin = config.memory.safety_margin;
    e.pinned_budget = config.memory.pinned_budget.value_or(0);
    if (e.host_budget != 0) e.pinned_budget = std::min(e.pinned_budget, e.host_budget);
    e.eviction_min_idle = config.memory.eviction_min_idle;
    e.max_request_bytes = config.daemon.max_request_bytes;
    e.max_jobs_per_client = static_cast<u32>(config.daemon.max_jobs_per_client);
    e.result_retention = config.daemon.keep_results;
    e.max_results = static_cast<u32>(config.daemon.keep_results_count);
    return e;
}

int run_daemon(const DaemonConfig& config) {
    const Signals signals;
    start_logging(config.logging.level, config.logging.format);
    give_back_freed_blocks(u64{1} << 20);  // the engine counts them as free
    Daemon daemon(config);
    return daemon.run(signals);
}

}  // namespace cuzk::rpc
