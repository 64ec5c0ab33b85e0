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

// Blocks, or groups of another kind, that hold `count` with so many in each.
inline u32 blocks_for(std::size_t count, u32 threads) {
    return static_cast<u32>((count + threads - 1) / threads);
}

// The digits of a scalar from the lowest window up. Above r / 2 it is r - scalar that is cut, and all signs are turned.
template <class Fr>
struct DigitReader {
    typename Fr::Int left;
    u32 flip = 0;
    u32 carry = 0;

    __device__ __forceinline__ explicit DigitReader(const typename Fr::Int& scalar) : left(scalar) {
        constexpr auto kOrder = Fr::Params::kModulus;
        constexpr auto kHalf = Fr::Constants::kHalf;
        if (kHalf < left) {
            auto t = kOrder;
            t.sub(left);
            left = t;
            flip = kNegated;
        }
    }
    // Absolute value; `sign` becomes kNegated or 0.
    __device__ __forceinline__ u32 next(u32 width, u32& sign) {
        u32 digit = static_cast<u32>(left.limb[0] & ((u64{1} << width) - 1)) + carry;
        CUZK_UNROLL
        for (std::size_t j = 0; j < Fr::kLimbs; ++j)
            left.limb[j] =
                (left.limb[j] >> width) | (j + 1 < Fr::kLimbs ? left.limb[j + 1] << (64 - width) : 0);
        sign = flip;
        carry = 0;
        if (digit > u32{1} << (width - 1)) {
            digit = (u32{1} << width) - digit;
            sign ^= kNegated;
            carry = 1;
        }
        return digit;
    }
};

// counts[l] += scalars of l bits, r minus them where that is less.
template <class Fr>
__global__ void __launch_bounds__(kPlanThreads)
    count_lengths(const typename Fr::Int* scalars, u32 n, u32* counts) {
    __shared__ u32 sums[Fr::kBits + 1];
    for (u32 l = threadIdx.x; l <= Fr::kBits; l += kPlanThreads) sums[l] = 0;
    __syncthreads();
#pragma unroll 1
    for (u32 i = blockIdx.x * kPlanThreads + threadIdx.x; i < n; i += gridDim.x * kPlanThreads) {
        const auto left = DigitReader<Fr>(scalars[i]).left;
        u32 length = 0;
        CUZK_UNROLL
        for (u32 j = 0; j < Fr::kLimbs; ++j)
            if (left.limb[j] != 0) length = 64 * (j + 1) - static_cast<u32>(__clzll(left.limb[j]));
        const u32 same = __match_any_sync(__activemask(), length);
        if (threadIdx.x % 32 == static_cast<u32>(__ffs(same)) - 1) atomicAdd(&sums[length], __popc(same));
    }
    __syncthreads();
    for (u32 l = threadIdx.x; l <= Fr::kBits; l += kPlanThreads)
        if (sums[l] != 0) atomicAdd(counts + l, sums[l]);
}

// The digits other than 0 of windows [first, first + count): keys as in split_all_digits, points with signs to entries; window
// first + k has room for n from k n on and holds counts[k], which are 0 before, in no order. The point of scalar i is
// number indices[i], or i where there are no indices.
template <class Fr>
__global__ void __launch_bounds__(kPlanThreads)
    split_digits(const typename Fr::Int* scalars, const u32* indices, u32 n, Windows windows, u32 first,
                 u32 count, u32* counts, u32* keys, u32* entries) {
    constexpr u32 kWarps = kPlanThreads / 32;
    __shared__ u32 places[Windows::kMax][kWarps];  // counts of each warp's digits, then where they go
    const u32 i = blockIdx.x * kPlanThreads + threadIdx.x;
    const u32 warp = threadIdx.x / 32;
    const u32 lane = threadIdx.x % 32;
    const auto scalar = i < n ? scalars[i] : typename Fr::Int{};
    u32 sign;
    {
        DigitReader<Fr> digits(scalar);
#pragma unroll 1
        for (u32 k = 0; k < first + count; ++k) {
            const u32 mask = __ballot_sync(~0u, digits.next(windows.width[k], sign) != 0);
            if (k >= first && lane == 0) places[k - first][warp] = __popc(mask);
        }
    }
    __syncthreads();
    if (threadIdx.x < count) {
        u32* place = places[threadIdx.x];
        u32 total = 0;
        CUZK_UNROLL
        for (u32 w = 0; w < kWarps; ++w) total += place[w];
        u32 next = total != 0 ? atomicAdd(counts + threadIdx.x, total) : 0;
        CUZK_UNROLL
        for (u32 w = 0; w < kWarps; ++w) {
            const u32 own = place[w];
            place[w] = next;
            next += own;
        }
    }
    __syncthreads();
    const u32 point = indices != nullptr && i < n ? indices[i] : i;
    DigitReader<Fr> digits(scalar);
#pragma unroll 1
    for (u32 k = 0; k < first + count; ++k) {
        const u32 digit = digits.next(windows.width[k], sign);
        if (k < first) continue;
        const u32 mask = __ballot_sync(~0u, digit != 0);
        if (digit == 0) continue;
        const std::size_t place = std::size_t{k - first} * n + places[k - first][warp] +
                                  static_cast<u32>(__popc(mask & ((1u << lane) - 1)));
        keys[place] = ((k - first) << windows.widest) | digit;
        entries[place] = point | sign;
    }
}

// All digits of windows [first, first + count), zeros too: that of scalar i in window first + k to place k n + i. Its key is
// k << widest | absolute value, so that all can be sorted at once.
template <class Fr>
__global__ void __launch_bounds__(kPlanThreads)
    split_all_digits(const typename Fr::Int* scalars, const u32* indices, u32 n, Windows windows, u32 first,
                     u32 count, u32* keys, u32* entries) {
    const u32 i = blockIdx.x * kPlanThreads + threadIdx.x;
    if (i >= n) return;
    const u32 point = indices != nullptr ? indices[i] : i;
    DigitReader<Fr> digits(scalars[i]);
#pragma unroll 1
    for (u32 k = 0; k < first + count; ++k) {
        u32 sign;
        const u32 digit = digits.next(windows.width[k], sign);
        if (k < first) continue;
        const std::size_t place = std::size_t{k - first} * n + i;
        keys[place] = ((k - first) << windows.widest) | digit;
        entries[place] = point | sign;
    }
}

// Sorted lists of a group of windows, one behind the other: window k's is [begin[k], begin[k + 1]).
struct WindowLists {
    u32 begin[Windows::kMax + 1];
};

// Where each bucket's run begins and ends in the sorted lists (blockIdx.y). A window has `buckets` buckets; keys are those of
// split_digits, and zeros have no bucket.
__global__ void find_buckets(const u32* keys, WindowLists lists, u32 buckets, u32* begin, u32* end);

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

// First round: sorted lists, window = blockIdx.y.
__global__ void plan_first_round(Round round, WindowLists lists, u32 buckets);
// Later rounds: one list of `count` entries.
__global__ void plan_round(Round round, u32 count);

}  // namespace cuzk::gpu
