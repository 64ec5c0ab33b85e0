// From bucket sums to one sum for each bit of a bucket's number.
#pragma once

#include <vector>

#include "curve/xyzz.hpp"
#include "gpu/memory.cuh"
#include "gpu/msm_plan.cuh"

namespace cuzk::gpu {

inline constexpr u32 kReduceThreads = 128;

// The one point left in each bucket to a dense array; infinity where it is empty. last_offsets: of the last round, null if
// there was none; then the entries are those of the sorted lists.
template <class G>
__global__ void __launch_bounds__(kReduceThreads)
    collect_buckets(const u32* begin, const u32* end, const u64* last_offsets, const u32* entries,
                    const Affine<G>* bases, const Affine<G>* sums, u32 buckets, Affine<G>* out) {
    const u32 bucket = blockIdx.x * kReduceThreads + threadIdx.x;
    if (bucket >= buckets) return;
    auto x = G::Field::zero();
    auto y = G::Field::zero();
    if (end[bucket] != begin[bucket]) {
        const u32 place =
            last_offsets != nullptr ? static_cast<u32>(last_offsets[bucket] >> 32) : begin[bucket];
        const u32 entry = entries[place];
        const Affine<G>* point = ((entry & kIsSum) != 0 ? sums : bases) + (entry & kIndexMask);
        x = load(&point->x);
        y = load(&point->y);
        if ((entry & kNegated) != 0) y = -y;
    }
    store(&out[bucket].x, x);
    store(&out[bucket].y, y);
}

// The signed base that one list entry names.
template <class G>
__global__ void copy_entry(const Affine<G>* bases, const u32* entry, Affine<G>* out) {
    const Affine<G>* point = bases + (*entry & ~kNegated);
    const auto y = load(&point->y);
    store(&out->x, load(&point->x));
    store(&out->y, (*entry & kNegated) != 0 ? -y : y);
}

// Point arithmetic by calls: its code is long, and here latency is hidden by many blocks.
template <class G>
__device__ __noinline__ void accumulate(Xyzz<G>& sum, const Affine<G>& point) {
    sum += point;
}
template <class G>
__device__ __noinline__ void accumulate(Xyzz<G>& sum, const Xyzz<G>& point) {
    sum += point;
}

template <class G>
__device__ __forceinline__ Affine<G> load_point(const Affine<G>* address) {
    return {load(&address->x), load(&address->y)};
}
template <class G>
__device__ __forceinline__ Xyzz<G> load_point(const Xyzz<G>* address) {
    return {load(&address->x), load(&address->y), load(&address->zz), load(&address->zzz)};
}
template <class G>
__device__ __forceinline__ void store_point(Xyzz<G>* address, const Xyzz<G>& point) {
    store(&address->x, point.x);
    store(&address->y, point.y);
    store(&address->zz, point.zz);
    store(&address->zzz, point.zzz);
}

// Sum over the threads of a block, valid in thread 0. `shared` holds half as many points.
template <class G>
__device__ __forceinline__ void sum_block(Xyzz<G>& sum, Xyzz<G>* shared) {
#pragma unroll 1
    for (u32 half = kReduceThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x >= half && threadIdx.x < 2 * half) shared[threadIdx.x - half] = sum;
        __syncthreads();
        if (threadIdx.x < half) accumulate(sum, shared[threadIdx.x]);
        __syncthreads();
    }
}

// out[blockIdx.x] = sum of a share of the points; the shares together are all of them.
template <class G>
__global__ void __launch_bounds__(kReduceThreads)
    sum_array(const Affine<G>* points, u32 count, Xyzz<G>* out) {
    __shared__ uint4 memory[kReduceThreads / 2 * sizeof(Xyzz<G>) / 16];
    Xyzz<G> sum = Xyzz<G>::infinity();
#pragma unroll 1
    for (u32 i = blockIdx.x * kReduceThreads + threadIdx.x; i < count; i += gridDim.x * kReduceThreads)
        accumulate(sum, load_point(points + i));
    sum_block(sum, reinterpret_cast<Xyzz<G>*>(memory));
    if (threadIdx.x == 0) store_point(out + blockIdx.x, sum);
}

// Arrays of 2^log_size points, one a window, of which index bits [first_bit, ...) are wanted.
template <class Point>
struct BitArray {
    const Point* points;
    u32 log_size;
    u32 first_bit;
};

// out[window * gridDim.x + j] = sum of the points whose index has bit j set: bits below low_bits are those of `low`, the others
// those of `high`; the last is point 0 of `first`, an array of points for each window. blockIdx = (j, window).
template <class G, class Point>
__global__ void __launch_bounds__(kReduceThreads)
    sum_by_bits(BitArray<Point> low, BitArray<Point> high, u32 low_bits, BitArray<Point> first,
                Xyzz<G>* out) {
    __shared__ uint4 memory[kReduceThreads / 2 * sizeof(Xyzz<G>) / 16];
    Xyzz<G>* const result = out + blockIdx.y * gridDim.x + blockIdx.x;
    Xyzz<G> sum = Xyzz<G>::infinity();
    if (blockIdx.x == gridDim.x - 1) {
        if (threadIdx.x != 0) return;
        accumulate(sum, load_point(first.points + (std::size_t{blockIdx.y} << first.log_size)));
        store_point(result, sum);
        return;
    }
    const bool is_low = blockIdx.x < low_bits;
    const BitArray<Point> array = is_low ? low : high;
    const u32 bit = array.first_bit + blockIdx.x - (is_low ? 0 : low_bits);
    const Point* points = array.points + (std::size_t{blockIdx.y} << array.log_size);
#pragma unroll 1
    for (u32 i = threadIdx.x; i < 1u << (array.log_size - 1); i += kReduceThreads) {
        const u32 index = ((i >> bit) << (bit + 1)) | (1u << bit) | (i & ((1u << bit) - 1));
        accumulate(sum, load_point(points + index));
    }
    sum_block(sum, reinterpret_cast<Xyzz<G>*>(memory));
    if (threadIdx.x == 0) store_point(result, sum);
}

// Host: the whole sum from those that sum_by_bits makes with `bits` bits; bucket 0 weighs 2^bits.
template <class G>
Xyzz<G> combine_bit_sums(const Windows& windows, u32 bits, const std::vector<Xyzz<G>>& sums) {
    auto result = Xyzz<G>::infinity();
    for (int bit = static_cast<int>(G::Scalar::kBits + Windows::kMax); bit >= 0; --bit) {
        if (!result.is_infinity()) result = result.dbl();
        for (u32 k = 0; k < windows.count; ++k) {
            const int j = bit - windows.position[k];
            if (j >= 0 && j <= static_cast<int>(bits)) result += sums[k * (bits + 1) + static_cast<u32>(j)];
        }
    }
    return result;
}

}  // namespace cuzk::gpu
