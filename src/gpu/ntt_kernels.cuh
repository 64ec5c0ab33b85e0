// Kernels of gpu/ntt_passes.hpp, which describes the method: transforms on numbers below 2p.
#pragma once

#include "gpu/check.hpp"
#include "gpu/device.hpp"
#include "gpu/lazy_field.cuh"
#include "gpu/memory.cuh"
#include "gpu/ntt_passes.hpp"

namespace cuzk::gpu {

inline constexpr u32 kTileBits = 11;  // a block's elements: 64 KiB of shared memory
inline constexpr u32 kNttThreads = 256;

template <class F>
__device__ __forceinline__ F times_power(const F& x, const PowerTable<F>& powers, u32 i) {
    if (powers.low == nullptr) return x * powers.constant;
    return x * load_constant(powers.low + (i & ((1u << powers.low_bits) - 1))) *
           load_constant(powers.high + (i >> powers.low_bits));
}

template <class F>
using LazyValue = typename Lazy<F>::Value;

template <class F>
__device__ __forceinline__ LazyValue<F> load_lazy(const F* address) {
    return LazyValue<F>(load(address).montgomery());
}
template <class F>
__device__ __forceinline__ void store_lazy(F* address, const LazyValue<F>& x) {
    store(address, F::from_montgomery(x.packed()));
}
template <class F>
__device__ __forceinline__ LazyValue<F> times_prepared(const LazyValue<F>& x, const LazyFactors<F>& table,
                                                       u32 i) {
    const auto part = [&](u32 plane) { return __ldg(table.planes + plane * table.size + i); };
    const F value = assemble<F>([&](int half) { return part(static_cast<u32>(half)); });
    const F quotient = assemble<F>([&](int half) { return part(2 + static_cast<u32>(half)); });
    return Lazy<F>::mul(x, LazyValue<F>(value.montgomery()), LazyValue<F>(quotient.montgomery()));
}
// Entry i of the table is w.
template <class F>
__device__ __forceinline__ void put_factor(const LazyFactors<F>& table, u32 i, const F& w,
                                           const typename F::Int& negative_inverse) {
    typename F::Int quotient;
    for (std::size_t a = 0; a < F::kLimbs; ++a) {
        u64 carry = 0;
        for (std::size_t b = 0; a + b < F::kLimbs; ++b) {
            const u128 x =
                u128{w.montgomery().limb[a]} * negative_inverse.limb[b] + quotient.limb[a + b] + carry;
            quotient.limb[a + b] = static_cast<u64>(x);
            carry = static_cast<u64>(x >> 64);
        }
    }
    const auto put = [&](u32 plane, const typename F::Int& number) {
        dissect(F::from_montgomery(number), [&](int half, const uint4& q) {
            table.planes[(plane + static_cast<u32>(half)) * table.size + i] = q;
        });
    };
    put(0, w.to_int());
    put(2, quotient);
}

// Elements in shared memory as two planes of 16-byte halves. Bits 3 and 4 of an index are mixed into its lowest three, such
// that eight threads whose indices differ in three consecutive bits, one or two neighbouring ones left out, reach different banks.
template <class F>
struct LazyTile {
    uint4* planes;
    u32 size;

