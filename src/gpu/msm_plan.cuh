// From scalars to lists of pairs to add. A list entry names a point: bit 31 says that it is negated, bit 30 that it is an
// intermediate sum and no base, the others are its index.
#pragma once

#include "field/fp.hpp"
#include "gpu/msm_windows.hpp"

namespace cuzk::gpu {

inline constexpr u32 kNegated = u32{1} << 31;
inline constexpr u32 kIsSum = u32{1} << 30;
inline constexpr u32 kIndexMask = kIsSum - 1;
inline constexpr int kRounds = 31;  // a bucket of 2^30 points is empty after 30
inline constexpr u32 kPlanThreads = 256;

// Digit k of scalar i to keys[k n + i] (absolute value) and entries[k n + i] (point with sign).
template <class Fr>
__global__ void __launch_bounds__(kPlanThreads)
    split_digits(const typename Fr::Int* scalars, u32 n, Windows windows, u32* keys, u32* entries) {
    const u32 i = blockIdx.x * kPlanThreads + threadIdx.x;
    if (i >= n) return;
    constexpr auto kOrder = Fr::Params::kModulus;
    constexpr auto kHalf = Fr::Constants::kHalf;
    auto s = scalars[i];
    u32 flip = 0;
    if (kHalf < s) {
        auto t = kOrder;
        t.sub(s);
        s = t;
        flip = kNegated;
    }
    u32 carry = 0;
#pragma unroll 1
    for (u32 k = 0; k < windows.count; ++k) {
        const u32 width = windows.width[k];
        u32 digit = static_cast<u32>(s.limb[0] & ((u64{1} << width) - 1)) + carry;
        CUZK_UNROLL
        for (std::size_t j = 0; j < Fr::kLimbs; ++j)
            s.limb[j] = (s.limb[j] >> width) | (j + 1 < Fr::kLimbs ? s.limb[j + 1] << (64 - width) : 0);
        u32 sign = flip;
        carry = 0;
        if (digit > u32{1} << (width - 1)) {
            digit = (u32{1} << width) - digit;
            sign ^= kNegated;
            carry = 1;
        }
        const std::size_t place = std::size_t{k} * n + i;
        keys[place] = digit;
        entries[place] = i | sign;
    }
}

// Where each bucket's run begins and ends in the sorted lists of a group of windows (blockIdx.y), as positions in all of them.
__global__ void find_buckets(const u32* keys, u32 n, u32 buckets, u32* begin, u32* end);

// totals[r] = pairs of round r, totals[kRounds] = entries. A bucket of c entries makes floor(c / 2) pairs and becomes one of
// ceil(c / 2) entries.
__global__ void count_pairs(const u32* begin, const u32* end, u32 buckets, unsigned long long* totals);

// For round r, of one bucket: pairs in the low half of a word, entries left in the high half.
struct BucketCounts {
    const u32* begin;
    const u32* end;
    int round;

    __host__ __device__ u32 entries(u32 bucket) const {
        const u64 count = end[bucket] - begin[bucket];
        return static_cast<u32>((count + (u64{1} << round) - 1) >> round);
    }
    __host__ __device__ u64 operator()(u32 bucket) const {
        const u64 count = entries(bucket);
        return (count >> 1) | (((count + 1) >> 1) << 32);
    }
};

// What a round of the plan reads and writes. Offsets are running sums of BucketCounts.
struct Round {
    BucketCounts counts;
    const u64* previous_offsets;  // null in the first round
    const u64* offsets;
    const u32* entries;       // of this round
    const u32* entry_bucket;  // their buckets; in the first round the sorted keys
    u32 first_sum;            // index of the sum of pair 0
    uint2* pairs;
    u32* next_entries;
    u32* next_entry_bucket;
};

// First round: sorted lists of n entries a window, window = blockIdx.y.
__global__ void plan_first_round(Round round, u32 n, u32 buckets);
// Later rounds: one list of `count` entries.
__global__ void plan_round(Round round, u32 count);

}  // namespace cuzk::gpu
