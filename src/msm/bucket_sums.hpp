// Sums of all buckets of a sorted list of entries, in parallel and whatever the bucket sizes are.
#pragma once

#include <span>
#include <vector>

#include "msm/bucket_kernel.hpp"

namespace cuzk {

// sums[b] = sum of points[e] (negated where the entry says so) over the entries e in [offsets[b], offsets[b +
// 1]); infinity for an empty bucket. offsets.size() == sums.size() + 1. `points` are Affine<G> of any
// alignment.
//
// Buckets are cut into segments of bounded length, so that one giant bucket is as much parallel work as many
// small ones; segments are sorted by length, so that the lanes of a vector end together. Partial sums of cut
// buckets are added by the same procedure.
template <class G>
void sum_buckets(const BucketKernel<G>& kernel, const u8* points, bool may_be_infinite,
                 std::span<const u32> entries, std::span<const u32> offsets, std::span<Affine<G>> sums);

extern template void sum_buckets(const BucketKernel<Bls12_381G1>&, const u8*, bool, std::span<const u32>,
                                 std::span<const u32>, std::span<Affine<Bls12_381G1>>);
extern template void sum_buckets(const BucketKernel<Bls12_381G2>&, const u8*, bool, std::span<const u32>,
                                 std::span<const u32>, std::span<Affine<Bls12_381G2>>);
extern template void sum_buckets(const BucketKernel<Bn254G1>&, const u8*, bool, std::span<const u32>,
                                 std::span<const u32>, std::span<Affine<Bn254G1>>);
extern template void sum_buckets(const BucketKernel<Bn254G2>&, const u8*, bool, std::span<const u32>,
                                 std::span<const u32>, std::span<Affine<Bn254G2>>);

}  // namespace cuzk