    // Linear: the slot of a ^ b is the exclusive or of both slots.
    __device__ static __forceinline__ u32 slot(u32 i) {
        return i ^ (((i >> 3) & 1) * 7) ^ (((i >> 4) & 1) * 5);
    }
    __device__ __forceinline__ LazyValue<F> get(u32 at) const {
        return LazyValue<F>(assemble<F>([&](int half) { return planes[at + half * size]; }).montgomery());
    }
    __device__ __forceinline__ void set(u32 at, const LazyValue<F>& x) const {
        dissect(F::from_montgomery(x.packed()),
                [&](int half, const uint4& q) { planes[at + half * size] = q; });
    }
};

// Levels from the largest distance down: (a + w b, a - w b), block h of a level with root power h of the table.
template <int S, class F>
__device__ __forceinline__ void levels_down(LazyValue<F>* x, u32 block, const LazyFactors<F>& roots) {
    CUZK_UNROLL
    for (int level = 0; level < S; ++level) {
        const int half = 1 << (S - 1 - level);
        CUZK_UNROLL
        for (int b = 0; b < 1 << level; ++b) {
            const u32 h = (block << level) + static_cast<u32>(b);
            LazyValue<F>* y = x + 2 * half * b;
            if (h != 0) {  // root power 0 is 1
                CUZK_UNROLL
                for (int j = 0; j < half; ++j) y[half + j] = times_prepared<F>(y[half + j], roots, h);
            }
            CUZK_UNROLL
            for (int j = 0; j < half; ++j) {
                const LazyValue<F> a = y[j];
                y[j] = Lazy<F>::add(a, y[half + j]);
                y[half + j] = Lazy<F>::sub(a, y[half + j]);
            }
        }
    }
}

// The same backwards: (a + b, (a - b) w).
template <int S, class F>
__device__ __forceinline__ void levels_up(LazyValue<F>* x, u32 block, const LazyFactors<F>& roots) {
    CUZK_UNROLL
    for (int level = S - 1; level >= 0; --level) {
        const int half = 1 << (S - 1 - level);
        CUZK_UNROLL
        for (int b = 0; b < 1 << level; ++b) {
            const u32 h = (block << level) + static_cast<u32>(b);
            LazyValue<F>* y = x + 2 * half * b;
            CUZK_UNROLL
            for (int j = 0; j < half; ++j) {
                const LazyValue<F> a = y[j];
                y[j] = Lazy<F>::add(a, y[half + j]);
                y[half + j] = Lazy<F>::sub(a, y[half + j]);
                if (h != 0) y[half + j] = times_prepared<F>(y[half + j], roots, h);
            }
        }
    }
}

// Calls work(x, block) on each group of 2^S elements of a tile that differ in the index bits [position, position + S),
// in registers. block: the number that the index bits above form.
template <int S, class F, class Work>
__device__ __forceinline__ void for_groups(const LazyTile<F>& tile, u32 position, const Work& work) {
#pragma unroll 1
    for (u32 g = threadIdx.x; g < tile.size >> S; g += blockDim.x) {
        const u32 block = g >> position;
        const u32 first = (block << (position + S)) | (g & ((1u << position) - 1));
        const u32 slot = LazyTile<F>::slot(first);
        const auto at = [&](int j) { return slot ^ LazyTile<F>::slot(static_cast<u32>(j) << position); };
        LazyValue<F> x[1 << S];
        CUZK_UNROLL
        for (int j = 0; j < 1 << S; ++j) x[j] = tile.get(at(j));
        work(x, block);
        CUZK_UNROLL
        for (int j = 0; j < 1 << S; ++j) tile.set(at(j), x[j]);
    }
    __syncthreads();
}

// The levels of tile index bits [lowest, lowest + count), whose first one has block numbers from `blocks` on.
template <class F>
__device__ __forceinline__ void tile_down(const LazyTile<F>& tile, u32 lowest, u32 count, u32 blocks,
                                          const LazyFactors<F>& roots) {
    u32 bit = count;
    for (; bit >= 2; bit -= 2)
        for_groups<2>(tile, lowest + bit - 2, [&](LazyValue<F>* x, u32 block) {
            levels_down<2, F>(x, (blocks << (count - bit)) + block, roots);
        });
    if (bit == 1)
        for_groups<1>(tile, lowest, [&](LazyValue<F>* x, u32 block) {
            levels_down<1, F>(x, (blocks << (count - 1)) + block, roots);
        });
}
template <class F>
__device__ __forceinline__ void tile_up(const LazyTile<F>& tile, u32 lowest, u32 count, u32 blocks,
                                        const LazyFactors<F>& roots) {
    u32 bit = count % 2;
    if (bit == 1)
        for_groups<1>(tile, lowest, [&](LazyValue<F>* x, u32 block) {
            levels_up<1, F>(x, (blocks << (count - 1)) + block, roots);
        });
    for (; bit < count; bit += 2)
        for_groups<2>(tile, lowest + bit, [&](LazyValue<F>* x, u32 block) {
            levels_up<2, F>(x, (blocks << (count - bit - 2)) + block, roots);
        });
}

// x as result i of a pass: below p if `canonical`; where there is a product, it is multiplied instead.
template <class F>
__device__ __forceinline__ void store_result(F* values, F* product, u32 i, const LazyValue<F>& x,
                                             bool canonical) {
    if (product != nullptr)
        store(product + i, load(product + i) * F::from_montgomery(x.packed()));  // x goes second
    else if (canonical)
        store(values + i, Lazy<F>::canonical(x));
    else
        store_lazy(values + i, x);
}

// One pass over the index bits [lowest, lowest + count): a tile has 2^count rows of 2^columns neighbours.
template <class F, bool kDown>
__global__ void __launch_bounds__(kNttThreads, 3)
    outer_pass(F* values, LazyFactors<F> roots, u32 lowest, u32 count, u32 columns, bool canonical,
               F* product) {
    extern __shared__ uint4 shared_memory[];
    const LazyTile<F> tile{shared_memory, 1u << (count + columns)};
    const u32 middle_bits = lowest - columns;
    const u32 top = blockIdx.x >> middle_bits;
    const u32 base = (top << (lowest + count)) | ((blockIdx.x & ((1u << middle_bits) - 1)) << columns);
    const auto index = [&](u32 i) { return base | ((i >> columns) << lowest) | (i & ((1u << columns) - 1)); };

#pragma unroll 4
    for (u32 i = threadIdx.x; i < tile.size; i += blockDim.x)
        tile.set(LazyTile<F>::slot(i), load_lazy(values + index(i)));
    __syncthreads();
    if constexpr (kDown)
        tile_down<F>(tile, columns, count, top, roots);
    else
        tile_up<F>(tile, columns, count, top, roots);
#pragma unroll 2
    for (u32 i = threadIdx.x; i < tile.size; i += blockDim.x) {
        store_result(values, product, index(i), tile.get(LazyTile<F>::slot(i)), canonical);
    }
}

// What the tiles of neighbours need: tile b of 2^tile_bits elements holds the coefficients (before its own transform: their
// partial sums) k = r mod 2^outer_bits, r = b reversed. Element t is multiplied by root^(+- r t) and a power of r; the
// exponents of both are split, t = 32 high + low, so that a tile needs 96 factors and an element two products.
template <class F>
struct TileFactors {
    static constexpr u32 kLow = 32;
    static constexpr u32 kHigh = (1u << kTileBits) / kLow;
    static constexpr u32 kCount = kLow + kHigh;
    static constexpr std::size_t kBytes = kCount * LazyFactors<F>::kBytes;

