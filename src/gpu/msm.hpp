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
// Error(kEnvironment) comes if one does not fit. Waits for the stream. Sums with arenas and streams of their own may run at
// the same time on several threads.
//
// Method: signed windows, digits other than 0 sorted by value, and bucket sums by rounds of affine additions of neighbours,
// which share inversions (Montgomery's trick). A bucket of n points takes log2 n rounds, so skewed scalars cost no more than
// others, and short ones less. The weighted sum of the buckets is made of sums by rows and by columns, then by bits of the
// bucket number. Few scalars take one sort and XYZZ additions instead, each thread as many; then one wait.
template <class G>
Jacobian<G> msm(Arena& arena, DeviceSpan<const Affine<G>> bases,
                DeviceSpan<const typename G::Scalar::Int> scalars, const Stream& stream,
                MsmReport* report = nullptr);

// sum of scalars[i] * bases[indices[i]]. Indices are below bases.size, in any order and multiplicity; as many as scalars.
template <class G>
Jacobian<G> msm(Arena& arena, DeviceSpan<const Affine<G>> bases, DeviceSpan<const u32> indices,
                DeviceSpan<const typename G::Scalar::Int> scalars, const Stream& stream,
                MsmReport* report = nullptr);

// In an entry of sum_points: the base is subtracted.
inline constexpr u32 kNegatedEntry = u32{1} << 31;

// Sum of the bases that `entries` list: each an index below bases.size, with kNegatedEntry or without, in any order and
// multiplicity. Increasing indices read memory best. A list that has no room in the arena is done in chunks; `add` of the
// report is the time of the first additions, `reduce` that of the rest. Otherwise as msm.
template <class G>
Jacobian<G> sum_points(Arena& arena, DeviceSpan<const Affine<G>> bases, DeviceSpan<const u32> entries,
                       const Stream& stream, MsmReport* report = nullptr);

// Bytes of an arena on the current device with which a sum of n scalars does so many windows at once; 0 stands for as many
// as gain much. With 1 it is the least that a sum runs well in.
template <class G>
std::size_t msm_scratch_bytes(std::size_t n, unsigned windows_at_once = 0);

// Bytes of an arena on the current device with which a sum of n entries takes chunks of so many; 0 stands for all at once.
template <class G>
std::size_t sum_points_scratch_bytes(std::size_t n, std::size_t chunk = 0);

#define CUZK_GPU_SUMS(linkage, G)                                                                           \
    linkage template Jacobian<G> msm(Arena&, DeviceSpan<const Affine<G>>, DeviceSpan<const G::Scalar::Int>, \
                                     const Stream&, MsmReport*);                                            \
    linkage template Jacobian<G> msm(Arena&, DeviceSpan<const Affine<G>>, DeviceSpan<const u32>,            \
                                     DeviceSpan<const G::Scalar::Int>, const Stream&, MsmReport*);          \
    linkage template Jacobian<G> sum_points(Arena&, DeviceSpan<const Affine<G>>, DeviceSpan<const u32>,     \
                                            const Stream&, MsmReport*);                                     \
    linkage template std::size_t msm_scratch_bytes<G>(std::size_t, unsigned);                               \
    linkage template std::size_t sum_points_scratch_bytes<G>(std::size_t, std::size_t)

CUZK_GPU_SUMS(extern, Bls12_381G1);
CUZK_GPU_SUMS(extern, Bls12_381G2);
CUZK_GPU_SUMS(extern, Bn254G1);
CUZK_GPU_SUMS(extern, Bn254G2);

}  // namespace cuzk::gpu
