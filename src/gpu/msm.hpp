// Multi-scalar multiplication in device memory.
#pragma once

#include "curve/jacobian.hpp"
#include "gpu/arena.hpp"

namespace cuzk::gpu {

// Times of the stages of a sum, in milliseconds, and what it took.
struct MsmReport {
    unsigned windows = 0;
    unsigned windows_at_once = 0;
    u64 additions = 0;        // of pairs, in buckets
    double sort = 0;          // digits and sorting
    double plan = 0;          // lists of pairs
    double add = 0;           // additions in buckets
    double reduce = 0;        // bucket sums to bit sums
    std::size_t scratch = 0;  // bytes of the arena
};

// sum of scalars[i] * bases[i], as msm/msm.hpp has it: scalars canonical and below r, bases of order r or infinity, in any
// multiplicity. Both lie in device memory; sizes must be equal, else Error(kInternal), and below 2^30, else
// Error(kUnsupported). Scratch comes from the arena and is returned; with less of it fewer windows are done at once, and
// Error(kEnvironment) comes if one does not fit. Waits for the stream.
//
// Method: signed windows, digits sorted by value, and bucket sums by rounds of affine additions of neighbours, which share
// inversions (Montgomery's trick). A bucket of n points takes log2 n rounds, so skewed scalars cost no more than others. The
// weighted sum of the buckets is made of sums by rows and by columns, then by bits of the bucket number.
template <class G>
Jacobian<G> msm(Arena& arena, DeviceSpan<const Affine<G>> bases,
                DeviceSpan<const typename G::Scalar::Int> scalars, const Stream& stream,
                MsmReport* report = nullptr);

extern template Jacobian<Bls12_381G1> msm(Arena&, DeviceSpan<const Affine<Bls12_381G1>>,
                                          DeviceSpan<const Bls12_381Fr::Int>, const Stream&, MsmReport*);
extern template Jacobian<Bn254G1> msm(Arena&, DeviceSpan<const Affine<Bn254G1>>,
                                      DeviceSpan<const Bn254Fr::Int>, const Stream&, MsmReport*);

}  // namespace cuzk::gpu