    LazyFactors<F> table;  // in shared memory

    __device__ __forceinline__ explicit TileFactors(uint4* memory) : table{memory, kCount} {}

    // By all threads of a block, which must synchronize before and after. root^e is element e of root_powers.
    __device__ __forceinline__ void make(u32 r, u32 log_size, bool inverse, const PowerTable<F>& root_powers,
                                         const PowerTable<F>& of_tile,
                                         const typename F::Int& negative_inverse) const {
#pragma unroll 1
        for (u32 j = threadIdx.x; j < kCount; j += blockDim.x) {
            u32 exponent = r * (j < kLow ? j : (j - kLow) * kLow);
            if (inverse) exponent = 0 - exponent;
            const F power = times_power(F::one(), root_powers, exponent & ((1u << log_size) - 1));
            put_factor(table, j, j < kLow ? power : times_power(power, of_tile, r), negative_inverse);
        }
    }
    __device__ __forceinline__ LazyValue<F> times(const LazyValue<F>& x, u32 t) const {
        return one_of(one_of(x, t % kLow), kLow + t / kLow);
    }

private:
    __device__ __forceinline__ LazyValue<F> one_of(const LazyValue<F>& x, u32 j) const {
        const auto part = [&](u32 plane) { return table.planes[plane * kCount + j]; };
        const F value = assemble<F>([&](int half) { return part(static_cast<u32>(half)); });
        const F quotient = assemble<F>([&](int half) { return part(2 + static_cast<u32>(half)); });
        return Lazy<F>::mul(x, LazyValue<F>(value.montgomery()), LazyValue<F>(quotient.montgomery()));
    }
};

inline constexpr u32 kTurnBits = 2;  // levels that the end of the inverse and the forward transform share

template <class F>
struct InnerPass {
    F* values;
    u32 log_size, tile_bits;
    bool inverse;  // the transform downwards
    LazyFactors<F> down_roots;
    LazyFactors<F> up_roots;
    PowerTable<F> root_powers;
    PowerTable<F> before_tile;  // by r, downwards
    PowerTable<F> after_tile;   // by r, upwards
    LazyFactors<F>
        of_place;  // of the coefficients between them, by the place in the tile, rotated; may be absent
    bool canonical;
    F* product;  // see store_result
    typename F::Int negative_inverse;
};

// A tile of 2^tile_bits neighbours: its part of a transform downwards, the coefficients' factors, its part of one upwards; both or
// one of them.
template <class F, bool kDown, bool kUp>
__global__ void __launch_bounds__(kNttThreads, 3) inner_pass(InnerPass<F> job) {
    extern __shared__ uint4 shared_memory[];
    const LazyTile<F> tile{shared_memory, 1u << job.tile_bits};
    const TileFactors<F> factors(shared_memory + 2 * tile.size);
    const u32 outer_bits = job.log_size - job.tile_bits;
    const u32 r = outer_bits == 0 ? 0 : __brev(blockIdx.x) >> (32 - outer_bits);
    F* values = job.values + (std::size_t{blockIdx.x} << job.tile_bits);

    LazyValue<F> ahead = load_lazy(values + min(threadIdx.x, tile.size - 1));
    if constexpr (kDown) {
        factors.make(r, job.log_size, job.inverse, job.root_powers, job.before_tile, job.negative_inverse);
        __syncthreads();
    }
#pragma unroll 1
    for (u32 i = threadIdx.x; i < tile.size; i += blockDim.x) {
        const LazyValue<F> x = ahead;
        if (i + blockDim.x < tile.size) ahead = load_lazy(values + i + blockDim.x);
        tile.set(LazyTile<F>::slot(i), kDown ? factors.times(x, i) : x);
    }
    __syncthreads();
    if constexpr (kUp)
        factors.make(r, job.log_size, false, job.root_powers, job.after_tile, job.negative_inverse);

    // Where one transform ends the other begins, with the same groups.
    const u32 turn_bits = min(job.tile_bits, kTurnBits);
    if constexpr (kDown) tile_down<F>(tile, turn_bits, job.tile_bits - turn_bits, 0, job.down_roots);
    const auto turn = [&](auto levels) {
        constexpr int kLevels = decltype(levels)::value;
        for_groups<kLevels>(tile, 0, [&](LazyValue<F>* x, u32 block) {
            if constexpr (kDown) levels_down<kLevels, F>(x, block, job.down_roots);
            if (job.of_place.planes != nullptr) {
                CUZK_UNROLL
                for (u32 j = 0; j < 1u << kLevels; ++j)
                    x[j] = times_prepared<F>(x[j], job.of_place, j * (tile.size >> kLevels) + block);
            }
            if constexpr (kUp) levels_up<kLevels, F>(x, block, job.up_roots);
        });
    };
    if (turn_bits == kTurnBits)
        turn(std::integral_constant<int, kTurnBits>{});
    else if (turn_bits == 1)
        turn(std::integral_constant<int, 1>{});
    else
        turn(std::integral_constant<int, 0>{});
    if constexpr (kUp) tile_up<F>(tile, turn_bits, job.tile_bits - turn_bits, 0, job.up_roots);

#pragma unroll 1
    for (u32 i = threadIdx.x; i < tile.size; i += blockDim.x) {
        LazyValue<F> x = tile.get(LazyTile<F>::slot(i));
        if constexpr (kUp) x = factors.times(x, i);
        store_result(job.values, job.product, (blockIdx.x << job.tile_bits) + i, x, job.canonical);
    }
}

// For the passes that undo the bit reversal: elements below 2p, which become canonical.
template <class F>
struct CanonicalReversal {
    F* values;

