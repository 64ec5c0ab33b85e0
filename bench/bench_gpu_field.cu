// Multiplications and squarings a second of the device's field arithmetic, in registers.
#include <cstdio>

#include "field/fp.hpp"
#include "gpu/arena.hpp"
#include "gpu/check.hpp"

namespace cuzk {
namespace {

constexpr int kRounds = 2000;
constexpr int kThreads = 128;

template <class F, bool kSquare>
__global__ void __launch_bounds__(kThreads, 4) chain(F* values, int rounds) {
    F a = values[blockIdx.x * kThreads + threadIdx.x];
    F b = values[blockIdx.x * kThreads + (threadIdx.x ^ 1)];
#pragma unroll 1
    for (int i = 0; i < rounds; ++i) {
        a = kSquare ? a.square() : a * b;
        b = kSquare ? b.square() : b * a;
    }
    values[blockIdx.x * kThreads + threadIdx.x] = a + b;
}

template <class F, bool kSquare>
double rate(const gpu::DeviceInfo& device, int blocks_per_multiprocessor) {
    const int blocks = device.multiprocessors * blocks_per_multiprocessor;
    const std::size_t count = static_cast<std::size_t>(blocks) * kThreads;
    gpu::Arena arena(device.index, count * sizeof(F) + 512);
    const gpu::Stream stream;
    const auto values = arena.take<F>(count, "values");
    gpu::check(cudaMemsetAsync(values.data, 3, count * sizeof(F), stream.get()), "cudaMemsetAsync");
    double best = 0;
    gpu::Event start, end;
    for (int repeat = 0; repeat < 4; ++repeat) {
        start.record(stream);
        chain<F, kSquare><<<blocks, kThreads, 0, stream.get()>>>(values.data, kRounds);
        gpu::check_launch("chain");
        end.record(stream);
        end.synchronize();
        const double operations = 2.0 * kRounds * static_cast<double>(count);
        best = std::max(best, operations / end.milliseconds_since(start) * 1e-6);
    }
    return best;
}

template <class F>
void report(const gpu::DeviceInfo& device) {
    for (const int blocks : {2, 4})
        std::printf("| %s | %d | %.1f | %.1f |\n", F::Params::kName, 4 * blocks,
                    rate<F, false>(device, blocks), rate<F, true>(device, blocks));
}

}  // namespace
}  // namespace cuzk

int main() {
    const auto devices = cuzk::gpu::list_devices();
    if (devices.empty()) {
        std::puts("no CUDA device");
        return 4;
    }
    const auto& device = devices.front();
    const cuzk::gpu::CurrentDevice current(device.index);
    std::printf("%s, %d multiprocessors\n\n", device.name.c_str(), device.multiprocessors);
    std::puts("| field | warps a multiprocessor | G multiplications/s | G squarings/s |");
    std::puts("|---|---|---|---|");
    cuzk::report<cuzk::Bls12_381Fp>(device);
    cuzk::report<cuzk::Bls12_381Fr>(device);
    cuzk::report<cuzk::Bn254Fp>(device);
    cuzk::report<cuzk::Bn254Fr>(device);
}
