// cuzk bench phases: one mechanism after the other, under the load of a sector's partitions.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <future>
#include <mutex>

#include "cli/app.hpp"
#include "cli/common.hpp"
#include "cli/development_key.hpp"
#include "cli/device_options.hpp"
#include "cli/filecoin_options.hpp"
#include "cli/table.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/timings.hpp"
#include "filecoin/simulate/sector.hpp"
#include "gpu/choose_backend.hpp"
#include "groth16/key_size.hpp"
#include "groth16/prover.hpp"

namespace cuzk::cli {

namespace {

namespace fil = filecoin;
using C = Bls12_381;
using Fr = C::Fr;
using Clock = std::chrono::steady_clock;

struct Arguments {
    CommonOptions common;
    DeviceOptions device;
    std::string kind = "porep", size;
    std::size_t proofs = 6;
    fil::SimulateOptions simulate;
};

struct Phase {
    const char* name;
    unsigned workers;
    bool narrow_lock;  // a worker has the device for its sums only, not until the proof is verified
    bool compact;  // the device evaluates the rows of a compact witness, and they do not come from the host
    bool pinned_ahead;  // ready rows are pinned before, and copied while those before them are transformed
    bool resident;      // the key stays on the device, whose memory is not limited
    const char* adds;
};

// Each adds to the one before what its name says.
constexpr Phase kPhases[] = {
    {"partitions one by one", 1, false, false, false, false,
     "ready rows by pinned pieces, key from pinned memory"},
    {"two workers, one lock", 2, false, false, false, false, "a lock around the whole proof"},
    {"two workers, narrow lock", 2, true, false, false, false, "finish and verification outside the lock"},
    {"rows pinned and ahead, one worker", 1, true, false, true, false, "copies beside the transforms"},
    {"rows pinned and ahead, two workers", 2, true, false, true, false, "pinning outside the lock"},
    {"compact witness", 2, true, true, true, false, "rows evaluated on the device"},
    {"key in device memory", 2, true, true, true, true, "nothing streamed, no limit"},
};

struct Figures {
    double seconds = 0;                                      // a partition
    double transforms = 0, ones = 0, tails = 0, device = 0;  // ms, medians over proofs
    double busy = 0;  // share of the time in which a stage ran on the device
    u64 bus = 0;      // bytes to the device, a partition
    u64 host = 0, on_device = 0;
};

// Seconds in which at least one of the intervals runs.
double covered_seconds(std::vector<StageInterval> intervals) {
    std::sort(intervals.begin(), intervals.end(),
              [](const StageInterval& a, const StageInterval& b) { return a.begin < b.begin; });
    Clock::duration covered{};
    Clock::time_point end{};
    for (const StageInterval& i : intervals) {
        if (i.end <= end) continue;
        covered += i.end - std::max(i.begin, end);
        end = i.end;
    }
    return std::chrono::duration<double>(covered).count();
}

// Lets VmHWM begin anew, where the kernel allows it.
void reset_peak_memory() {
    std::ofstream("/proc/self/clear_refs") << "5";
}

class Experiment {
public:
    Experiment(const Arguments& args, Progress* progress) : args_(args) {
        const fil::SectorShape shape = fil::sector_shape(fil::parse_sector_size(args.size));
        const fil::CircuitKind kind = fil::circuit_of_name(args.kind);
        circuit_ = std::make_shared<const fil::CompiledCircuit>(kind, shape);
        key_ = development_key(circuit_, args.device.cuda_name(), progress);
        const fil::ProofJob job = fil::prepare(fil::simulate(kind, shape, args.simulate), "simulated");
        partitions_ = job.partitions.size();
        // Two of them, so that consecutive proofs differ: making witnesses is not what is measured here.
        for (std::size_t i = 0; i < std::min<std::size_t>(2, partitions_); ++i)
            witnesses_.push_back(job.witness(i));
    }

    std::size_t partitions() const { return partitions_; }

    Figures run(const Phase& phase) {
        if (phase.compact) rows_.clear();
        for (std::size_t i = rows_.size(); !phase.compact && i < witnesses_.size(); ++i)
            rows_.push_back(circuit_->assignment(witnesses_[i]));
        reset_peak_memory();
        const auto backend = make_backend(phase);
        Prover<C> prover(*backend, key_);
        prove(prover, phase, 0, nullptr);  // the driver loads its code when it is first used

        std::vector<StageLog> logs(args_.proofs);
        std::atomic<std::size_t> next{0};
        std::mutex whole;
        const auto work = [&] {
            for (std::size_t i = next++; i < logs.size(); i = next++) {
                std::unique_lock lock(whole, std::defer_lock);
                if (!phase.narrow_lock) lock.lock();
                prove(prover, phase, i, &logs[i]);
            }
        };
        const auto start = Clock::now();
        std::vector<std::future<void>> workers;
        for (unsigned w = 0; w < phase.workers; ++w) workers.push_back(std::async(std::launch::async, work));
        for (auto& worker : workers) worker.get();
        const double seconds = seconds_since(start);
        return figures(phase, logs, seconds, *backend);
    }

private:
    std::unique_ptr<Backend<C>> make_backend(const Phase& phase) const {
        gpu::BackendOptions options;
        options.resident_keys = phase.resident;
        if (!phase.resident) options.memory_limit = args_.device.memory_limit();
        options.rows_ahead = phase.pinned_ahead;
        if (phase.pinned_ahead) options.pinned_rows_from = 1;
        return gpu::choose_backend<C>(args_.device.device, options);
    }