    __device__ __forceinline__ F load_at(u32 i) const { return Lazy<F>::canonical(load_lazy(values + i)); }
    __device__ __forceinline__ void store_at(u32 i, const F& x) const { store(values + i, x); }
};

// Elements i and reverse(i) change places. For small sizes.
template <class F, class Elements>
__global__ void reverse_small(Elements elements, u32 log_size) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= 1u << log_size) return;
    const u32 j = log_size == 0 ? 0 : __brev(i) >> (32 - log_size);
    if (j < i) return;
    const F a = elements.load_at(i);
    const F b = elements.load_at(j);
    elements.store_at(i, b);
    elements.store_at(j, a);
}

// The same for 2^8 elements and more: a block exchanges two tiles of 16 rows, each row 512 contiguous bytes. The tile of an
// index is its middle bits; row and column, its high and low four bits, trade places reversed.
template <class F, class Elements>
__global__ void __launch_bounds__(256) reverse_tiles(Elements elements, u32 log_size) {
    constexpr u32 kTile = 16 * 17;  // one column more than data, against bank conflicts
    __shared__ uint4 memory[2 * kTile * kQuads<F>];
    F* tiles = reinterpret_cast<F*>(memory);
    const u32 middle_bits = log_size - 8;
    const u32 here = blockIdx.x;
    const u32 there = middle_bits == 0 ? 0 : __brev(here) >> (32 - middle_bits);
    if (there < here) return;
    const u32 row = threadIdx.x >> 4;
    const u32 column = threadIdx.x & 15;
    const auto index = [&](u32 tile) { return (row << (log_size - 4)) | (tile << 4) | column; };
    store(tiles + row * 17 + column, elements.load_at(index(here)));
    store(tiles + kTile + row * 17 + column, elements.load_at(index(there)));
    __syncthreads();
    const u32 source = (__brev(column) >> 28) * 17 + (__brev(row) >> 28);
    elements.store_at(index(here), load(tiles + kTile + source));
    elements.store_at(index(there), load(tiles + source));
}

