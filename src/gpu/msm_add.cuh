// Additions of many independent pairs of affine points with shared inversions: 5 products and a square each.
#pragma once

#include "field/call_device.cuh"
#include "gpu/async_copy.cuh"
#include "gpu/memory.cuh"
#include "gpu/msm_plan.cuh"

namespace cuzk::gpu {

inline constexpr u32 kAddThreads = 128;
inline constexpr u32 kAddBlocks = 2;  // a multiprocessor: 8 warps leave 255 registers to each thread
// Pairs of a thread that share an inversion. In the quadratic field an inversion is a smaller part of the work.
template <class F>
inline constexpr u32 kPairsPerChunk = kIsQuadratic<F> ? 256 : 512;

// Pairs by a list, out of bases and sums; sum of pair p to out[p].
template <class G>
struct ListedPairs {
    const Affine<G>* bases;
    const Affine<G>* sums;
    const uint2* pairs;
    Affine<G>* out;

    __device__ __forceinline__ uint2 pair(u32 p) const { return __ldcs(pairs + p); }
    __device__ __forceinline__ const Affine<G>* point(u32 entry) const {
        return ((entry & kIsSum) != 0 ? sums : bases) + (entry & kIndexMask);
    }
    __device__ __forceinline__ Affine<G>* target(u32 p) const { return out + p; }
};

// Pairs of neighbours in a list of bases: (2p, 2p + 1).
template <class G>
struct ListedBases {
    const Affine<G>* bases;
    const u32* entries;
    Affine<G>* out;

    __device__ __forceinline__ uint2 pair(u32 p) const {
        return make_uint2(__ldcs(entries + 2 * std::size_t{p}), __ldcs(entries + 2 * std::size_t{p} + 1));
    }
    __device__ __forceinline__ const Affine<G>* point(u32 entry) const { return bases + (entry & ~kNegated); }
    __device__ __forceinline__ Affine<G>* target(u32 p) const { return out + p; }
};

// points[p] += points[p + distance]
template <class G>
struct FoldedArray {
    Affine<G>* points;
    u32 distance;

    __device__ __forceinline__ uint2 pair(u32 p) const { return make_uint2(p, p + distance); }
    __device__ __forceinline__ const Affine<G>* point(u32 entry) const { return points + entry; }
    __device__ __forceinline__ Affine<G>* target(u32 p) const { return points + p; }
};

// Halves two arrays of points by adding their halves: rows of 2^(row_bits + 1) points, and squares, one a window, of
// 2^(column_bits + 1) rows of 2^width points. Pairs below row_pairs are the rows'.
template <class G>
struct HalvedSquares {
    const Affine<G>* rows;
    const Affine<G>* columns;
    Affine<G>* rows_out;
    Affine<G>* columns_out;
    u32 row_pairs;
    u32 row_bits, width, column_bits;

    __device__ __forceinline__ uint2 pair(u32 p) const {
        if (p < row_pairs) {
            const u32 a = ((p >> row_bits) << (row_bits + 1)) | (p & ((1u << row_bits) - 1));
            return make_uint2(a, a + (1u << row_bits));
        }
        const u32 bits = column_bits + width;
        const u32 q = p - row_pairs;
        const u32 a = ((q >> bits) << (bits + 1)) | (q & ((1u << bits) - 1)) | kIsSum;
        return make_uint2(a, a + (1u << bits));
    }
    __device__ __forceinline__ const Affine<G>* point(u32 entry) const {
        return ((entry & kIsSum) != 0 ? columns : rows) + (entry & kIndexMask);
    }
    __device__ __forceinline__ Affine<G>* target(u32 p) const {
        return p < row_pairs ? rows_out + p : columns_out + (p - row_pairs);
    }
};

// Five places for a field element of each thread in shared memory, filled by asynchronous copies of the thread that reads
// them. Parts of 16 bytes lie together for all threads, so there are no bank conflicts.
template <class F>
struct Staging {
    u32 address;  // of this thread's part 0 of place 0

    static constexpr u32 kPartBytes = kAddThreads * 16;
    static constexpr u32 kPlaceBytes = kQuads<F> * kPartBytes;

