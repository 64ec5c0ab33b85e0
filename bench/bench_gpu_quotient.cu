// The quotient of a proof in device memory: median times of its parts by size. With an argument: of 2^argument points alone.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gpu/check.hpp"
#include "gpu/quotient.hpp"
#include "gpu_bench.hpp"

namespace cuzk {
namespace {

template <class Fr>
void report(gpu::Arena& arena, KeyFamily family, unsigned first, unsigned last, unsigned step) {
    const gpu::Stream stream;
    for (unsigned log_domain = first; log_domain <= last; log_domain += step) {
        const gpu::Arena::Scope scope(arena);
        const gpu::DeviceQuotient<Fr> quotient(arena, family, log_domain, stream);
        const auto a = arena.take<Fr>(quotient.domain(), "a");
        const auto b = arena.take<Fr>(quotient.domain(), "b");
        // bytes below 0x30 keep every element below the modulus
        gpu::check(cudaMemsetAsync(a.data, 0x2b, a.size * sizeof(Fr), stream.get()), "cudaMemsetAsync");
        gpu::check(cudaMemsetAsync(b.data, 0x17, b.size * sizeof(Fr), stream.get()), "cudaMemsetAsync");
        quotient.extend(a, stream);  // no longer equal elements
        quotient.extend(b, stream);
        const double extend = bench::median_ms(stream, [&] { quotient.extend(a, stream); });
        const double multiply = bench::median_ms(stream, [&] {
            quotient.multiply(a, {b.data, b.size}, stream);
        });
        const double whole = bench::median_ms(stream, [&] {
            quotient.extend(a, stream);
            quotient.extend_into(a, b, stream);
            quotient.finish(a, b, stream);
        });
        std::printf("| %s | %s | 2^%u | %.3f | %.3f | %.3f | %.1f |\n", Fr::Params::kName,
                    family == KeyFamily::kBellman ? "bellman" : "snarkjs", log_domain, extend, multiply,
                    whole, static_cast<double>(gpu::DeviceQuotient<Fr>::table_bytes(log_domain)) / 1e6);
        std::fflush(stdout);
    }
}

void run(const gpu::DeviceInfo& device, unsigned only) {
    gpu::Arena arena(device.index, std::size_t{9} << 30);
    std::puts("| field | family | domain | to the coset ms | multiply ms | whole quotient ms | tables MB |");
    std::puts("|---|---|---|---|---|---|---|");
    if (only != 0) {
        report<Bls12_381Fr>(arena, KeyFamily::kBellman, only, only, 1);
        return;
    }
    report<Bls12_381Fr>(arena, KeyFamily::kBellman, 20, 27, 1);
    report<Bls12_381Fr>(arena, KeyFamily::kSnarkjs, 26, 26, 1);
    report<Bn254Fr>(arena, KeyFamily::kSnarkjs, 14, 26, 4);
}

}  // namespace
}  // namespace cuzk

int main(int argc, char** argv) {
    return cuzk::bench::on_first_device([&](const cuzk::gpu::DeviceInfo& device) {
        cuzk::run(device, argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 0);
    });
}
