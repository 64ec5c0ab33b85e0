// Where the time of a whole proof goes, and what verification costs.
//
//   bench_groth16                           chains of full-width values, domain 2^14, both curves
//   bench_groth16 KEY.zkey WITNESS.wtns     a real circuit
//   bench_groth16 --verify [N]              single against batch verification of N proofs (default 1000)
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "field/cpu.hpp"
#include "formats/wtns.hpp"
#include "formats/zkey.hpp"
#include "groth16/chain_circuit.hpp"
#include "groth16/cpu_backend.hpp"
#include "groth16/memory_sink.hpp"
#include "groth16/prover.hpp"
#include "groth16/setup.hpp"

namespace {

using namespace cuzk;
using Clock = std::chrono::steady_clock;

constexpr int kRuns = 5;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

u64 peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<u64>(usage.ru_maxrss) * 1024;
}

// Stage times of the fastest of several proofs.
template <class C>
void bench_key(const char* what, std::shared_ptr<const ProvingKey<C>> key,
               std::span<const typename C::Fr> z) {
    CpuBackend<C> backend;
    Prover<C> prover(backend, std::move(key), KeyTrust::kAllowForgeable);
    double best = 1e300;
    std::vector<StageInterval> stages;
    for (int i = 0; i < kRuns; ++i) {
        StageLog log;
        ProveOptions<typename C::Fr> options;
        options.monitor.stages = &log;
        const auto start = Clock::now();
        prover.prove(z, options);
        const double seconds = seconds_since(start);
        if (seconds >= best) continue;
        best = seconds;
        stages = log.intervals();
    }
    std::printf("%s, %s: %zu variables, domain 2^%u\n", what, C::kName, prover.key().variables,
                prover.key().log_domain);
    for (const StageInterval& stage : stages)
        std::printf("  %-10s %9.2f ms  %5.1f %%\n", stage.stage.c_str(), stage.milliseconds(),
                    stage.milliseconds() / best / 10);
    const u64 working = backend.memory().at(0).working_peak;
    std::printf("  %-10s %9.2f ms  best of %d; vectors %.1f MiB, process peak %.1f MiB\n", "proof",
                best * 1e3, kRuns, static_cast<double>(working) / (1 << 20),
                static_cast<double>(peak_memory()) / (1 << 20));
}

template <class C>
std::shared_ptr<const ProvingKey<C>> chain_key(const ChainCircuit<typename C::Fr>& chain) {
    MemoryKeySink<C> sink;
    SeededRandom random(u64{1});
    setup<C>(KeyFamily::kSnarkjs, chain.r1cs, random, sink);
    return sink.key();
}

template <class C>
void bench_chain(std::size_t constraints) {
    const auto chain = chain_circuit<typename C::Fr>(constraints);
    bench_key<C>("chain", chain_key<C>(chain), chain.z);
}

template <class C>
void bench_file(ByteSource key, const char* witness) {
    const auto z = read_wtns<C>(ByteSource::open(witness));
    const std::string name = key.name;
    bench_key<C>(
        name.c_str(),
        std::make_shared<const ProvingKey<C>>(read_zkey<C>(std::move(key), {PointChecks::kNone, nullptr})),
        z);
}

template <class C>
void bench_verify(std::size_t count) {
    const auto chain = chain_circuit<typename C::Fr>(14);
    CpuBackend<C> backend;
    Prover<C> prover(backend, chain_key<C>(chain));
    std::vector<Statement<C>> statements;
    const std::vector<typename C::Fr> inputs = {chain.z[1]};
    for (std::size_t i = 0; i < count; ++i) statements.push_back({prover.prove(chain.z), inputs});

    const std::size_t singles = std::min<std::size_t>(count, 100);
    auto start = Clock::now();
    for (std::size_t i = 0; i < singles; ++i)
        if (!prover.verifier().verify(statements[i]))
            throw Error(ErrorKind::kInternal, "a valid proof was refused");
    const double single = seconds_since(start) / static_cast<double>(singles);

    OsRandom random;
    start = Clock::now();
    if (!prover.verifier().verify_all(statements, random))
        throw Error(ErrorKind::kInternal, "a valid batch was refused");
    const double batch = seconds_since(start) / static_cast<double>(count);
    std::printf("verify, %s: single %.3f ms, batch of %zu %.3f ms a proof, ratio %.1f\n", C::kName,
                single * 1e3, count, batch * 1e3, single / batch);
}

int run(int argc, char** argv) {
    std::printf("%s arithmetic, %zu threads\n", std::string(isa_name(active_isa())).c_str(), thread_count());
    if (argc >= 2 && std::strcmp(argv[1], "--verify") == 0) {
        const std::size_t count = argc > 2 ? std::stoul(argv[2]) : 1000;
        bench_verify<Bls12_381>(count);
        bench_verify<Bn254>(count);
        return 0;
    }
    if (argc == 3) {
        ByteSource key = ByteSource::open(argv[1]);
        with_curve(zkey_curve(key), [&](auto c) { bench_file<decltype(c)>(std::move(key), argv[2]); });
        return 0;
    }
    if (argc != 1) {
        std::fprintf(stderr, "usage: bench_groth16 [KEY.zkey WITNESS.wtns | --verify [N]]\n");
        return 2;
    }
    bench_chain<Bls12_381>((std::size_t{1} << 14) - 2);
    bench_chain<Bn254>((std::size_t{1} << 14) - 2);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const Error& error) {
        std::fprintf(stderr, "bench_groth16: %s\n", error.what());
        return exit_code(error.kind());
    }
}
