// Pairings, subgroup checks, encodings and single multiplications, a pair or point at a time and in batches.
// items_per_second counts pairs or points.
#include <benchmark/benchmark.h>

#include <vector>

#include "base/random.hpp"
#include "curve/encoding.hpp"
#include "curve/pairing.hpp"
#include "curve/scalar_mul.hpp"
#include "curve/subgroup.hpp"

namespace cuzk {
namespace {

template <class G>
Affine<G> random_point(RandomSource& random) {
    return scalar_mul(Affine<G>::generator(), G::Scalar::random(random).to_int()).to_affine();
}

// Distinct points for the price of an addition each.
template <class G>
std::vector<Affine<G>> many_points(std::size_t n) {
    SeededRandom random(1);
    const auto step = random_point<G>(random);
    std::vector<Jacobian<G>> points{Jacobian<G>::from_affine(random_point<G>(random))};
    while (points.size() < n) points.push_back(points.back() + step);
    points.resize(n);
    return batch_to_affine<G>(points);
}

template <class C>
std::vector<PairingPair<C>> many_pairs(std::size_t n) {
    const auto p = many_points<typename C::G1>(n);
    const auto q = many_points<typename C::G2>(n);
    std::vector<PairingPair<C>> pairs(n);
    for (std::size_t i = 0; i < n; ++i) pairs[i] = {p[i], q[i]};
    return pairs;
}

template <class C>
void pairing_one(benchmark::State& state) {
    const auto pair = many_pairs<C>(1)[0];
    for (auto _ : state) benchmark::DoNotOptimize(pairing<C>(pair.p, pair.q));
}

template <class C>
void miller_loop(benchmark::State& state) {
    const auto pairs = many_pairs<C>(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(multi_miller_loop<C>(pairs));
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

template <class C>
void miller_loop_prepared(benchmark::State& state) {
    const auto pairs = many_pairs<C>(static_cast<std::size_t>(state.range(0)));
    std::vector<G2Prepared<C>> prepared;
    prepared.reserve(pairs.size());
    for (const auto& pair : pairs) prepared.emplace_back(pair.q);
    std::vector<PreparedPair<C>> prepared_pairs;
    prepared_pairs.reserve(pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) prepared_pairs.push_back({pairs[i].p, &prepared[i]});
    for (auto _ : state) benchmark::DoNotOptimize(multi_miller_loop<C>({}, prepared_pairs));
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

template <class C>
void final_exponentiation_one(benchmark::State& state) {
    const auto f = multi_miller_loop<C>(many_pairs<C>(1));
    for (auto _ : state) benchmark::DoNotOptimize(final_exponentiation<C>(f));
}

template <class C>
void prepare_g2(benchmark::State& state) {
    const auto q = many_points<typename C::G2>(1)[0];
    for (auto _ : state) benchmark::DoNotOptimize(G2Prepared<C>(q));
}

template <class G>
void subgroup_one(benchmark::State& state) {
    const auto p = many_points<G>(1)[0];
    for (auto _ : state) benchmark::DoNotOptimize(in_subgroup(p));
}

template <class G>
void find_invalid_many(benchmark::State& state) {
    const auto points = many_points<G>(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) benchmark::DoNotOptimize(find_invalid<G>(AffineView<G>(points)));
    state.SetItemsProcessed(state.iterations() * state.range(0));
}

template <class G>
void decode_compressed_one(benchmark::State& state) {
    const auto checks = static_cast<DecodeChecks>(state.range(0));
    std::vector<u8> bytes(kCompressedBytes<G>);
    encode_compressed(many_points<G>(1)[0], std::span<u8, kCompressedBytes<G>>(bytes));
    Affine<G> p;
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            decode_compressed(std::span<const u8, kCompressedBytes<G>>(bytes), p, checks));
    }
}

template <class G>
void decode_uncompressed_one(benchmark::State& state) {
    const auto checks = static_cast<DecodeChecks>(state.range(0));
    std::vector<u8> bytes(kUncompressedBytes<G>);
    encode_uncompressed(many_points<G>(1)[0], std::span<u8, kUncompressedBytes<G>>(bytes));
    Affine<G> p;
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            decode_uncompressed(std::span<const u8, kUncompressedBytes<G>>(bytes), p, checks));
    }
}

template <class G>
void scalar_mul_one(benchmark::State& state) {
    const auto p = many_points<G>(1)[0];
    SeededRandom random(2);
    const auto k = G::Scalar::random(random).to_int();
    for (auto _ : state) benchmark::DoNotOptimize(scalar_mul(p, k));
}

template <class G>
void double_and_add_one(benchmark::State& state) {
    const auto p = Jacobian<G>::from_affine(many_points<G>(1)[0]);
    SeededRandom random(2);
    const auto k = G::Scalar::random(random).to_int();
    for (auto _ : state) benchmark::DoNotOptimize(p.mul(k));
}

template <class G1>
void short_endomorphism_mul_one(benchmark::State& state) {
    const auto p = many_points<G1>(1)[0];
    for (auto _ : state)
        benchmark::DoNotOptimize(short_endomorphism_mul(p, 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f));
}

#define CUZK_BENCH_CURVE(C)                                                                             \
    BENCHMARK(pairing_one<C>)->Unit(benchmark::kMicrosecond);                                           \
    BENCHMARK(miller_loop<C>)->Arg(1)->Arg(4)->Arg(1000)->UseRealTime()->Unit(benchmark::kMicrosecond); \
    BENCHMARK(miller_loop_prepared<C>)->Arg(1)->Arg(4)->Unit(benchmark::kMicrosecond);                  \
    BENCHMARK(final_exponentiation_one<C>)->Unit(benchmark::kMicrosecond);                              \
    BENCHMARK(prepare_g2<C>)->Unit(benchmark::kMicrosecond);                                            \
    BENCHMARK(short_endomorphism_mul_one<C::G1>)->Unit(benchmark::kMicrosecond)
#define CUZK_BENCH_GROUP(G)                                                                   \
    BENCHMARK(subgroup_one<G>)->Unit(benchmark::kMicrosecond);                                \
    BENCHMARK(find_invalid_many<G>)->Arg(4096)->UseRealTime()->Unit(benchmark::kMicrosecond); \
    BENCHMARK(decode_uncompressed_one<G>)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond);     \
    BENCHMARK(scalar_mul_one<G>)->Unit(benchmark::kMicrosecond);                              \
    BENCHMARK(double_and_add_one<G>)->Unit(benchmark::kMicrosecond)
#define CUZK_BENCH_COMPRESSED(G) \
    BENCHMARK(decode_compressed_one<G>)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond)

CUZK_BENCH_CURVE(Bls12_381);
CUZK_BENCH_CURVE(Bn254);
CUZK_BENCH_GROUP(Bls12_381G1);
CUZK_BENCH_GROUP(Bls12_381G2);
CUZK_BENCH_GROUP(Bn254G1);
CUZK_BENCH_GROUP(Bn254G2);
CUZK_BENCH_COMPRESSED(Bls12_381G1);
CUZK_BENCH_COMPRESSED(Bls12_381G2);

}  // namespace
}  // namespace cuzk

BENCHMARK_MAIN();
