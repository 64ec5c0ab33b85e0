// cuzk bench: how fast this machine is at what proofs are made of.
#include <fmt/core.h>

#include <chrono>

#include "cli/app.hpp"
#include "cli/common.hpp"
#include "cli/table.hpp"
#include "cli/terminal_progress.hpp"
#include "field/cpu.hpp"
#include "groth16/chain_circuit.hpp"
#include "groth16/cpu_backend.hpp"
#include "groth16/memory_sink.hpp"
#include "groth16/prover.hpp"
#include "groth16/setup.hpp"
#include "msm/fixed_base.hpp"
#include "msm/msm.hpp"
#include "poly/domain.hpp"

namespace cuzk::cli {

namespace {

struct BenchArguments {
    CommonOptions common;
    std::string what = "all";
    unsigned log_size = 16;
};

struct Result {
    std::string name, curve;
    double seconds = 0;
    double items = 0;  // done in that time
    std::string unit;
};

// Best of several runs: at least three, more while they take under half a second together.
template <class Run>
double best_seconds(const Run& run) {
    double best = 1e300;
    double spent = 0;
    for (int i = 0; i < 3 || (spent < 0.5 && i < 1000); ++i) {
        const auto start = std::chrono::steady_clock::now();
        run();
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        best = std::min(best, seconds);
        spent += seconds;
    }
    return best;
}

template <class F>
Result bench_product(const char* curve) {
    SeededRandom random(u64{1});
    F x = F::random(random);
    const F y = F::random(random);
    constexpr std::size_t kProducts = 1 << 20;
    const double seconds = best_seconds([&] {
        for (std::size_t i = 0; i < kProducts; ++i) x *= y;
    });
    // Uses the result, so that the loop stays.
    return {x.is_zero() ? "" : fmt::format("product in {}", F::Params::kName), curve, seconds, kProducts,
            "products/s, one thread"};
}

template <class Fr>
std::vector<Fr> random_scalars(std::size_t n) {
    SeededRandom random(u64{2});
    std::vector<Fr> values(n);
    for (Fr& x : values) x = Fr::random(random);
    return values;
}

template <class C>
Result bench_ntt(unsigned log_size) {
    const auto domain = Domain<typename C::Fr>::snarkjs(log_size);
    std::vector<typename C::Fr> values = random_scalars<typename C::Fr>(domain.size());
    const double seconds = best_seconds([&] { domain.forward(values); });
    return {fmt::format("NTT 2^{}", log_size), C::kName, seconds,
            static_cast<double>(domain.size()) * log_size / 2, "butterflies/s"};
}

template <class C, class G>
Result bench_msm(unsigned log_size, const char* group) {
    const std::size_t n = std::size_t{1} << log_size;
    const auto scalars = random_scalars<typename C::Fr>(n);
    const std::vector<Affine<G>> bases = fixed_base_mul<G>(Affine<G>::generator(), scalars);
    std::vector<typename C::Fr::Int> integers(n);
    for (std::size_t i = 0; i < n; ++i) integers[i] = scalars[n - 1 - i].to_int();
    const double seconds =
        best_seconds([&] { msm<G>(AffineView<G>(std::span<const Affine<G>>(bases)), integers); });
    return {fmt::format("MSM {} 2^{}", group, log_size), C::kName, seconds, static_cast<double>(n),
            "points/s"};
}

template <class C>
Result bench_prove(unsigned log_size, Progress& progress) {
    using Fr = typename C::Fr;
    const auto chain = chain_circuit<Fr>((std::size_t{1} << log_size) - 2);
    MemoryKeySink<C> sink;
    SeededRandom random(u64{3});
    setup<C>(KeyFamily::kSnarkjs, chain.r1cs, random, sink, &progress);
    CpuBackend<C> backend;
    Prover<C> prover(backend, sink.key());
    const double seconds = best_seconds([&] { prover.prove(chain.z); });
    return {fmt::format("proof, domain 2^{}", log_size), C::kName, seconds,
            static_cast<double>(chain.z.size() - 2), "constraints/s"};
}

template <class C>
void bench_curve(const BenchArguments& args, Progress& progress, std::vector<Result>& results) {
    const auto wants = [&](const char* what) {
        const bool wanted = args.what == "all" || args.what == what;
        if (wanted) progress.report(fmt::format("{} on {}", what, C::kName), 0, 0);
        return wanted;
    };
    if (wants("field")) {
        results.push_back(bench_product<typename C::Fr>(C::kName));
        results.push_back(bench_product<typename C::Fp>(C::kName));
    }
    if (wants("ntt")) results.push_back(bench_ntt<C>(args.log_size));
    if (wants("msm")) {
        results.push_back(bench_msm<C, typename C::G1>(args.log_size, "G1"));
        results.push_back(bench_msm<C, typename C::G2>(args.log_size, "G2"));
    }
    if (wants("prove")) results.push_back(bench_prove<C>(args.log_size, progress));
}

int bench(const BenchArguments& args) {
    const ThreadLimit limit(args.common.threads);
    std::vector<Result> results;
    {
        TerminalProgress progress;
        bench_curve<Bls12_381>(args, progress, results);
        bench_curve<Bn254>(args, progress, results);
    }
    const std::string path(isa_name(active_isa()));
    if (args.common.json) {
        Json list = Json::array();
        for (const Result& r : results)
            list.push_back({{"name", r.name},
                            {"curve", r.curve},
                            {"seconds", r.seconds},
                            {"rate", r.items / r.seconds},
                            {"unit", r.unit}});
        fmt::print(
            "{}\n",
            Json{{"version", kVersion}, {"isa", path}, {"threads", thread_count()}, {"results", list}}.dump(
                2));
        return 0;
    }
    Table table({"what", "curve", ">time", ">rate", "unit"});
    for (const Result& r : results)
        table.add({r.name, r.curve, duration_text(r.seconds),
                   fmt::format("{:.3g} M", r.items / r.seconds / 1e6), r.unit});
    fmt::print("cuzk {}, {} arithmetic, {} threads\n{}", kVersion, path, thread_count(), table.text());
    return 0;
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
    auto args = std::make_shared<BenchArguments>();
    CLI::App* command = app.add_subcommand(
        "bench", "Measure field products, transforms, multi-scalar multiplication, proofs.");
    command->add_option("what", args->what, "field, ntt, msm, prove or all")
        ->check(CLI::IsMember({"all", "field", "ntt", "msm", "prove"}));
    command->add_option("--log-size", args->log_size, "Sizes are 2^this (default 16)")
        ->check(CLI::Range(2, 24));
    args->common.add_to(*command);
    add_bench_phases(*command, action);
    command->callback([command, args, &action] {
        if (command->get_subcommands().empty()) action = [args] { return bench(*args); };
    });
}

}  // namespace cuzk::cli
