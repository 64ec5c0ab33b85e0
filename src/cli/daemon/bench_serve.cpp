// cuzk bench serve: a running daemon under load, every proof verified here.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "base/random.hpp"
#include "cli/common.hpp"
#include "cli/daemon/commands.hpp"
#include "cli/daemon/connection.hpp"
#include "cli/table.hpp"
#include "filecoin/params/store.hpp"
#include "filecoin/prove/prove.hpp"

namespace cuzk::cli {

namespace {

namespace fil = filecoin;
using Clock = std::chrono::steady_clock;

struct LoadArguments {
    ConnectionOptions connection;
    std::vector<std::string> requests;  // "FILE", or "FILE@RATE" under stress
    std::string mode = "single", params;
    u32 count = 3, concurrency = 1;
    double duration = 60;
    u64 seed = 1;
    bool json = false;
};

// One of the requests that the load is made of.
struct Source {
    std::string name;
    fil::ProofRequest request;
    fil::ProofJob job;
    std::shared_ptr<const Verifier<Bls12_381>> verifier;
    double rate = 1;  // submissions a second, under stress
};

struct Sample {
    double seconds = 0;
    engine::JobTimings timings;
};

// What came of the submissions of one source, or of one phase of them.
struct Tally {
    std::string name;
    std::vector<Sample> done;
    u64 failed = 0, invalid = 0;
    std::string first_error;
};

class Load {
public:
    explicit Load(const LoadArguments& args) : args_(args), run_(random_run_name()) {
        for (const std::string& text : args.requests) sources_.push_back(open_source(text));
        if (args.mode == "probe" && sources_.size() < 2)
            throw Error(ErrorKind::kUsage, "probe: name the request to probe first, and behind it the load");
        for (const Source& source : sources_) tallies_.push_back({source.name, {}, 0, 0, ""});
    }

    // Seconds that the load took.
    double run() {
        const auto start = Clock::now();
        if (args_.mode == "stress")
            stress();
        else if (args_.mode == "probe")
            probe();
        else
            in_turn(args_.mode == "single" ? 1 : args_.count, args_.mode == "single" ? 1 : args_.concurrency);
        return seconds_since(start);
    }

    int report(double wall) const {
        Json rows = Json::array();
        Table table({"request", ">proofs", ">failed", ">invalid", ">per minute", ">mean", ">p50", ">p90",
                     ">p99", ">max", ">queue p50", ">synthesis", ">proving", ">outside"});
        bool good = true;
        for (const Tally& t : tallies_) {
            good = good && t.failed == 0 && t.invalid == 0;
            const auto latency = sorted(t, latency_of);
            const auto queue =
                sorted(t, [](const Sample& s) { return static_cast<double>(s.timings.queue_wait) / 1e3; });
            const auto synthesis =
                sorted(t, [](const Sample& s) { return static_cast<double>(s.timings.synthesis) / 1e3; });
            const auto proving =
                sorted(t, [](const Sample& s) { return static_cast<double>(s.timings.gpu_compute) / 1e3; });
            // What the client waits for beside the daemon's own account of the job.
            const auto outside = sorted(
                t, [](const Sample& s) { return s.seconds - static_cast<double>(s.timings.total) / 1e3; });
            const double rate = 60 * static_cast<double>(t.done.size()) / wall;
            table.add({t.name, std::to_string(t.done.size()), std::to_string(t.failed),
                       std::to_string(t.invalid), fmt::format("{:.2f}", rate), duration_text(mean(latency)),
                       duration_text(percentile(latency, 0.5)), duration_text(percentile(latency, 0.9)),
                       duration_text(percentile(latency, 0.99)), duration_text(percentile(latency, 1)),
                       duration_text(percentile(queue, 0.5)), duration_text(mean(synthesis)),
                       duration_text(mean(proving)), duration_text(mean(outside))});
            rows.push_back({{"request", t.name},
                            {"proofs", t.done.size()},
                            {"failed", t.failed},
                            {"invalid", t.invalid},
                            {"first_error", t.first_error},
                            {"proofs_per_minute", rate},
                            {"mean_s", mean(latency)},
                            {"p50_s", percentile(latency, 0.5)},
                            {"p90_s", percentile(latency, 0.9)},
                            {"p99_s", percentile(latency, 0.99)},
                            {"max_s", percentile(latency, 1)},
                            {"queue_wait_p50_s", percentile(queue, 0.5)},
                            {"synthesis_mean_s", mean(synthesis)},
                            {"gpu_compute_mean_s", mean(proving)},
                            {"outside_mean_s", mean(outside)}});
        }
        if (args_.json) {
            Json out{{"mode", args_.mode}, {"seconds", wall}, {"all_verified", good}, {"requests", rows}};
            if (probed_)
                out["probe"] = {{"alone_p50_s", probed_->alone},
                                {"stage_alone_s", probed_->stage},
                                {"bound_s", probed_->bound()},
                                {"within_bound", probed_->within},
                                {"probes", probed_->probes}};
            fmt::print("{}\n", out.dump(2));
        } else {
            fmt::print("{}\n{} in all; {}\n", table.text(), duration_text(wall),
                       good ? "every proof verified" : "NOT every submission gave a proof that verifies");
            if (probed_)
                fmt::print(
                    "bound: 1.5 x {} + {} (the longest stage of a partition of the load, alone) = {}; "
                    "{} of {} within\n",
                    duration_text(probed_->alone), duration_text(probed_->stage),
                    duration_text(probed_->bound()), probed_->within, probed_->probes);
            for (const Tally& t : tallies_)
                if (!t.first_error.empty()) fmt::print("first error: {}\n", t.first_error);
        }
        return good ? 0 : exit_code(ErrorKind::kUnsatisfied);
    }

private:
    // How soon the first request comes back while the others keep the daemon busy.
    struct Probed {
        double alone = 0;  // median, seconds
        double stage = 0;  // longest of synthesis and proving of one partition of the load, alone, seconds
        std::size_t within = 0, probes = 0;
        double bound() const { return 1.5 * alone + stage; }
    };

