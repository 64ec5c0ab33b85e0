// Multi-scalar multiplication by group, size, path and kind of scalars; and fixed-base multiplication.
//
// Times are processor time of the whole process on one thread, so that other programs do not count;
// --threads=N measures the wall clock on N threads instead. `add` is the time of one addition (for full-width
// scalars, by the estimate that chooses the windows), `limit` the share of the multipliers' limit in it: an
// affine addition in a batch takes 5M + 1S on G1, 13M + 2S in the prime field on G2.
#include <benchmark/benchmark.h>

#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/parallel.hpp"
#include "field/measure.hpp"
#include "msm/fixed_base.hpp"
#include "msm/msm.hpp"
#include "msm/window_choice.hpp"

namespace {

using namespace cuzk;

std::size_t threads = 1;

enum class Mix { kUniform, kBits };

template <class G>
struct Input {
    std::vector<Affine<G>> bases;
    std::vector<typename G::Scalar::Int> uniform;
    std::vector<typename G::Scalar::Int> bits;  // 99 % zeros and ones, as the witness of a hash circuit has
};

template <class G>
const Input<G>& input(std::size_t n) {
    static Input<G> in;
    if (in.bases.size() < n) {
        SeededRandom random(1);
        std::vector<typename G::Scalar> logarithms(n);
        in.uniform.resize(n);
        in.bits.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            logarithms[i] = G::Scalar::random(random);
            in.uniform[i] = G::Scalar::random(random).to_int();
            in.bits[i] = i % 100 == 0 ? in.uniform[i] : G::Scalar::Int::from_u64(in.uniform[i].limb[0] & 1);
        }
        in.bases = fixed_base_mul<G>(Affine<G>::generator(), logarithms);
    }
    return in;
}

template <class F>
struct PrimeField;
template <class P>
struct PrimeField<Fp<P>> {
    using Params = P;
    static constexpr std::size_t kProducts = 5, kSquares = 1;
};
template <class P>
struct PrimeField<Fp2<Fp<P>>> {
    using Params = P;
    static constexpr std::size_t kProducts = 13, kSquares = 2;
};

// Share of the multipliers' limit that `additions` in `seconds` reach.
template <class G>
double share_of_limit(Isa isa, double additions, double seconds) {
    using Prime = PrimeField<typename G::Field>;
    static const double ghz = measure_clock_ghz();
    const double lanes = isa == Isa::kIfma ? 8 : 1;
    const double a_second = ghz * 1e9 * (isa == Isa::kIfma ? 2 : 1);
    const double work = static_cast<double>(
        Prime::kProducts * multiplications<typename Prime::Params>(isa, FieldOperation::kMul) +
        Prime::kSquares * multiplications<typename Prime::Params>(isa, FieldOperation::kSqr));
    return additions * work / lanes / a_second / seconds;
}

template <class G>
void run_sum(benchmark::State& state, Isa isa, Mix mix) {
    const std::size_t n = std::size_t{1} << state.range(0);
    const Input<G>& in = input<G>(n);
    const AffineView<G> bases(std::span<const Affine<G>>(in.bases).first(n));
    const auto scalars = std::span(mix == Mix::kUniform ? in.uniform : in.bits).first(n);
    const IsaOverride path(isa);
    const ThreadLimit limit(threads);
    const std::clock_t start = std::clock();
    for (auto _ : state) benchmark::DoNotOptimize(msm<G>(bases, scalars));
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    using benchmark::Counter;
    const auto sums = static_cast<double>(state.iterations());
    state.counters["point"] = Counter(sums * static_cast<double>(n), Counter::kIsRate | Counter::kInvert);
    if (mix != Mix::kUniform || threads != 1) return;
    const auto windows = choose_windows<typename G::Scalar>(n, G::Scalar::Constants::kHalf);
    const double additions = sums * estimated_additions(n, windows);
    state.counters["window"] = windows.width();
    state.counters["add"] = Counter(additions, Counter::kIsRate | Counter::kInvert);
    state.counters["limit"] = share_of_limit<G>(isa, additions, seconds);
}

template <class G>
void run_fixed_base(benchmark::State& state, Isa isa) {
    const std::size_t n = std::size_t{1} << state.range(0);
    SeededRandom random(2);
    std::vector<typename G::Scalar> scalars(n);
    for (auto& s : scalars) s = G::Scalar::random(random);
    std::vector<Affine<G>> out(n);
    const IsaOverride path(isa);
    const ThreadLimit limit(threads);
    for (auto _ : state) fixed_base_mul<G>(Affine<G>::generator(), scalars, out);
    using benchmark::Counter;
    state.counters["point"] =
        Counter(static_cast<double>(state.iterations() * n), Counter::kIsRate | Counter::kInvert);
}

template <class G>
void add_group() {
    const auto add = [](const std::string& name, auto function, auto... arguments) {
        auto* b = benchmark::RegisterBenchmark(name.c_str(), function, arguments...);
        b->Unit(benchmark::kMillisecond)->MinTime(0.2);
        if (threads != 1)
            b->UseRealTime();
        else
            b->MeasureProcessCPUTime();
        return b;
    };
    for (const Isa isa : {Isa::kPortable, Isa::kAdx, Isa::kIfma}) {
        if (isa > best_isa()) continue;
        const std::string path = "/" + std::string(isa_name(isa));
        add(G::kName + path + "/uniform", run_sum<G>, isa, Mix::kUniform)->DenseRange(10, 20, 2);
        add(G::kName + path + "/bits", run_sum<G>, isa, Mix::kBits)->DenseRange(16, 20, 4);
        add(G::kName + path + "/fixed base", run_fixed_base<G>, isa)->DenseRange(12, 18, 6);
    }
}

}  // namespace

int main(int argc, char** argv) {
    constexpr std::string_view kThreads = "--threads=";
    if (argc > 1 && std::string_view(argv[1]).starts_with(kThreads)) {
        threads = std::stoul(argv[1] + kThreads.size());
        argv[1] = argv[0];
        ++argv;
        --argc;
    }
    benchmark::Initialize(&argc, argv);
    add_group<Bls12_381G1>();
    add_group<Bls12_381G2>();
    add_group<Bn254G1>();
    add_group<Bn254G2>();
    benchmark::RunSpecifiedBenchmarks();
}