    void prove(Prover<C>& prover, const Phase& phase, std::size_t i, StageLog* log) const {
        ProveOptions<Fr> options;
        options.monitor.stages = log;
        const std::size_t which = i % witnesses_.size();
        if (phase.compact)
            prover.prove(witnesses_[which], options);
        else
            prover.prove(rows_[which], options);
    }

    Figures figures(const Phase& phase, const std::vector<StageLog>& logs, double seconds,
                    const Backend<C>& backend) const {
        Figures f;
        f.seconds = seconds / static_cast<double>(logs.size());
        std::vector<double> transforms, ones, tails, device;
        std::vector<StageInterval> on_device;
        for (const StageLog& log : logs) {
            for (const StageInterval& i : log.intervals())
                if (i.stage != "verify") on_device.push_back(i);
            const Json summary = device_summary(log);
            if (summary.is_null()) continue;
            transforms.push_back(summary["ntt_msm_h_ms"]);
            ones.push_back(summary["batch_add_ms"]);
            tails.push_back(summary["tail_msm_ms"]);
            device.push_back(summary["gpu_total_ms"]);
        }
        f.transforms = median(transforms);
        f.ones = median(ones);
        f.tails = median(tails);
        f.device = median(device);
        f.busy = covered_seconds(std::move(on_device)) / seconds;
        f.bus =
            phase.compact ? witnesses_[0].bytes() : (rows_[0].z.size() + 3 * rows_[0].a.size()) * sizeof(Fr);
        if (!phase.resident) f.bus += point_bytes(*key_);
        f.host = peak_memory();
        for (const MemoryReport& m : backend.memory())
            if (m.space != "host") f.on_device += m.keys + m.working;
        return f;
    }

    const Arguments& args_;
    std::shared_ptr<const fil::CompiledCircuit> circuit_;
    std::shared_ptr<const ProvingKey<C>> key_;
    std::size_t partitions_ = 0;
    std::vector<fil::CompactWitness> witnesses_;
    std::vector<Assignment<Fr>> rows_;
};

int bench_phases(const Arguments& args) {
    const ThreadLimit limit(args.common.threads);
    args.device.memory_limit();  // a limit that is none should not take a key's time to learn
    auto progress = std::make_unique<TerminalProgress>();
    Experiment experiment(args, progress.get());
    progress.reset();  // what follows has nothing to tell
    const double partitions = static_cast<double>(experiment.partitions());
    Table table({"phase", ">proof", ">partition", ">ntt_msm_h", ">batch_add", ">tail_msm", ">gpu_total",
                 ">busy", ">to device", ">host peak", ">device"});
    Json rows = Json::array();
    for (const Phase& phase : kPhases) {
        const Figures f = experiment.run(phase);
        const auto ms = [](double value) { return fmt::format("{:.1f} ms", value); };
        table.add({phase.name, duration_text(f.seconds * partitions), duration_text(f.seconds),
                   ms(f.transforms), ms(f.ones), ms(f.tails), ms(f.device),
                   fmt::format("{:.1f} %", 100 * f.busy), bytes_text(f.bus), bytes_text(f.host),
                   bytes_text(f.on_device)});
        rows.push_back({{"phase", phase.name},
                        {"adds", phase.adds},
                        {"workers", phase.workers},
                        {"seconds_per_proof", f.seconds * partitions},
                        {"seconds_per_partition", f.seconds},
                        {"ntt_msm_h_ms", f.transforms},
                        {"batch_add_ms", f.ones},
                        {"tail_msm_ms", f.tails},
                        {"gpu_total_ms", f.device},
                        {"gpu_busy", f.busy},
                        {"bytes_to_device", f.bus},
                        {"host_peak_bytes", f.host},
                        {"device_bytes", f.on_device}});
    }
    if (args.common.json)
        fmt::print("{}\n", Json{{"circuit", args.kind},
                                {"sector_size", args.size},
                                {"partitions", experiment.partitions()},
                                {"device", args.device.device},
                                {"proofs", args.proofs},
                                {"threads", thread_count()},
                                {"phases", rows}}
                               .dump(2));
    else
        fmt::print("{}", table.text());
    return 0;
}

}  // namespace

void add_bench_phases(CLI::App& bench, Action& action) {
    auto args = std::make_shared<Arguments>();
    args->device.vram_limit = "16GiB";
    CLI::App* command = bench.add_subcommand(
        "phases",
        "What each mechanism of the pipeline brings: simulated partitions under development parameters");
    add_circuit_option(*command, args->kind)->capture_default_str();
    add_size_option(*command, args->size)->required();
    command->add_option("--proofs", args->proofs, "Proofs of each phase")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    command->add_option("--device", args->device.device, "cpu, cuda, cuda:NUMBER, a UUID, or auto")
        ->capture_default_str();
    command->add_option("--vram-limit", args->device.vram_limit, "Device memory, but in the last phase")
        ->capture_default_str();
    args->common.add_to(*command);
    command->callback([args, &action] { action = [args] { return bench_phases(*args); }; });
}

}  // namespace cuzk::cli
