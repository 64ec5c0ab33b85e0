// cuzk filecoin bench: proofs of any size without a sealed sector and without parameter files, stage by stage.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>

#include "base/output_file.hpp"
#include "cli/app.hpp"
#include "cli/common.hpp"
#include "cli/development_key.hpp"
#include "cli/device_options.hpp"
#include "cli/table.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/timings.hpp"
#include "filecoin/prove/prove.hpp"
#include "filecoin/simulate/sector.hpp"
#include "gpu/devices.hpp"

namespace cuzk::cli {

namespace {

namespace fil = filecoin;
using C = Bls12_381;
using Clock = std::chrono::steady_clock;

struct Arguments {
    CommonOptions common;
    DeviceOptions device;
    std::string kind = "porep";
    std::string size;
    std::string trace;
    std::size_t proofs = 3;
    fil::SimulateOptions simulate;
};

// Seconds a proof where each device takes the next partition as soon as it is free. `first` is the first device's prover.
double on_all_devices(const Arguments& args, const std::shared_ptr<const ProvingKey<C>>& key,
                      const fil::ProofJob& job, Prover<C>& first) {
    const auto devices = gpu::list_devices();
    std::vector<std::unique_ptr<Backend<C>>> backends;
    std::vector<std::unique_ptr<Prover<C>>> provers;
    for (std::size_t i = 1; i < devices.size(); ++i) {
        backends.push_back(make_backend<C>(args.device.with_device(devices[i].uuid)));
        provers.push_back(std::make_unique<Prover<C>>(*backends.back(), key));
        provers.back()->prove(job.witness(0));  // the driver loads its code when it is first used
    }
    const std::size_t proofs = args.proofs * devices.size();
    std::vector<fil::CompactWitness> witnesses;
    for (std::size_t i = 0; i < job.partitions.size(); ++i) witnesses.push_back(job.witness(i));
    std::atomic<std::size_t> next{0};
    const auto work = [&](Prover<C>& prover) {
        for (std::size_t i = next++; i < proofs; i = next++) prover.prove(witnesses[i % witnesses.size()]);
    };
    const auto start = Clock::now();
    std::vector<std::future<void>> workers;
    for (std::size_t i = 0; i < devices.size(); ++i)
        workers.push_back(std::async(std::launch::async, [&, i] { work(i == 0 ? first : *provers[i - 1]); }));
    for (auto& worker : workers) worker.get();
    return seconds_since(start) / static_cast<double>(proofs);
}

struct Figures {
    double compile = 0, setup = 0, load = 0, prepare = 0;
    std::vector<double> witness, proof;  // of each proof
    double pipeline = 0;                 // a proof, with the next one's witness made meanwhile
    double all_devices = 0;              // a proof, with every device at work; 0 if there is one
};

void print(const Arguments& args, const Figures& f, const StageLog& last, const fil::ProofJob& job,
           const fil::CompiledCircuit& circuit, const std::vector<MemoryReport>& memory,
           const std::string& backend) {
    const double partitions = static_cast<double>(job.partitions.size());
    if (args.common.json) {
        Json spaces = Json::array();
        for (const MemoryReport& m : memory)
            spaces.push_back({{"space", m.space},
                              {"keys", m.keys},
                              {"working", m.working},
                              {"working_peak", m.working_peak},
                              {"streamed", m.streamed}});
        fmt::print("{}\n", Json{{"circuit", args.kind},
                                {"sector_size", job.shape.bytes},
                                {"constraints", circuit.r1cs.constraints},
                                {"backend", backend},
                                {"threads", thread_count()},
                                {"compile_seconds", f.compile},
                                {"setup_seconds", f.setup},
                                {"load_seconds", f.load},
                                {"decode_and_check_seconds", f.prepare},
                                {"witness_seconds", f.witness},
                                {"proof_seconds", f.proof},
                                {"pipelined_seconds_per_proof", f.pipeline},
                                {"pipelined_seconds_per_sector", f.pipeline * partitions},
                                {"all_devices_seconds_per_proof", f.all_devices},
                                {"stages", timings_json(last)},
                                {"device", device_summary(last)},
                                {"host_peak_bytes", peak_memory()},
                                {"memory", spaces}}
                               .dump(2));
        return;
    }
    fmt::print("{}", timings_table(last));
    Table table({fmt::format("{} {} on {}", args.kind, args.size, backend), ">"});
    table.add({"constraints", grouped(circuit.r1cs.constraints)});
    table.add({"compile the circuit", duration_text(f.compile)});
    table.add({"development parameters", duration_text(f.setup)});
    table.add({"load the key", duration_text(f.load)});
    table.add({"decode and check all vanilla proofs", duration_text(f.prepare)});
    table.add({"witness of a partition (median)", duration_text(median(f.witness))});
    table.add({"proof of a partition, verified (median)", duration_text(median(f.proof))});
    table.add({"a partition, witnesses made meanwhile", duration_text(f.pipeline)});
    table.add({fmt::format("a sector: {} partitions", job.partitions.size()),
               duration_text(f.pipeline * partitions)});
    if (f.all_devices != 0) {
        table.add({"a partition, all devices at work", duration_text(f.all_devices)});
        table.add({"throughput, against one device", fmt::format("{:.2f} x", f.pipeline / f.all_devices)});
    }
    table.add({"host memory, peak", bytes_text(peak_memory())});
    for (const MemoryReport& m : memory) {
        table.add({m.space + ", keys", bytes_text(m.keys)});
        table.add({m.space + ", proofs, reserved", bytes_text(m.working)});
        table.add({m.space + ", proofs, peak", bytes_text(m.working_peak)});
        if (m.streamed != 0) table.add({m.space + ", points streamed a proof", bytes_text(m.streamed)});
    }
    fmt::print("{}", table.text());
}

int bench(const Arguments& args) {
    const ThreadLimit limit(args.common.threads);
    const fil::SectorShape shape = fil::sector_shape(fil::parse_sector_size(args.size));
    const fil::CircuitKind kind = fil::circuit_of_name(args.kind);
    TerminalProgress progress;
    Figures f;

    auto start = Clock::now();
    const auto circuit = std::make_shared<const fil::CompiledCircuit>(kind, shape);
    f.compile = seconds_since(start);
    start = Clock::now();
    const auto key = development_key(circuit, args.device.cuda_name(), &progress);
    f.setup = seconds_since(start);
    start = Clock::now();
    const auto backend = make_backend<C>(args.device);
    Prover<C> prover(*backend, key);
    f.load = seconds_since(start);
    const fil::ProofRequest request = fil::simulate(kind, shape, args.simulate);
    start = Clock::now();
    const fil::ProofJob job = fil::prepare(request, "simulated");
    f.prepare = seconds_since(start);

    const auto partition = [&](std::size_t i) { return i % job.partitions.size(); };
    StageLog last;
    for (std::size_t i = 0; i < args.proofs; ++i) {
        start = Clock::now();
        const fil::CompactWitness witness = job.witness(partition(i));
        f.witness.push_back(seconds_since(start));
        StageLog unread;
        ProveOptions<C::Fr> options;
        options.monitor = {i + 1 == args.proofs ? &last : &unread, &progress};
        start = Clock::now();
        prover.prove(witness, options);
        f.proof.push_back(seconds_since(start));
    }
    // Partitions one after the other, as a sector is proved: the next witness is made while the device works.
    std::promise<fil::CompactWitness> first;
    first.set_value(job.witness(0));
    std::future<fil::CompactWitness> next = first.get_future();
    start = Clock::now();
    for (std::size_t i = 0; i < args.proofs; ++i) {
        const fil::CompactWitness witness = next.get();
        if (i + 1 < args.proofs)
            next = std::async(std::launch::async, [&, i] { return job.witness(partition(i + 1)); });
        prover.prove(witness);
    }
    f.pipeline = seconds_since(start) / static_cast<double>(args.proofs);

    if (args.device.device == "cuda:all") f.all_devices = on_all_devices(args, key, job, prover);

    if (!args.trace.empty()) write_file(args.trace, chrome_trace(last));
    print(args, f, last, job, *circuit, backend->memory(), backend->name());
    return 0;
}

}  // namespace

void add_filecoin_bench(CLI::App& group, Action& action) {
    auto args = std::make_shared<Arguments>();
    CLI::App* command = group.add_subcommand("bench",
                                             "Prove simulated partitions under development parameters made "
                                             "in memory, and time each stage; every proof is verified");
    command->add_option("--circuit,--proof", args->kind, "porep, update, window-post or winning-post")
        ->check(CLI::IsMember({"porep", "update", "window-post", "winning-post"}))
        ->capture_default_str();
    command->add_option("--sector-size", args->size, "2KiB, 8MiB, 32GiB, ...")->required();
    command->add_option("--proofs", args->proofs, "Proofs to time")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    command->add_option("--seed", args->simulate.seed, "Equal seeds give equal requests")
        ->capture_default_str();
    command->add_option("--trace", args->trace, "Write the last proof's stages as a trace for Perfetto");
    args->device.add_to(*command);
    command->get_option("--device")
        ->description("cpu, cuda, cuda:NUMBER, a UUID, auto; cuda:all also measures every device together");
    args->common.add_to(*command);
    command->callback([args, &action] { action = [args] { return bench(*args); }; });
}

}  // namespace cuzk::cli
