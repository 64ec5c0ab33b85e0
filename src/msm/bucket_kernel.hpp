// The inner loops of the bucket method as a table of functions, one table for each group and instruction set.
#pragma once

#include <cstddef>

#include "curve/affine.hpp"

namespace cuzk {

// An entry of a bucket: the index of a point, and in the top bit whether its negative counts.
inline constexpr u32 kNegativeEntry = u32{1} << 31;
inline constexpr std::size_t kMaxEntryIndex = kNegativeEntry - 1;

// Consecutive entries to be added up. The top bit of `out` chooses the array that the sum goes to.
struct BucketSegment {
    u32 begin, length, out;
};
inline constexpr u32 kPartialSum = u32{1} << 31;

// Segments are ordered by falling length, none is empty. Points are Affine<G> in memory of any alignment.
template <class G>
struct SegmentJob {
    const u8* points;
    bool may_be_infinite;  // whether infinity can be among the points
    const u32* entries;
    const BucketSegment* segments;
    Affine<G>* sums;
    Affine<G>* partial_sums;
};

// Chain k owns the points [k length, (k + 1) length) and yields their plain sum and the sum of (i + 1)
// points[k length + i].
template <class G>
struct ChainJob {
    const Affine<G>* points;
    std::size_t length;
    Affine<G>* sums;
    Affine<G>* weighted_sums;
};

template <class G>
struct BucketKernel {
    std::size_t scratch_bytes;  // for each call, at 64-byte alignment
    std::size_t block;          // segments (and twice the chains) that one call does best
    double add_ns;              // rough cost of an addition, for choosing window widths

    // Both: items [first, last), any number of them.
    void (*sum_segments)(const SegmentJob<G>& job, std::size_t first, std::size_t last, std::byte* scratch);
    void (*sum_chains)(const ChainJob<G>& job, std::size_t first, std::size_t last, std::byte* scratch);
};

// The fastest kernel that active_isa() allows.
template <class G>
const BucketKernel<G>& bucket_kernel();

}  // namespace cuzk
