// Device sums in tests: points and scalars go up, the sum comes back.
#pragma once

#include "gpu/device_test.hpp"
#include "gpu/msm.hpp"
#include "msm/msm_cases.hpp"

namespace cuzk::testing_gpu {

using Groups = testing::Types<Bls12_381G1, Bls12_381G2, Bn254G1, Bn254G2>;

template <class G>
class MsmDeviceTest : public DeviceTest {
protected:
    using Fr = typename G::Scalar;
    using Int = typename Fr::Int;

    template <class T>
    gpu::DeviceSpan<const T> upload_constant(const std::vector<T>& values) {
        const auto span = upload(values);
        return {span.data, span.size};
    }

    Jacobian<G> on_device(const std::vector<Affine<G>>& points, const std::vector<Int>& scalars,
                          gpu::MsmReport* report = nullptr) {
        const gpu::Arena::Scope scope(*arena_);
        return gpu::msm<G>(*arena_, upload_constant(points), upload_constant(scalars), *stream_, report);
    }
    Jacobian<G> on_device(const std::vector<Affine<G>>& points, const std::vector<u32>& indices,
                          const std::vector<Int>& scalars) {
        const gpu::Arena::Scope scope(*arena_);
        return gpu::msm<G>(*arena_, upload_constant(points), upload_constant(indices),
                           upload_constant(scalars), *stream_);
    }
    Jacobian<G> sum_on_device(const std::vector<Affine<G>>& points, const std::vector<u32>& entries,
                              gpu::MsmReport* report = nullptr) {
        const gpu::Arena::Scope scope(*arena_);
        return gpu::sum_points<G>(*arena_, upload_constant(points), upload_constant(entries), *stream_,
                                  report);
    }

    static testing_msm::Points<G> points_of(std::size_t n) { return testing_msm::random_points<G>(n, n + 1); }
    static std::vector<Int> uniform_scalars(std::size_t n, u64 seed) {
        SeededRandom random(seed);
        std::vector<Int> scalars(n);
        for (auto& s : scalars) s = Fr::random(random).to_int();
        return scalars;
    }
    // n numbers below `limit`, some of them several times.
    static std::vector<u32> random_indices(std::size_t n, std::size_t limit, u64 seed) {
        SeededRandom random(seed);
        std::vector<u32> indices(n);
        for (std::size_t i = 0; i < n; ++i)
            indices[i] = i % 5 == 4 ? indices[i - 1]
                                    : static_cast<u32>(Fr::random(random).montgomery().limb[0] % limit);
        return indices;
    }
};

// Sizes about which blocks, warps and halves end.
inline const std::vector<std::size_t> kEdgeSizes =
    sizes_up_to(1000, {1, 2, 3, 31, 32, 33, 127, 128, 129, 511, 512, 513, 1000, 16383, 16384, 16385});

}  // namespace cuzk::testing_gpu
