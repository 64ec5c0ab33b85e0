// Transforms in device memory: median times by size.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/error.hpp"
#include "gpu/check.hpp"
#include "gpu/ntt.hpp"

namespace cuzk {
namespace {

template <class Work>
double median_ms(const gpu::Stream& stream, const Work& work) {
    work();
    std::vector<double> times;
    gpu::Event start, end;
    for (int i = 0; i < 7; ++i) {
        start.record(stream);
        work();
        end.record(stream);
        end.synchronize();
        times.push_back(end.milliseconds_since(start));
    }
    std::nth_element(times.begin(), times.begin() + 3, times.end());
    return times[3];
}

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
        const double forward = median_ms(stream, [&] { domain.forward(values, stream); });
        const double inverse = median_ms(stream, [&] { domain.inverse(values, stream); });
        const double coset = median_ms(stream, [&] { domain.coset_forward(values, shift, stream); });
        const double back = median_ms(stream, [&] { domain.coset_inverse(values, shift, stream); });
        const double products = log_size / 2.0 * static_cast<double>(domain.size());
        std::printf("| %s | 2^%u | %.3f | %.3f | %.3f | %.3f | %.1f |\n", Fr::Params::kName, log_size,
                    forward, inverse, coset, back, products / forward * 1e-6);
        std::fflush(stdout);
    }
}

int run() {
    const auto devices = gpu::list_devices();
    if (devices.empty()) {
        std::puts("no CUDA device");
        return 4;
    }
    const gpu::DeviceInfo& device = devices.front();
    gpu::Arena arena(device.index, std::size_t{8} << 30);
    std::printf("%s\n\n", device.name.c_str());
    std::puts(
        "| field | size | forward ms | inverse ms | coset forward ms | coset inverse ms | G butterflies/s |");
    std::puts("|---|---|---|---|---|---|---|");
    report<Bls12_381Fr>(arena, 20, 27, 1);
    report<Bn254Fr>(arena, 20, 26, 2);
    return 0;
}

}  // namespace
}  // namespace cuzk

int main() {
    try {
        return cuzk::run();
    } catch (const cuzk::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return cuzk::exit_code(error.kind());
    }
}
