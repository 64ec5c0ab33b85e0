// Sums in device memory: median times by size, with their stages.
//   bench_gpu_msm [GROUP [LOG_SIZE]]   all, or those of "BLS12-381 G1" (one size of them: for a profiler)
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "gpu/msm.hpp"
#include "gpu_bench.hpp"
#include "gpu_sum_inputs.cuh"

namespace cuzk {
namespace {

// `adding`: milliseconds of the stages that the additions are counted in.
void print(const char* group, const std::string& what, unsigned log_size, const gpu::MsmReport& stages,
           double total, double adding) {
    std::printf("| %s | %s | 2^%u | %u (%u) | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", group,
                what.c_str(), log_size, stages.windows, stages.windows_at_once, stages.sort, stages.plan,
                stages.add, stages.reduce, total, static_cast<double>(stages.additions) / adding * 1e-6,
                static_cast<double>(stages.scratch) / (1 << 30));
    std::fflush(stdout);
}

struct Choice {
    std::string group;      // empty: all
    unsigned log_size = 0;  // 0: all

    bool has(const char* name) const { return group.empty() || group == name; }
};

template <class G>
void report_sums(const Choice& choice, gpu::Arena& arena, unsigned last) {
    if (!choice.has(G::kName)) return;
    const gpu::Arena::Scope scope(arena);
    const bench::SumInputs<G> inputs(arena, last);
    for (const unsigned log_size : {17u, 18u, 20u, 22u, 24u, 26u}) {
        if (log_size > last) break;
        if (choice.log_size != 0 && choice.log_size != log_size) continue;
        const std::size_t n = std::size_t{1} << log_size;
        gpu::MsmReport stages;
        double total = bench::wall_median_ms(
            [&] { gpu::msm<G>(arena, inputs.bases(n), inputs.uniform(n), inputs.stream(), &stages); });
        print(G::kName, "uniform", log_size, stages, total, stages.add);
        if (log_size >= 24) {
            const std::size_t room = gpu::msm_scratch_bytes<G>(n);
            gpu::Arena small(arena.device(), room);
            total = bench::wall_median_ms(
                [&] { gpu::msm<G>(small, inputs.bases(n), inputs.uniform(n), inputs.stream(), &stages); });
            print(G::kName, "uniform, less memory", log_size, stages, total, stages.add);
        }
        total = bench::wall_median_ms(
            [&] { gpu::msm<G>(arena, inputs.bases(n), inputs.narrow(n), inputs.stream(), &stages); });
        print(G::kName, "mostly short", log_size, stages, total, stages.add);
        if (log_size >= 20) {
            total = bench::wall_median_ms([&] {
                gpu::sum_points<G>(arena, inputs.bases(n), inputs.entries(n), inputs.stream(), &stages);
            });
            print(G::kName, "list of points", log_size, stages, total, stages.add + stages.reduce);
        }
    }
}

// One small sum alone and five at once, each with a thread, a stream and an arena.
template <class G>
void report_small(gpu::Arena& arena, unsigned log_size) {
    const gpu::Arena::Scope scope(arena);
    const std::size_t n = std::size_t{1} << log_size;
    const bench::SumInputs<G> inputs(arena, log_size);
    gpu::MsmReport stages;
    gpu::msm<G>(arena, inputs.bases(n), inputs.uniform(n), inputs.stream(), &stages);
    gpu::msm<G>(arena, inputs.bases(n), inputs.uniform(n), inputs.stream(), &stages);
    const double alone = bench::wall_median_ms(
        [&] { gpu::msm<G>(arena, inputs.bases(n), inputs.uniform(n), inputs.stream()); });
    print(G::kName, "uniform", log_size, stages, alone, stages.add);
    constexpr int kRounds = 20;
    std::vector<std::thread> threads;
    const auto start = std::chrono::steady_clock::now();
    for (int t = 0; t < 5; ++t)
        threads.emplace_back([&] {
            const gpu::CurrentDevice current(arena.device());
            const gpu::Stream stream;
            gpu::Arena own(arena.device(), gpu::msm_scratch_bytes<G>(n));
            for (int i = 0; i < kRounds; ++i) gpu::msm<G>(own, inputs.bases(n), inputs.uniform(n), stream);
        });
    for (auto& thread : threads) thread.join();
    const double together =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() / kRounds;
    print(G::kName, "five at once", log_size, stages, together, stages.add);
}

void run(const gpu::DeviceInfo& device, const Choice& choice) {
    // A profiler saves all memory that a kernel may write: little where few sizes need it.
    const bool small = choice.log_size != 0 && choice.log_size <= 22;
    gpu::Arena arena(device.index, device.memory / 10 * (small ? 1 : 7));
    std::puts(
        "| group | scalars | size | windows (at once) | sort ms | plan ms | add ms | reduce ms | total ms | "
        "G "
        "additions/s | arena GiB |");
    std::puts("|---|---|---|---|---|---|---|---|---|---|---|");
    for (const unsigned log_size : {10u, 14u, 16u}) {
        if (!choice.group.empty()) break;
        report_small<Bn254G1>(arena, log_size);
        report_small<Bn254G2>(arena, log_size);
        report_small<Bls12_381G1>(arena, log_size);
        report_small<Bls12_381G2>(arena, log_size);
    }
    report_sums<Bls12_381G1>(choice, arena, 26);
    report_sums<Bls12_381G2>(choice, arena, 24);
    report_sums<Bn254G1>(choice, arena, 26);
    report_sums<Bn254G2>(choice, arena, 24);
}

}  // namespace
}  // namespace cuzk

int main(int argc, char** argv) {
    cuzk::Choice choice;
    if (argc > 1) choice.group = argv[1];
    if (argc > 2) choice.log_size = static_cast<unsigned>(std::stoul(argv[2]));
    return cuzk::bench::on_first_device(
        [&](const cuzk::gpu::DeviceInfo& device) { cuzk::run(device, choice); });
}
