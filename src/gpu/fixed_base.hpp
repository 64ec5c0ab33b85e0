// Many multiples of one point in device memory, as a setup computes them: msm/fixed_base.hpp on the device.
#pragma once

#include "curve/affine.hpp"
#include "curve/curves.hpp"
#include "gpu/arena.hpp"

namespace cuzk::gpu {

// A table of multiples of a base, and products with it.
//
// Method: signed windows with a table of all multiples each, and rounds of affine additions that share inversions
// (gpu/msm_add.cuh), one a window, of all points to the entries that their digits name.
template <class G>
class DeviceFixedBase {
public:
    using Fr = typename G::Scalar;
    using Point = Affine<G>;

    // Builds the table for about `count` products. It lies in the arena (at most 0.7 GiB in G1, twice that in G2, and as much of
    // the arena as there is, up to 2 GiB, while it is made) and lives as long as the arena's scope around this object. The base
    // has order r or is infinity. Error(kEnvironment) if the arena is too small. Waits for the stream.
    DeviceFixedBase(Arena& arena, const Point& base, std::size_t count, const Stream& stream);

    // out[i] = scalars[i] * base. Scalars are in Montgomery form and are scratch afterwards. Sizes must be equal, else
    // Error(kInternal), and below 2^30, else Error(kUnsupported). Scratch of up to 2 GiB comes from the arena and is returned;
    // with less of it additions share inversions less widely. Only queues work: what is taken from the arena next must be used
    // on the same stream.
    void multiply(Arena& arena, DeviceSpan<Fr> scalars, DeviceSpan<Point> out, const Stream& stream) const;

private:
    u32 width_ = 0;  // of a window, in bits
    u32 windows_ = 0;
    DeviceSpan<Point>
        table_;  // 2^(width - 1) + 1 multiples for each window, 0 the first; empty for the base infinity
};

extern template class DeviceFixedBase<Bls12_381G1>;
extern template class DeviceFixedBase<Bls12_381G2>;
extern template class DeviceFixedBase<Bn254G1>;
extern template class DeviceFixedBase<Bn254G2>;

}  // namespace cuzk::gpu
