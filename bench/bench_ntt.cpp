// Transforms on every arithmetic path, one thread unless the name says otherwise, beside a plain loop of
// butterflies on single elements in first-level cache: the best that scalar arithmetic could do if memory and
// ordering cost nothing.
//
// Counters: butterfly = seconds a butterfly (n/2 log2 n of them in a transform); mul/s = multiplications of
// butterflies a second; of_limit = share of the multiply-add instructions the core can start (two a cycle at
// the clock measured here, 84 a vector butterfly; vector path only); GB/s = bytes of the vector, read and
// written once a pass of the transform.
#include <benchmark/benchmark.h>

#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "field/cpu.hpp"
#include "field/measure.hpp"
#include "poly/domain.hpp"
#include "poly/pointwise.hpp"

namespace cuzk {
namespace {

template <class Fr>
std::vector<Fr> values(std::size_t n) {
    std::vector<Fr> v(n);
    Fr x = Fr::from_u64(0x123456789abcdef);
    for (Fr& y : v) {
        y = x;
        x = x.square() + Fr::one();
    }
    return v;
}

enum class Operation : u8 { kForward, kInverse, kCosetForward, kCosetInverse, kToCoset };

template <class Fr>
void transform(benchmark::State& state, Isa isa, Operation operation, unsigned log_size,
               std::size_t threads) {
    const IsaOverride path(isa);
    const ThreadLimit limit(threads);
    const auto domain = Domain<Fr>::snarkjs(log_size);
    const Fr shift = Domain<Fr>::snarkjs_coset_shift(log_size);
    auto v = values<Fr>(domain.size());
    const std::clock_t start = std::clock();  // of the processor: other programs do not count
    for (auto _ : state) {
        switch (operation) {
            case Operation::kForward: domain.forward(v); break;
            case Operation::kInverse: domain.inverse(v); break;
            case Operation::kCosetForward: domain.coset_forward(v, shift); break;
            case Operation::kCosetInverse: domain.coset_inverse(v, shift); break;
            case Operation::kToCoset: domain.to_coset(v, shift); break;
        }
        benchmark::DoNotOptimize(v.data());
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    const double transforms = operation == Operation::kToCoset ? 2 : 1;
    const double butterflies = transforms * static_cast<double>(domain.size() / 2) * log_size;
    const auto iterations = static_cast<double>(state.iterations());
    using benchmark::Counter;
    state.counters["butterfly"] = Counter(iterations * butterflies, Counter::kIsRate | Counter::kInvert);
    state.counters["mul/s"] = Counter(iterations * butterflies, Counter::kIsRate);
    const double passes = log_size > 22 ? 3 : 2;
    const double touched = operation == Operation::kToCoset ? 2 * passes - 1 : passes;
    state.counters["GB/s"] = Counter(
        iterations * touched * 2e-9 * static_cast<double>(domain.size() * sizeof(Fr)), Counter::kIsRate);
    if (isa == Isa::kIfma && threads == 1) {
        static const double ghz = measure_clock_ghz();
        state.counters["of_limit"] = iterations * butterflies * (84.0 / 8) / (2e9 * ghz) / seconds;
    }
}

template <class Fr>
void scalar_butterflies(benchmark::State& state, Isa isa) {
    const IsaOverride path(isa);
    constexpr std::size_t kHalf = 256;
    auto v = values<Fr>(3 * kHalf);
    const Fr* const twiddles = v.data() + 2 * kHalf;
    for (auto _ : state) {
        for (std::size_t i = 0; i < kHalf; ++i) {
            const Fr t = v[i + kHalf] * twiddles[i];
            v[i + kHalf] = v[i] - t;
            v[i] += t;
        }
        benchmark::DoNotOptimize(v.data());
    }
    state.counters["butterfly"] =
        benchmark::Counter(static_cast<double>(state.iterations() * kHalf),
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

template <class Fr>
void multiply_subtract(benchmark::State& state, Isa isa) {
    const IsaOverride path(isa);
    const ThreadLimit limit(1);
    auto a = values<Fr>(std::size_t{1} << 16);
    const auto b = a;
    const auto c = a;
    for (auto _ : state) multiply_subtract_into<Fr>(a, b, c);
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(a.size()));
}

template <class Fr>
void add_benchmarks(const std::string& field) {
    const auto name = [&](const std::string& what, Isa isa) {
        return field + "/" + what + "/" + std::string(isa_name(isa));
    };
    const auto add = [](const std::string& full_name, auto body) {
        benchmark::RegisterBenchmark(full_name.c_str(), body)->Unit(benchmark::kMillisecond);
    };
    const std::pair<Operation, const char*> operations[] = {{Operation::kForward, "forward"},
                                                            {Operation::kInverse, "inverse"},
                                                            {Operation::kCosetForward, "coset_forward"},
                                                            {Operation::kCosetInverse, "coset_inverse"},
                                                            {Operation::kToCoset, "to_coset"}};
    for (const Isa isa : {Isa::kPortable, Isa::kAdx, Isa::kIfma}) {
        if (isa > best_isa()) break;
        if (isa != Isa::kIfma)
            add(name("scalar_butterflies", isa), [isa](auto& state) { scalar_butterflies<Fr>(state, isa); });
        add(name("multiply_subtract/16", isa), [isa](auto& state) { multiply_subtract<Fr>(state, isa); });
        for (const auto& [operation, operation_name] : operations) {
            for (const unsigned log_size : {12U, 16U, 20U, 22U}) {
                if (isa != Isa::kIfma && (log_size == 22 || operation != Operation::kForward)) continue;
                add(name(std::string(operation_name) + "/" + std::to_string(log_size), isa),
                    [=, operation = operation](auto& state) {
                        transform<Fr>(state, isa, operation, log_size, 1);
                    });
            }
        }
    }
    const Isa isa = best_isa();
    add(name("forward/20/all_threads", isa),
        [isa](auto& state) { transform<Fr>(state, isa, Operation::kForward, 20, thread_count()); });
}

}  // namespace
}  // namespace cuzk

int main(int argc, char** argv) {
    cuzk::add_benchmarks<cuzk::Bls12_381Fr>("bls12_381");
    cuzk::add_benchmarks<cuzk::Bn254Fr>("bn254");
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
