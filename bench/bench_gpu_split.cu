// One large sum on one device, and shared with the others of the host.
#include <cstdio>
#include <string>
#include <vector>

#include "gpu/shared_sum.cuh"
#include "gpu_bench.hpp"
#include "gpu_sum_inputs.cuh"

namespace cuzk {
namespace {

template <class G>
void report(const gpu::DeviceInfo& home, const std::vector<int>& helpers, unsigned last) {
    gpu::Arena arena(home.index, home.memory / 10 * 7);
    const bench::SumInputs<G> inputs(arena, last);
    for (const unsigned log_size : {20u, 22u, 24u, 26u}) {
        if (log_size > last) break;
        const std::size_t n = std::size_t{1} << log_size;
        const auto sum_alone = [&] {
            return gpu::msm<G>(arena, inputs.bases(n), inputs.uniform(n), inputs.stream());
        };
        const double alone = bench::wall_median_ms(sum_alone);
        for (std::size_t count = 1; count <= helpers.size(); ++count) {
            gpu::SharedSum<G> shared(inputs.bases(n), home.index,
                                     {helpers.begin(), helpers.begin() + static_cast<std::ptrdiff_t>(count)});
            if (shared.helpers() != count)
                throw Error(ErrorKind::kEnvironment, "a helper has no room for its share");
            const auto sum_shared = [&] { return shared(arena, inputs.uniform(n), inputs.stream()); };
            if (!(sum_shared() == sum_alone()))
                throw Error(ErrorKind::kInternal, "the shared sum is another one");
            const double together = bench::wall_median_ms(sum_shared);
            std::printf("| %s | 2^%u | %.2f | %zu | %.2f | %.2f |\n", G::kName, log_size, alone, count + 1,
                        together, alone / together);
            std::fflush(stdout);
        }
    }
}

void run(const gpu::DeviceInfo& home) {
    std::vector<int> helpers;
    for (const gpu::DeviceInfo& device : gpu::list_devices())
        if (device.index != home.index) helpers.push_back(device.index);
    if (helpers.empty())
        throw Error(ErrorKind::kEnvironment, "there is one device only: nothing to share a sum with");
    std::puts("| group | size | one device, ms | devices | together, ms | times as fast |");
    std::puts("|---|---|---|---|---|---|");
    report<Bls12_381G1>(home, helpers, 26);
    report<Bls12_381G2>(home, helpers, 24);
    report<Bn254G1>(home, helpers, 26);
}

}  // namespace
}  // namespace cuzk

int main() {
    return cuzk::bench::on_first_device([&](const cuzk::gpu::DeviceInfo& device) { cuzk::run(device); });
}
