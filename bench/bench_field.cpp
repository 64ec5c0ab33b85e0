// Field arithmetic by path: throughput on independent operands, latency in a chain. Time is per element, except that a
// chained vector operation counts once for its 8 elements. `limit` is the share of the multiplier's limit.
#include <benchmark/benchmark.h>

#include <ctime>
#include <string>

#include "field/measure.hpp"
#include "field/params.hpp"

namespace {

using namespace cuzk;

template <class P>
void run(benchmark::State& state, Isa isa, FieldOperation operation, bool chained) {
    constexpr std::size_t kBlock = 512;
    const std::size_t elements = isa == Isa::kIfma && !chained ? 8 : 1;
    const std::clock_t start = std::clock();  // of the processor: other programs do not count
    for (auto _ : state) repeat_field_operation<P>(isa, operation, chained, kBlock);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    const double operations = static_cast<double>(state.iterations()) * kBlock;
    using benchmark::Counter;
    state.counters["each"] =
        Counter(operations * static_cast<double>(elements), Counter::kIsRate | Counter::kInvert);
    if (const std::size_t work = multiplications<P>(isa, operation); work != 0 && !chained) {
        static const double ghz = measure_clock_ghz();
        const double a_second = ghz * 1e9 * (isa == Isa::kIfma ? 2 : 1);
        state.counters["limit"] = operations * static_cast<double>(work) / a_second / seconds;
    }
}

template <class P>
void add_field() {
    for (FieldOperation operation :
         {FieldOperation::kAdd, FieldOperation::kMul, FieldOperation::kSqr, FieldOperation::kInverse})
        for (Isa isa : {Isa::kPortable, Isa::kAdx, Isa::kIfma})
            for (bool chained : {false, true}) {
                if (isa > best_isa()) continue;
                const std::string name = std::string(P::kName) + "/" +
                                         std::string(operation_name(operation)) + "/" +
                                         std::string(isa_name(isa)) + (chained ? "/latency" : "/throughput");
                benchmark::RegisterBenchmark(name.c_str(), run<P>, isa, operation, chained)
                    ->MinTime(0.05)
                    ->Unit(benchmark::kMicrosecond);
            }
}

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    add_field<Bls12_381FrParams>();
    add_field<Bls12_381FpParams>();
    add_field<Bn254FrParams>();
    add_field<Bn254FpParams>();
    benchmark::RunSpecifiedBenchmarks();
}
