// Sums in device memory: median times by size, with their stages.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "gpu/check.hpp"
#include "gpu/msm.hpp"
#include "gpu/msm_adder.cuh"
#include "gpu_bench.hpp"
#include "msm/fixed_base.hpp"

namespace cuzk {
namespace {

constexpr std::size_t kUploaded = std::size_t{1} << 16;  // values made on the host at a time

// Milliseconds of work(): median of three after one that warms up.
template <class Work>
double median_ms(const Work& work) {
    std::vector<double> times;
    for (int i = 0; i < 4; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        times.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin() + 1, times.end());
    return times[2];
}

// `adding`: milliseconds of the stages that the additions are counted in.
void print(const char* group, const std::string& what, unsigned log_size, const gpu::MsmReport& stages,
           double total, double adding) {
    std::printf("| %s | %s | 2^%u | %u (%u) | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", group,
                what.c_str(), log_size, stages.windows, stages.windows_at_once, stages.sort, stages.plan,
                stages.add, stages.reduce, total, static_cast<double>(stages.additions) / adding * 1e-6,
                static_cast<double>(stages.scratch) / (1 << 30));
    std::fflush(stdout);
}

// Sums of a point of one table and one of another: many distinct points from few.
template <class G>
struct CombinedTables {
    static constexpr u32 kBits = 13;  // of each table's size
    const Affine<G>* tables;
    Affine<G>* out;

    __device__ __forceinline__ uint2 pair(u32 p) const {
        return make_uint2(p & ((1u << kBits) - 1), (1u << kBits) + (p >> kBits));
    }
    __device__ __forceinline__ const Affine<G>* point(u32 entry) const { return tables + entry; }
    __device__ __forceinline__ Affine<G>* target(u32 p) const { return out + p; }
};

// Inputs of 2^last <= 2^26 terms, all distinct.
template <class G>
class Inputs {
public:
    using Fr = typename G::Scalar;
    using Int = typename Fr::Int;

    Inputs(gpu::Arena& arena, unsigned last) : most_(std::size_t{1} << last) {
        SeededRandom random(1);
        std::vector<Fr> logarithms(kUploaded);
        for (auto& k : logarithms) k = Fr::random(random);
        const std::span<const Fr> few(logarithms.data(), std::size_t{2} << CombinedTables<G>::kBits);
        const auto points = fixed_base_mul<G>(Affine<G>::generator(), few);
        bases_ = arena.take<Affine<G>>(most_, "bases");
        {
            const gpu::Arena::Scope scope(arena);
            const auto tables = arena.take<Affine<G>>(points.size(), "tables of points");
            gpu::copy_to_device(tables.data, points.data(), points.size() * sizeof(points[0]), stream_);
            gpu::Adder<G> add(arena, stream_);
            add(CombinedTables<G>{tables.data, bases_.data}, most_, add.take_prefixes(most_));
            stream_.synchronize();
        }
        uniform_ = arena.take<Int>(most_, "scalars");
        short_ = arena.take<Int>(most_, "scalars");
        entries_ = arena.take<u32>(most_, "entries");
        std::vector<Int> uniform(kUploaded), narrow(kUploaded);
        std::vector<u32> entries(kUploaded);
        Fr s = Fr::random(random);
        for (std::size_t done = 0; done < most_; done += kUploaded) {
            const std::size_t count = std::min(kUploaded, most_ - done);
            for (std::size_t i = 0; i < count; ++i) {
                s = s * s + logarithms[i];
                uniform[i] = s.montgomery();
                // As circom's witnesses: mostly bits and words.
                const u64 word = s.montgomery().limb[0];
                narrow[i] = i % 16 == 0 ? s.montgomery()
                                        : Int::from_u64(i % 4 == 1   ? word
                                                        : i % 4 == 2 ? word >> 32
                                                                     : word & 1);
                entries[i] = static_cast<u32>(done + i);
            }
            const auto copy = [&](auto* to, const auto& from) {
                gpu::copy_to_device(to + done, from.data(), count * sizeof(from[0]), stream_);
            };
            copy(uniform_.data, uniform);
            copy(short_.data, narrow);
            copy(entries_.data, entries);
            stream_.synchronize();
        }
    }

