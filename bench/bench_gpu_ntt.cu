// Transforms in device memory: median times by size.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "gpu/check.hpp"
#include "gpu/ntt.hpp"
#include "gpu_bench.hpp"

namespace cuzk {
namespace {

template <class Fr>
void report(gpu::Arena& arena, unsigned first, unsigned last, unsigned step) {
    const gpu::Stream stream;
    for (unsigned log_size = first; log_size <= last; log_size += step) {
        const gpu::Arena::Scope scope(arena);
        gpu::DeviceDomain<Fr> domain(arena, Domain<Fr>::zcash(log_size), stream);
        const auto values = arena.take<Fr>(domain.size(), "values");
        // bytes below 0x30 keep every element below the modulus
        gpu::check(cudaMemsetAsync(values.data, 0x2b, domain.size() * sizeof(Fr), stream.get()),
                   "cudaMemsetAsync");
        const Fr shift = Fr::from_u64(7);
        domain.coset_forward(values, shift, stream);
        const double forward = bench::median_ms(stream, [&] { domain.forward(values, stream); });
        const double inverse = bench::median_ms(stream, [&] { domain.inverse(values, stream); });
        const double coset = bench::median_ms(stream, [&] { domain.coset_forward(values, shift, stream); });
        const double back = bench::median_ms(stream, [&] { domain.coset_inverse(values, shift, stream); });
        const double products = log_size / 2.0 * static_cast<double>(domain.size());
        std::printf("| %s | 2^%u | %.3f | %.3f | %.3f | %.3f | %.1f |\n", Fr::Params::kName, log_size,
                    forward, inverse, coset, back, products / forward * 1e-6);
        std::fflush(stdout);
    }
}

void run(const gpu::DeviceInfo& device) {
    gpu::Arena arena(device.index, std::size_t{8} << 30);
    std::puts(
        "| field | size | forward ms | inverse ms | coset forward ms | coset inverse ms | G butterflies/s |");
    std::puts("|---|---|---|---|---|---|---|");
    report<Bls12_381Fr>(arena, 20, 27, 1);
    report<Bn254Fr>(arena, 20, 26, 2);
}

}  // namespace
}  // namespace cuzk

int main() {
    return cuzk::bench::on_first_device([&](const cuzk::gpu::DeviceInfo& device) { cuzk::run(device); });
}