    __device__ __forceinline__ void fetch(u32 place, const uint4* from, std::size_t stride = 1) const {
        CUZK_UNROLL
        for (int i = 0; i < kQuads<F>; ++i)
            copy_async(address + place * kPlaceBytes + static_cast<u32>(i) * kPartBytes,
                       from + static_cast<std::size_t>(i) * stride);
    }
    __device__ __forceinline__ void fetch(u32 place, const F& from) const {
        fetch(place, reinterpret_cast<const uint4*>(&from));
    }
    __device__ __forceinline__ F get(u32 place) const {
        return assemble<F>([&](int i) {
            return load_copied(address + place * kPlaceBytes + static_cast<u32>(i) * kPartBytes);
        });
    }
    __device__ static __forceinline__ void commit() { commit_copies(); }
    template <int kPending>
    __device__ static __forceinline__ void wait() {
        wait_for_copies<kPending>();
    }
};

// Inverses of the 128 values of a block: its four warps share the one that warp `inverter` makes.
template <class F>
__device__ __forceinline__ F shared_inverse(const F& a, F* memory, u32 inverter) {
    using device::called_product;  // these run seldom
    const u32 lane = threadIdx.x % 32;
    __syncthreads();
    store(memory + threadIdx.x, a);
    __syncthreads();
    if (threadIdx.x / 32 == inverter) {
        const F p = called_product(load(memory + lane), load(memory + 32 + lane));
        const F q = called_product(load(memory + 64 + lane), load(memory + 96 + lane));
        const F inverse = called_product(p, q).inverse();
        const auto split = [&](const F& both, F* x, F* y) {
            const F inverse_x = called_product(both, load(y));
            store(y, called_product(both, load(x)));
            store(x, inverse_x);
        };
        split(called_product(inverse, q), memory + lane, memory + 32 + lane);
        split(called_product(inverse, p), memory + 64 + lane, memory + 96 + lane);
    }
    __syncthreads();
    return load(memory + threadIdx.x);
}

// Five places and one for the inversion.
template <class F>
inline constexpr u32 kAddMemory = 6 * Staging<F>::kPlaceBytes;

enum class Addition { kGeneral, kDoubling, kFirst, kSecond, kInfinity };

// y of a list entry's point.
template <class G, class Pairs>
__device__ __forceinline__ typename G::Field signed_y(const Pairs& pairs, u32 entry) {
    const auto y = load(&pairs.point(entry)->y);
    return (entry & kNegated) != 0 ? -y : y;
}

// Which addition pair p is, and in `divisor`, given x2 - x1, what its slope is divided by. Points of order r have x = 0 at
// infinity only: the tangent at (0, y) of y^2 = x^3 + b is flat and meets the curve nowhere else, so such a point has order 3.
// One with y = 0 has order 2. r is another prime, so this holds for both groups of both curves.
template <class G, class Pairs>
__device__ __forceinline__ Addition classify(const Pairs& pairs, u32 p, const typename G::Field& x1,
                                             const typename G::Field& x2, typename G::Field& divisor) {
    using F = typename G::Field;
    if (!(x1.is_zero() || x2.is_zero() || divisor.is_zero())) return Addition::kGeneral;
    divisor = F::one();
    if (x1.is_zero()) return Addition::kSecond;
    if (x2.is_zero()) return Addition::kFirst;
    const uint2 entries = pairs.pair(p);
    const F y1 = signed_y<G>(pairs, entries.x);
    if (!(y1 == signed_y<G>(pairs, entries.y))) return Addition::kInfinity;
    divisor = y1.dbl();
    return Addition::kDoubling;
}

// A block owns the pairs [blockIdx.x, blockIdx.x + 1) * per_thread * 128 and does them in chunks of at most per_chunk a
// thread: forward, the products of all divisors so far to `prefixes` (per_chunk * 128 elements a block); one inversion;
// backward, the additions. A block's first chunk is shorter by its slot on the multiprocessor, so that those that share one
// are in different phases.
template <class G, class Pairs>
__global__ void __launch_bounds__(kAddThreads, kAddBlocks)
    add_pairs(Pairs pairs, u32 count, uint4* prefixes, u32 per_thread, u32 per_chunk, u32 multiprocessors) {
    using F = typename G::Field;
    extern __shared__ uint4 add_memory[];  // kAddMemory<F> bytes
    uint4* const staged = add_memory;
    uint4* const inverse_memory = add_memory + 5 * kQuads<F> * kAddThreads;
    const u32 tid = threadIdx.x;
    const Staging<F> staging{shared_address(staged) + tid * 16};
    const std::size_t stride = std::size_t{gridDim.x} * per_chunk * kAddThreads;
    uint4* prefix = prefixes + std::size_t{blockIdx.x} * per_chunk * kAddThreads + tid;
    const u32 slot = (blockIdx.x / multiprocessors) & 3;

    u32 begin = blockIdx.x * per_thread * kAddThreads;
    const u32 end = min(begin + per_thread * kAddThreads, count);
    u32 chunk = per_thread > per_chunk ? (per_chunk * (slot + 1) + 3) / 4 : per_chunk;
#pragma unroll 1
    for (; begin < end; begin += chunk * kAddThreads, chunk = per_chunk) {
        const u32 first = begin + tid;
        const u32 chunk_end = min(end, begin + chunk * kAddThreads);
        const u32 n = first < chunk_end ? (chunk_end - 1 - first) / kAddThreads + 1 : 0;
        const auto at = [&](u32 k) { return first + k * kAddThreads; };

        F product = F::one();
        if (n != 0) {
            // Places 0 and 1 hold the operands of even k, 2 and 3 those of odd k.
            const auto fetch = [&](u32 place, uint2 entries) {
                staging.fetch(place, pairs.point(entries.x)->x);
                staging.fetch(place + 1, pairs.point(entries.y)->x);
            };
            fetch(0, pairs.pair(first));
            staging.commit();
            if (n > 1) fetch(2, pairs.pair(at(1)));
            staging.commit();
            uint2 ahead = n > 2 ? pairs.pair(at(2)) : uint2{};
#pragma unroll 1
            for (u32 k = 0; k < n; ++k) {
                const u32 place = (k & 1) * 2;
                staging.template wait<1>();
                const F x1 = staging.get(place);
                const F x2 = staging.get(place + 1);
                if (k + 2 < n) fetch(place, ahead);
                staging.commit();
                if (k + 3 < n) ahead = pairs.pair(at(k + 3));
                F divisor = x2 - x1;
                classify<G>(pairs, at(k), x1, x2, divisor);
                dissect(product, [&](int i, const uint4& q) {
                    __stcs(prefix + k * kAddThreads + static_cast<std::size_t>(i) * stride, q);
                });
                product = product * divisor;
            }
        }
        staging.template wait<0>();
        F inverse = shared_inverse(product, reinterpret_cast<F*>(inverse_memory), slot);

        if (n != 0) {
            // Places: x1, x2, prefix, y1, y2, in two groups of copies.
            const auto fetch_x = [&](u32 k, uint2 entries) {
                staging.fetch(0, pairs.point(entries.x)->x);
                staging.fetch(1, pairs.point(entries.y)->x);
                staging.fetch(2, prefix + k * kAddThreads, stride);
                staging.commit();
            };
            const auto fetch_y = [&](uint2 entries) {
                staging.fetch(3, pairs.point(entries.x)->y);
                staging.fetch(4, pairs.point(entries.y)->y);
                staging.commit();
            };
            uint2 entries = pairs.pair(at(n - 1));
            fetch_x(n - 1, entries);
            fetch_y(entries);
            uint2 ahead = n > 1 ? pairs.pair(at(n - 2)) : uint2{};
#pragma unroll 1
            for (u32 k = n; k-- > 0;) {
                staging.template wait<1>();
                const F x1 = staging.get(0);
                const F x2 = staging.get(1);
                F slope = staging.get(2);
                const bool negate1 = (entries.x & kNegated) != 0;
                const bool negate2 = (entries.y & kNegated) != 0;
                entries = ahead;
                if (k != 0)
                    fetch_x(k - 1, entries);
                else
                    staging.commit();
                if (k > 1) ahead = pairs.pair(at(k - 2));
                F divisor = x2 - x1;
                const Addition kind = classify<G>(pairs, at(k), x1, x2, divisor);
                slope = inverse * slope;
                inverse = inverse * divisor;
                staging.template wait<1>();
                F y1 = staging.get(3);
                F y2 = staging.get(4);
                if (k != 0)
                    fetch_y(entries);
                else
                    staging.commit();
                if (negate1) y1 = -y1;
                if (negate2) y2 = -y2;
                F numerator = y2 - y1;
                if (kind == Addition::kDoubling) {
                    numerator = device::called_product(x1, x1);
                    numerator = numerator.dbl() + numerator;
                }
                slope = slope * numerator;
                F x3 = slope.square() - x1 - x2;
                F y3 = slope * (x1 - x3) - y1;
                if (kind == Addition::kInfinity) x3 = y3 = F::zero();
                if (kind == Addition::kFirst) {
                    x3 = x1;
                    y3 = y1;
                }
                if (kind == Addition::kSecond) {
                    x3 = x2;
                    y3 = y2;
                }
                Affine<G>* target = pairs.target(at(k));
                store(&target->x, x3);
                store(&target->y, y3);
            }
            staging.template wait<0>();
        }
    }
}

}  // namespace cuzk::gpu