    static double latency_of(const Sample& sample) { return sample.seconds; }
    template <class ValueOf>
    static std::vector<double> sorted(const Tally& tally, const ValueOf& value_of) {
        std::vector<double> values;
        for (const Sample& sample : tally.done) values.push_back(value_of(sample));
        std::sort(values.begin(), values.end());
        return values;
    }
    static double mean(const std::vector<double>& values) {
        double sum = 0;
        for (const double v : values) sum += v;
        return values.empty() ? 0 : sum / static_cast<double>(values.size());
    }
    // Of sorted values, by nearest rank.
    static double percentile(const std::vector<double>& sorted, double share) {
        if (sorted.empty()) return 0;
        const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
        return sorted[std::max<std::size_t>(rank, 1) - 1];
    }
    // Two runs against one daemon must not join one another's jobs.
    static std::string random_run_name() {
        OsRandom random;
        std::array<u8, 6> bytes{};
        random.fill(bytes);
        std::string name;
        for (const u8 b : bytes) name += fmt::format("{:02x}", b);
        return name;
    }

    Source open_source(const std::string& text) const {
        Source source;
        std::string path = text;
        if (const auto at = text.rfind('@'); args_.mode == "stress" && at != std::string::npos) {
            path = text.substr(0, at);
            char* end = nullptr;
            source.rate = std::strtod(text.c_str() + at + 1, &end);
            if (*end != '\0' || !(source.rate > 0 && source.rate <= 1e4))
                throw Error(ErrorKind::kUsage, text + ": behind '@' stand submissions a second, up to 10000");
        }
        source.name = path;
        const ByteSource bytes = ByteSource::open(path);
        source.request = fil::parse_request(bytes.bytes, path);
        source.job = fil::prepare(source.request, path);
        const std::string folder = args_.params.empty() ? fil::parameter_folder() : args_.params;
        source.verifier = std::make_shared<const Verifier<Bls12_381>>(
            fil::load_vk(folder, source.job.circuit, source.job.shape));
        return source;
    }

    // `count` submissions of each source, `concurrency` under way at a time.
    void in_turn(u32 count, u32 concurrency) {
        std::atomic<u64> next{0};
        const u64 all = u64{count} * sources_.size();
        std::vector<std::jthread> clients;
        for (u32 c = 0; c < concurrency; ++c)
            clients.emplace_back([&] {
                rpc::Client client(args_.connection.resolved());
                for (u64 i = next++; i < all; i = next++) prove_nth(client, i % sources_.size(), i);
            });
    }

    void prove_nth(rpc::Client& client, std::size_t s, u64 number) {
        prove_one(client, sources_[s], number, tallies_[s]);
    }

    // Arrivals of each source at random times, at its rate; each submission waits on a thread of its own, so that a slow daemon
    // does not slow the arrivals.
    void stress() {
        std::mutex mutex;
        std::vector<std::jthread> waiting;
        std::vector<std::jthread> arrivals;
        rpc::Client client(args_.connection.resolved());
        const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                            std::chrono::duration<double>(args_.duration));
        for (std::size_t s = 0; s < sources_.size(); ++s)
            arrivals.emplace_back([&, s] {
                std::mt19937_64 generator(args_.seed + s);
                std::exponential_distribution<double> gap(sources_[s].rate);
                auto at = Clock::now();
                for (u64 i = 0;; ++i) {
                    at += std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double>(gap(generator)));
                    if (at >= end) return;
                    std::this_thread::sleep_until(at);
                    const std::lock_guard lock(mutex);
                    waiting.emplace_back(
                        [this, &client, s, i] { prove_nth(client, s, i * sources_.size() + s); });
                }
            });
        arrivals.clear();
        waiting.clear();
    }

