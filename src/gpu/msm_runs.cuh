// Bucket sums of a short list by XYZZ additions: each thread sums equally many neighbours of the sorted digits, wherever
// buckets begin and end, so no bucket is too large. The parts that threads have of one bucket are added up as a tree in each
// block, then from block to block.
#pragma once

#include "gpu/async_copy.cuh"
#include "gpu/msm_reduce.cuh"

namespace cuzk::gpu {

inline constexpr u32 kRunThreads = 128;

// The sorted digits, cut into parts of equal size, one a thread.
struct DigitRuns {
    const u32* keys;
    const u32* entries;
    u32 count;
    u32 per_thread;
    u32 widest;

    __host__ __device__ u32 threads() const { return (count + per_thread - 1) / per_thread; }
    __device__ __forceinline__ bool is_zero(u32 key) const { return (key & ((1u << widest) - 1)) == 0; }
    // Bucket 0 of a window holds the digit of absolute value 2^(widest-1).
    __device__ __forceinline__ u32 bucket(u32 key) const {
        return ((key >> widest) << (widest - 1)) | (key & ((1u << (widest - 1)) - 1));
    }
    // Whether a bucket goes on from thread t - 1 to t.
    __device__ __forceinline__ bool continues(u32 t) const {
        if (t == 0 || t >= threads()) return false;
        const u32 key = keys[t * per_thread];
        return key == keys[t * per_thread - 1] && !is_zero(key);
    }
};

// Adds up the heads of a block's threads: each bucket's first thread in the block that has one ends with the sum of them.
// Returns whether this thread is such a one.
template <class G>
__device__ __forceinline__ bool join_heads(u32 t, bool has_head, u32 key, Xyzz<G>* heads) {
    __shared__ u32 keys[kRunThreads];
    __shared__ bool with_head[kRunThreads];
    const u32 own = threadIdx.x;
    keys[own] = key;
    with_head[own] = has_head;
    __syncthreads();
    u32 first = own;  // of this bucket's heads
    while (has_head && first > 0 && with_head[first - 1] && keys[first - 1] == key) --first;
#pragma unroll 1
    for (u32 step = 1; step < kRunThreads; step *= 2) {
        const u32 other = own + step;
        const bool adds = has_head && (own - first) % (2 * step) == 0 && other < kRunThreads &&
                          with_head[other] && keys[other] == key;
        if (adds) {
            Xyzz<G> sum = load_point(heads + t);
            accumulate(sum, load_point(heads + t + step));
            store_point(heads + t, sum);
        }
        if (__syncthreads_or(adds) == 0) break;  // then there is none further away either
    }
    return has_head && first == own;
}

// The part of a bucket that lies where it begins goes to `buckets`, which are infinity before, and the parts of this block's
// other threads are added to it. A bucket that goes on into a block has its part there in heads[128 * block].
template <class G>
__global__ void __launch_bounds__(kRunThreads, kIsQuadratic<typename G::Field> ? 2 : 3)
    sum_runs(DigitRuns runs, const Affine<G>* bases, Xyzz<G>* buckets, Xyzz<G>* heads) {
    const u32 t = blockIdx.x * kRunThreads + threadIdx.x;
    const u32 begin = min(t * runs.per_thread, runs.count);
    const u32 end = min(begin + runs.per_thread, runs.count);
    const bool some = begin < end;
    u32 key = some ? runs.keys[begin] : 0;
    u32 entry = some ? runs.entries[begin] : 0;
    const bool has_head = runs.continues(t);
    const u32 first_key = key;
    Xyzz<G>* target = has_head ? heads + t : buckets + runs.bucket(key);
    Xyzz<G> sum = Xyzz<G>::infinity();
    bool empty = true;
#pragma unroll 1
    for (u32 k = 0; k < runs.per_thread; ++k) {
        __syncwarp();  // lanes that began a bucket go on with the others
        const u32 next = begin + k + 1;
        const bool last = next >= end;
        const u32 next_key = last ? key : runs.keys[next];
        const u32 next_entry = last ? entry : runs.entries[next];
        const bool counts = next <= end && !runs.is_zero(key);
        if (counts) {
            const Affine<G>* ahead = bases + (next_entry & kIndexMask);
            prefetch(&ahead->x);
            prefetch(&ahead->y);
            auto point = load_point(bases + (entry & kIndexMask));
            if ((entry & kNegated) != 0) point.y = -point.y;
            if (empty)
                sum = Xyzz<G>::from_affine(point);
            else
                sum += point;
            empty = false;
            if (last || next_key != key) {
                store_point(target, sum);
                empty = true;
            }
        }
        if (next_key != key) target = buckets + runs.bucket(next_key);
        key = next_key;
        entry = next_entry;
    }
    const bool leads = join_heads(t, has_head, first_key, heads);
    if (leads && threadIdx.x != 0) {
        Xyzz<G>* bucket = buckets + runs.bucket(first_key);
        sum = load_point(bucket);
        accumulate(sum, load_point(heads + t));
        store_point(bucket, sum);
    }
}

// Adds what blocks have of a bucket that began in an earlier one, a thread a block. A window's digits lie in few blocks.
template <class G>
__global__ void __launch_bounds__(kRunThreads)
    join_blocks(DigitRuns runs, const Xyzz<G>* heads, Xyzz<G>* buckets) {
    const auto goes_on = [&](u32 block, u32 key) {
        const u32 t = block * kRunThreads;
        return runs.continues(t) && runs.keys[t * runs.per_thread] == key;
    };
    u32 block = blockIdx.x * kRunThreads + threadIdx.x;
    if (!runs.continues(block * kRunThreads)) return;
    const u32 key = runs.keys[block * kRunThreads * runs.per_thread];
    if (goes_on(block - 1, key)) return;  // an earlier thread adds this one's
    Xyzz<G>* bucket = buckets + runs.bucket(key);
    Xyzz<G> sum = load_point(bucket);
#pragma unroll 1
    for (; goes_on(block, key); ++block) accumulate(sum, load_point(heads + block * kRunThreads));
    store_point(bucket, sum);
}

}  // namespace cuzk::gpu
