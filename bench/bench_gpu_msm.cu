// Sums of uniform scalars in device memory: median times by size, with their stages.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "base/error.hpp"
#include "gpu/check.hpp"
#include "gpu/msm.hpp"
#include "msm/fixed_base.hpp"

namespace cuzk {
namespace {

constexpr std::size_t kDistinct = std::size_t{1} << 18;

// Distinct points repeated with distinct scalars: equal ones meet in a bucket as seldom as unequal ones.
template <class G>
void report(gpu::Arena& arena, unsigned first, unsigned last, unsigned step) {
    using Fr = typename G::Scalar;
    const gpu::Stream stream;
    SeededRandom random(1);
    std::vector<Fr> logarithms(kDistinct);
    for (auto& k : logarithms) k = Fr::random(random);
    const auto points = fixed_base_mul<G>(Affine<G>::generator(), logarithms);
    const std::size_t most = std::size_t{1} << last;
    const gpu::Arena::Scope scope(arena);
    const auto bases = arena.take<Affine<G>>(most, "bases");
    const auto scalars = arena.take<typename Fr::Int>(most, "scalars");
    std::vector<typename Fr::Int> chunk(kDistinct);
    Fr s = Fr::random(random);
    for (std::size_t done = 0; done < most; done += kDistinct) {
        for (auto& x : chunk) x = (s = s * s + logarithms[done / kDistinct % kDistinct]).montgomery();
        gpu::copy_to_device(bases.data + done, points.data(), kDistinct * sizeof(points[0]), stream);
        gpu::copy_to_device(scalars.data + done, chunk.data(), kDistinct * sizeof(chunk[0]), stream);
        stream.synchronize();
    }
    for (unsigned log_size = first; log_size <= last; log_size += step) {
        const std::size_t n = std::size_t{1} << log_size;
        gpu::MsmReport stages;
        std::vector<double> times;
        for (int i = 0; i < 4; ++i) {
            const auto start = std::chrono::steady_clock::now();
            gpu::msm<G>(arena, {bases.data, n}, {scalars.data, n}, stream, &stages);
            times.push_back(
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
        }
        times.erase(times.begin());  // warms up
        std::sort(times.begin(), times.end());
        std::printf("| %s | 2^%u | %u (%u) | %.2f | %.2f | %.2f | %.2f | %.1f | %.2f | %.1f |\n", G::kName,
                    log_size, stages.windows, stages.windows_at_once, stages.sort, stages.plan, stages.add,
                    stages.reduce, times[1], static_cast<double>(stages.additions) / stages.add * 1e-6,
                    static_cast<double>(stages.scratch) / (1 << 30));
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
    gpu::Arena arena(device.index, device.memory / 10 * 9);
    std::printf("%s\n\n", device.name.c_str());
    std::puts(
        "| group | size | windows (at once) | sort ms | plan ms | add ms | reduce ms | total ms | G "
        "additions/s | arena GiB |");
    std::puts("|---|---|---|---|---|---|---|---|---|---|");
    report<Bls12_381G1>(arena, 20, 26, 2);
    report<Bn254G1>(arena, 20, 26, 2);
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