    // The probe alone, --count times; then as often at random moments while --concurrency of the others are under way.
    void probe() {
        rpc::Client client(args_.connection.resolved());
        u64 number = 0;
        Probed probed;
        // Twice each: the first loads keys. The second says how long the stages of the load take alone.
        std::vector<Tally> warm(sources_.size());
        for (int round = 0; round < 2; ++round)
            for (std::size_t s = 0; s < sources_.size(); ++s)
                prove_one(client, sources_[s], number++, warm[s]);
        for (std::size_t s = 1; s < sources_.size(); ++s)
            if (!warm[s].done.empty()) probed.stage = std::max(probed.stage, stage_of(sources_[s], warm[s]));

        tallies_.front().name += ", alone";
        for (u32 i = 0; i < args_.count; ++i) prove_one(client, sources_.front(), number++, tallies_.front());
        probed.alone = percentile(sorted(tallies_.front(), latency_of), 0.5);

        std::atomic<u64> next{number + args_.count};
        std::atomic<bool> enough{false};
        std::vector<std::jthread> load;
        for (u32 c = 0; c < args_.concurrency; ++c)
            load.emplace_back([&] {
                rpc::Client loader(args_.connection.resolved());
                while (!enough) {
                    const u64 n = next++;
                    const std::size_t s = 1 + n % (sources_.size() - 1);
                    prove_one(loader, sources_[s], n, tallies_[s]);
                }
            });
        Tally under_load{sources_.front().name + ", under load", {}, 0, 0, ""};
        std::mt19937_64 generator(args_.seed);
        std::uniform_real_distribution<double> gap(0.5, 1.5);
        for (u32 i = 0; i < args_.count; ++i) {
            std::this_thread::sleep_for(std::chrono::duration<double>(probed.stage * gap(generator)));
            prove_one(client, sources_.front(), number++, under_load);
        }
        enough = true;
        load.clear();
        const auto latency = sorted(under_load, latency_of);
        probed.probes = args_.count;
        probed.within = static_cast<std::size_t>(
            std::upper_bound(latency.begin(), latency.end(), probed.bound()) - latency.begin());
        probed_ = probed;
        tallies_.insert(tallies_.begin() + 1, std::move(under_load));
        for (Tally& t : warm)  // what went wrong there counts, too
            if (t.failed + t.invalid != 0) tallies_.push_back(std::move(t));
    }
    // Seconds; the timings of a job are sums over its partitions.
    static double stage_of(const Source& source, const Tally& tally) {
        const engine::JobTimings& last = tally.done.back().timings;
        return static_cast<double>(std::max(last.synthesis, last.gpu_compute)) / 1e3 /
               static_cast<double>(source.job.partitions.size());
    }

    void prove_one(rpc::Client& client, const Source& source, u64 number, Tally& tally) {
        fil::ProofRequest request = source.request;
        request.request_id = fmt::format("bench-{}-{}", run_, number);
        std::string error;
        bool invalid = false;
        Sample sample;
        try {
            const auto start = Clock::now();
            const engine::JobResult result = client.prove(request);
            sample = {seconds_since(start), result.timings};
            if (result.state != engine::JobState::kCompleted)
                error = std::string(engine::state_name(result.state)) + ": " + result.error;
            else if (!fil::verify_job(source.job, *source.verifier, result.proof, source.name)) {
                invalid = true;
                error = "job " + result.job_id + ": the proof does not verify";
            }
        } catch (const Error& e) {
            error = e.what();
        }
        const std::lock_guard lock(mutex_);
        if (error.empty())
            tally.done.push_back(sample);
        else
            ++(invalid ? tally.invalid : tally.failed);
        if (tally.first_error.empty()) tally.first_error = error;
    }

    const LoadArguments& args_;
    const std::string run_;
    std::vector<Source> sources_;
    std::mutex mutex_;
    std::vector<Tally> tallies_;
    std::optional<Probed> probed_;
};

int bench_serve(const LoadArguments& args) {
    Load load(args);
    return load.report(load.run());
}

}  // namespace

void add_bench_serve(CLI::App& bench, Action& action) {
    auto args = std::make_shared<LoadArguments>();
    CLI::App* c = bench.add_subcommand("serve", "Load a running daemon with requests; verify every proof");
    c->add_option("requests", args->requests, "Request files; under stress FILE@RATE, submissions a second")
        ->required();
    c->add_option("--mode", args->mode,
                  "single: each once; batch: --count of each, --concurrency at a time; stress: random "
                  "arrivals at rates; probe: the first alone, then while the others keep the daemon busy")
        ->check(CLI::IsMember({"single", "batch", "stress", "probe"}))
        ->capture_default_str();
    c->add_option("--count", args->count,
                  "batch: submissions of each request; probe: probes alone, and as many under load")
        ->check(CLI::Range(1, 1'000'000));
    c->add_option("--concurrency", args->concurrency, "batch, probe: submissions under way")
        ->check(CLI::Range(1, 1024));
    c->add_option("--duration", args->duration, "stress: seconds of arrivals")->check(CLI::Range(0.1, 1e6));
    c->add_option("--seed", args->seed, "stress, probe: equal seeds give equal arrivals");
    c->add_option("--params", args->params, "Folder of parameter files, for verification");
    args->connection.add_to(*c);
    c->add_flag("--json", args->json, "Print the result as JSON");
    c->callback([args, &action] { action = [args] { return bench_serve(*args); }; });
}

}  // namespace cuzk::cli
