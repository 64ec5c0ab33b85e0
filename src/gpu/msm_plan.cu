#include "gpu/msm_plan.cuh"

namespace cuzk::gpu {

__global__ void __launch_bounds__(kPlanThreads)
    find_buckets(const u32* keys, WindowLists lists, u32 buckets, u32* begin, u32* end) {
    const u32 window = blockIdx.y;
    const u32 list_begin = lists.begin[window];
    const u32 list_end = lists.begin[window + 1];
    const u32 i = list_begin + blockIdx.x * kPlanThreads + threadIdx.x;
    if (i >= list_end) return;
    const u32 key = keys[i];
    if ((key & (2 * buckets - 1)) == 0) return;
    const u32 bucket = window * buckets + (key & (buckets - 1));
    if (i == list_begin || keys[i - 1] != key) begin[bucket] = i;
    if (i + 1 == list_end || keys[i + 1] != key) end[bucket] = i + 1;
}

__global__ void __launch_bounds__(kPlanThreads)
    count_pairs(const u32* begin, const u32* end, u32 buckets, unsigned long long* totals) {
    __shared__ u32 sums[kRounds + 1];
    if (threadIdx.x <= kRounds) sums[threadIdx.x] = 0;
    __syncthreads();
    const bool first_lane = threadIdx.x % 32 == 0;
#pragma unroll 1
    for (u32 base = blockIdx.x * kPlanThreads; base < buckets; base += gridDim.x * kPlanThreads) {
        const u32 bucket = base + threadIdx.x;
        u32 count = bucket < buckets ? end[bucket] - begin[bucket] : 0;
        u32 sum = __reduce_add_sync(~0u, count);
        if (first_lane && sum != 0) atomicAdd(&sums[kRounds], sum);
#pragma unroll 1
        for (int r = 0; r < kRounds && __any_sync(~0u, count > 1); ++r) {
            sum = __reduce_add_sync(~0u, count >> 1);
            if (first_lane) atomicAdd(&sums[r], sum);
            count = (count + 1) >> 1;
        }
    }
    __syncthreads();
    if (threadIdx.x <= kRounds && sums[threadIdx.x] != 0)
        atomicAdd(&totals[threadIdx.x], static_cast<unsigned long long>(sums[threadIdx.x]));
}

namespace {

// Entry `place` of its bucket, whose entries begin at `begin`.
__device__ __forceinline__ void plan_entry(const Round& round, u32 place, u32 begin, u32 bucket) {
    const u32 position = place - begin;
    if (position % 2 != 0) return;  // the entry before it speaks for both
    const u64 offset = round.offsets[bucket];
    const u32 pair = static_cast<u32>(offset) + position / 2;
    const u32 next = static_cast<u32>(offset >> 32) + position / 2;
    round.next_entry_bucket[next] = bucket;
    if (position + 1 < round.counts.entries(bucket)) {
        round.pairs[pair] = make_uint2(round.entries[place], round.entries[place + 1]);
        round.next_entries[next] = kIsSum | (round.first_sum + pair);
    } else {
        round.next_entries[next] = round.entries[place];
    }
}

}  // namespace

__global__ void __launch_bounds__(kPlanThreads)
    plan_first_round(Round round, WindowLists lists, u32 buckets) {
    const u32 window = blockIdx.y;
    const u32 place = lists.begin[window] + blockIdx.x * kPlanThreads + threadIdx.x;
    if (place >= lists.begin[window + 1]) return;
    const u32 key = round.entry_bucket[place];
    if ((key & (2 * buckets - 1)) == 0) return;
    const u32 bucket = window * buckets + (key & (buckets - 1));
    plan_entry(round, place, round.counts.begin[bucket], bucket);
}

__global__ void __launch_bounds__(kPlanThreads) plan_round(Round round, u32 count) {
    const u32 place = blockIdx.x * kPlanThreads + threadIdx.x;
    if (place >= count) return;
    const u32 bucket = round.entry_bucket[place];
    plan_entry(round, place, static_cast<u32>(round.previous_offsets[bucket] >> 32), bucket);
}

}  // namespace cuzk::gpu
