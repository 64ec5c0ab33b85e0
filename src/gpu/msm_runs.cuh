// Bucket sums of a short list by XYZZ additions: each thread sums equally many neighbours of the sorted digits, wherever
// buckets begin and end, so no bucket is too large.
#pragma once

#include "gpu/msm_reduce.cuh"

namespace cuzk::gpu {

inline constexpr u32 kRunThreads = 128;

// All digits of scalar i, with their windows, to keys[k n + i]: window << widest | absolute value. Zeros are among them.
template <class Fr>
__global__ void __launch_bounds__(kPlanThreads)
    split_all_digits(const typename Fr::Int* scalars, const u32* indices, u32 n, Windows windows, u32* keys,
                     u32* entries) {
    const u32 i = blockIdx.x * kPlanThreads + threadIdx.x;
    if (i >= n) return;
    const u32 point = indices != nullptr ? indices[i] : i;
    DigitReader<Fr> digits(scalars[i]);
#pragma unroll 1
    for (u32 k = 0; k < windows.count; ++k) {
        u32 sign;
        const u32 digit = digits.next(windows.width[k], sign);
        keys[k * n + i] = (k << windows.widest) | digit;
        entries[k * n + i] = point | sign;
    }
}

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

// The part of a bucket that lies where it begins goes to `buckets`, its part in a later thread t to heads[t]. Buckets are
// infinity before.
template <class G>
__global__ void __launch_bounds__(kRunThreads, kIsQuadratic<typename G::Field> ? 2 : 3)
    sum_runs(DigitRuns runs, const Affine<G>* bases, Xyzz<G>* buckets, Xyzz<G>* heads) {
    const u32 t = blockIdx.x * kRunThreads + threadIdx.x;
    const u32 begin = min(t * runs.per_thread, runs.count);
    const u32 end = min(begin + runs.per_thread, runs.count);
    const bool some = begin < end;
    u32 key = some ? runs.keys[begin] : 0;
    u32 entry = some ? runs.entries[begin] : 0;
    Xyzz<G>* target = runs.continues(t) ? heads + t : buckets + runs.bucket(key);
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
            asm volatile("prefetch.global.L1 [%0];" ::"l"(&ahead->x));
            asm volatile("prefetch.global.L1 [%0];" ::"l"(&ahead->y));
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
}

// Parts of a bucket that one thread adds up; more are left to sum_long_buckets.
inline constexpr u32 kShortBucket = 8;

// Adds the heads of each bucket to its beginning. Threads whose bucket has more than kShortBucket of them are put into
// `longs`: their number, which is 0 before, then they.
template <class G>
__global__ void __launch_bounds__(kRunThreads)
    join_runs(DigitRuns runs, const Xyzz<G>* heads, Xyzz<G>* buckets, u32* longs) {
    const u32 t = blockIdx.x * kRunThreads + threadIdx.x;
    if (!runs.continues(t)) return;
    const u32 key = runs.keys[t * runs.per_thread];
    // An earlier thread has this bucket's first head.
    if (runs.continues(t - 1) && runs.keys[(t - 1) * runs.per_thread] == key) return;
    u32 end = t + 1;
    while (end - t <= kShortBucket && runs.continues(end) && runs.keys[end * runs.per_thread] == key) ++end;
    if (end - t > kShortBucket) {
        longs[1 + atomicAdd(longs, 1)] = t;
        return;
    }
    Xyzz<G>* bucket = buckets + runs.bucket(key);
    Xyzz<G> sum = load_point(bucket);
#pragma unroll 1
    for (u32 k = t; k < end; ++k) accumulate(sum, load_point(heads + k));
    store_point(bucket, sum);
}

// The buckets that join_runs left, a block each.
template <class G>
__global__ void __launch_bounds__(kReduceThreads)
    join_long_runs(DigitRuns runs, const Xyzz<G>* heads, Xyzz<G>* buckets, const u32* longs) {
    __shared__ uint4 memory[kReduceThreads / 2 * sizeof(Xyzz<G>) / 16];
    const u32 count = longs[0];
#pragma unroll 1
    for (u32 item = blockIdx.x; item < count; item += gridDim.x) {
        const u32 begin = longs[1 + item];
        const u32 key = runs.keys[begin * runs.per_thread];
        Xyzz<G>* bucket = buckets + runs.bucket(key);
        Xyzz<G> sum = Xyzz<G>::infinity();
#pragma unroll 1
        for (u32 k = begin + threadIdx.x; k < runs.threads() && runs.keys[k * runs.per_thread] == key;
             k += kReduceThreads)
            accumulate(sum, load_point(heads + k));
        sum_block(sum, reinterpret_cast<Xyzz<G>*>(memory));
        if (threadIdx.x == 0) {
            accumulate(sum, load_point(bucket));
            store_point(bucket, sum);
        }
    }
}

}  // namespace cuzk::gpu
