// Sparse products and the satisfaction check on a system shaped like compiled circuits: 3 terms a row, two
// thirds of the coefficients 1 or -1, most variables near the row. items_per_second counts entries.
#include <benchmark/benchmark.h>

#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "r1cs/matrix_builder.hpp"
#include "r1cs/r1cs.hpp"

namespace cuzk {
namespace {

constexpr u32 kRows = u32{1} << 18;

template <class Fr>
SparseMatrix<Fr> banded_matrix() {
    MatrixBuilder<Fr> builder(kRows);
    u32 random = 1;
    const auto next = [&random] { return random = random * 1664525 + 1013904223; };
    for (u32 row = 0; row < kRows; ++row) {
        for (int i = 0; i < 3; ++i) {
            const u32 column = next() % 8 == 0 ? (next() >> 8) % kRows : (row + (next() >> 8) % 64) % kRows;
            const u32 kind = (next() >> 8) % 3;
            builder.add_term(column, kind == 0   ? Fr::one()
                                     : kind == 1 ? -Fr::one()
                                                 : Fr::from_u64(2 + (next() >> 24)));
        }
        builder.end_row();
    }
    return std::move(builder).finish();
}

// Full-width values, or the zeros and ones of a hash circuit's witness.
template <class Fr>
std::vector<Fr> witness(bool bits) {
    std::vector<Fr> z(kRows);
    Fr x = Fr::from_u64(3);
    for (Fr& y : z) {
        y = bits ? Fr::from_u64(x.montgomery().limb[0] & 1) : x;
        x = x.square() + Fr::one();
    }
    return z;
}

template <class Fr>
void multiply(benchmark::State& state) {
    const ThreadLimit limit(static_cast<std::size_t>(state.range(1)));
    const auto m = banded_matrix<Fr>();
    const auto z = witness<Fr>(state.range(0) != 0);
    std::vector<Fr> out(kRows);
    for (auto _ : state) {
        m.multiply(z, out);
        benchmark::DoNotOptimize(out.data());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(m.nonzeros()));
    state.counters["bytes/entry"] = static_cast<double>(m.memory_bytes()) / static_cast<double>(m.nonzeros());
}

template <class Fr>
void multiply_transposed(benchmark::State& state) {
    const ThreadLimit limit(1);
    const auto m = banded_matrix<Fr>();
    const auto x = witness<Fr>(false);
    std::vector<Fr> out(kRows);
    for (auto _ : state) m.multiply_transposed(x, out);
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(m.nonzeros()));
}

template <class Fr>
void build(benchmark::State& state) {
    std::size_t entries = 0;
    for (auto _ : state) entries += banded_matrix<Fr>().nonzeros();
    state.SetItemsProcessed(static_cast<std::int64_t>(entries));
}

// (A z)(B z) = C z holds for C = 0 and B = 0: every row is looked at.
template <class Fr>
void first_violation(benchmark::State& state) {
    const ThreadLimit limit(1);
    R1cs<Fr> r1cs;
    r1cs.variables = kRows;
    r1cs.a = banded_matrix<Fr>();
    for (auto* m : {&r1cs.b, &r1cs.c}) {
        MatrixBuilder<Fr> zero(kRows);
        for (u32 row = 0; row < kRows; ++row) zero.end_row();
        *m = std::move(zero).finish();
    }
    const auto z = witness<Fr>(false);
    for (auto _ : state) benchmark::DoNotOptimize(r1cs.first_violation(z));
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(r1cs.a.nonzeros()));
}

#define CUZK_R1CS_BENCHMARKS(Fr)                                       \
    BENCHMARK(multiply<Fr>)                                            \
        ->ArgNames({"bits", "threads"})                                \
        ->ArgsProduct({{0, 1}, {1, 2}})                                \
        ->Unit(benchmark::kMillisecond);                               \
    BENCHMARK(multiply_transposed<Fr>)->Unit(benchmark::kMillisecond); \
    BENCHMARK(build<Fr>)->Unit(benchmark::kMillisecond);               \
    BENCHMARK(first_violation<Fr>)->Unit(benchmark::kMillisecond);
CUZK_R1CS_BENCHMARKS(Bls12_381Fr)
CUZK_R1CS_BENCHMARKS(Bn254Fr)

}  // namespace
}  // namespace cuzk

BENCHMARK_MAIN();
