// Multiples of one point in device memory: rates by group and size.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "gpu/check.hpp"
#include "gpu/fixed_base.hpp"
#include "gpu_bench.hpp"

namespace cuzk {
namespace {

template <class G>
void report(gpu::Arena& arena, const char* name, unsigned last) {
    const gpu::Stream stream;
    for (unsigned log_count = 20; log_count <= last; log_count += 2) {
        const gpu::Arena::Scope scope(arena);
        const std::size_t count = std::size_t{1} << log_count;
        gpu::Event start, made, end;
        start.record(stream);
        const gpu::DeviceFixedBase<G> multiples(arena, Affine<G>::generator(), count, stream);
        made.record(stream);
        const auto scalars = arena.take<typename G::Scalar>(count, "scalars");
        const auto points = arena.take<Affine<G>>(count, "points");
        std::vector<typename G::Scalar> values(count);
        SeededRandom random(log_count);
        typename G::Scalar x = G::Scalar::random(random);
        for (auto& value : values) value = x = x.square() + G::Scalar::one();
        double best = 1e30;
        for (int i = 0; i < 3; ++i) {
            gpu::copy_to_device(scalars.data, values.data(), count * sizeof(x), stream);
            gpu::Event begin;
            begin.record(stream);
            multiples.multiply(arena, scalars, points, stream);
            end.record(stream);
            end.synchronize();
            best = std::min<double>(best, end.milliseconds_since(begin));
        }
        std::printf("| %s | 2^%u | %.2f | %.2f | %.1f |\n", name, log_count, made.milliseconds_since(start),
                    best, static_cast<double>(count) / best * 1e-3);
        std::fflush(stdout);
    }
}

void run(const gpu::DeviceInfo& device) {
    gpu::Arena arena(device.index, std::size_t{16} << 30);
    std::puts("| group | points | table ms | products ms | M points/s |");
    std::puts("|---|---|---|---|---|");
    report<Bls12_381G1>(arena, "BLS12-381 G1", 26);
    report<Bls12_381G2>(arena, "BLS12-381 G2", 24);
    report<Bn254G1>(arena, "BN254 G1", 26);
    report<Bn254G2>(arena, "BN254 G2", 24);
}

}  // namespace
}  // namespace cuzk

int main() {
    return cuzk::bench::on_first_device([&](const cuzk::gpu::DeviceInfo& device) { cuzk::run(device); });
}