    gpu::DeviceSpan<const Affine<G>> bases(std::size_t n) const { return {bases_.data, n}; }
    gpu::DeviceSpan<const Int> uniform(std::size_t n) const { return {uniform_.data, n}; }
    gpu::DeviceSpan<const Int> narrow(std::size_t n) const { return {short_.data, n}; }
    gpu::DeviceSpan<const u32> entries(std::size_t n) const { return {entries_.data, n}; }
    const gpu::Stream& stream() const { return stream_; }

private:
    std::size_t most_;
    gpu::Stream stream_;
    gpu::DeviceSpan<Affine<G>> bases_;
    gpu::DeviceSpan<Int> uniform_, short_;
    gpu::DeviceSpan<u32> entries_;
};

template <class G>
void report_sums(gpu::Arena& arena, unsigned last) {
    const gpu::Arena::Scope scope(arena);
    const Inputs<G> inputs(arena, last);
    for (const unsigned log_size : {17u, 18u, 20u, 22u, 24u, 26u}) {
        if (log_size > last) break;
        const std::size_t n = std::size_t{1} << log_size;
        gpu::MsmReport stages;
        double total = median_ms(
            [&] { gpu::msm<G>(arena, inputs.bases(n), inputs.uniform(n), inputs.stream(), &stages); });
        print(G::kName, "uniform", log_size, stages, total, stages.add);
        if (log_size >= 24) {
            const std::size_t room = gpu::msm_scratch_bytes<G>(n);
            gpu::Arena small(arena.device(), room);
            total = median_ms(
                [&] { gpu::msm<G>(small, inputs.bases(n), inputs.uniform(n), inputs.stream(), &stages); });
            print(G::kName, "uniform, less memory", log_size, stages, total, stages.add);
        }
        total = median_ms(
            [&] { gpu::msm<G>(arena, inputs.bases(n), inputs.narrow(n), inputs.stream(), &stages); });
        print(G::kName, "mostly short", log_size, stages, total, stages.add);
        if (log_size >= 20) {
            total = median_ms([&] {
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
    const Inputs<G> inputs(arena, log_size);
    gpu::MsmReport stages;
    gpu::msm<G>(arena, inputs.bases(n), inputs.uniform(n), inputs.stream(), &stages);
    gpu::msm<G>(arena, inputs.bases(n), inputs.uniform(n), inputs.stream(), &stages);
    const double alone =
        median_ms([&] { gpu::msm<G>(arena, inputs.bases(n), inputs.uniform(n), inputs.stream()); });
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

void run(const gpu::DeviceInfo& device) {
    gpu::Arena arena(device.index, device.memory / 10 * 7);
    std::puts(
        "| group | scalars | size | windows (at once) | sort ms | plan ms | add ms | reduce ms | total ms | "
        "G "
        "additions/s | arena GiB |");
    std::puts("|---|---|---|---|---|---|---|---|---|---|---|");
    for (const unsigned log_size : {10u, 14u, 16u}) {
        report_small<Bn254G1>(arena, log_size);
        report_small<Bn254G2>(arena, log_size);
        report_small<Bls12_381G1>(arena, log_size);
        report_small<Bls12_381G2>(arena, log_size);
    }
    report_sums<Bls12_381G1>(arena, 26);
    report_sums<Bls12_381G2>(arena, 24);
    report_sums<Bn254G1>(arena, 26);
    report_sums<Bn254G2>(arena, 24);
}

}  // namespace
}  // namespace cuzk

int main() {
    return cuzk::bench::on_first_device([&](const cuzk::gpu::DeviceInfo& device) { cuzk::run(device); });
}