// Undoes the bit reversal of 2^log_size elements in place.
template <class F, class Elements>
void queue_reversal(const Elements& elements, u32 log_size, const Stream& stream) {
    if (log_size >= 8) {
        reverse_tiles<F><<<1u << (log_size - 8), 256, 0, stream.get()>>>(elements, log_size);
        check_launch("reverse_tiles");
    } else {
        reverse_small<F><<<1, 1u << log_size, 0, stream.get()>>>(elements, log_size);
        check_launch("reverse_small");
    }
}

// out[i] = constant * base^i
template <class F>
__global__ void fill_powers(F* out, u32 count, F base, F constant) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) store(out + i, base.pow(u64{i}) * constant);
}

// Numbers whose bit k stands for power[k].
template <class F>
struct BitPowers {
    F power[kTileBits + 10];
};

// Entry i is the product of the powers of i's bits, of which there are `bits`.
template <class F>
__global__ void fill_lazy_factors(LazyFactors<F> out, u32 bits, BitPowers<F> powers,
                                  typename F::Int negative_inverse) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= out.size) return;
    F w = F::one();
    for (u32 k = 0; k < bits; ++k)
        if (((i >> k) & 1) != 0) w = w * powers.power[k];
    put_factor(out, i, w, negative_inverse);
}

}  // namespace cuzk::gpu
