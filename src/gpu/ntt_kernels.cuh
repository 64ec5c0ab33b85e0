// Kernels of the transforms; gpu/ntt.hpp describes the method.
#pragma once

#include "gpu/check.hpp"
#include "gpu/device.hpp"
#include "gpu/memory.cuh"

namespace cuzk::gpu {

inline constexpr u32 kTileBits = 11;  // a block's elements: 64 KiB of shared memory
inline constexpr u32 kNttThreads = 256;

// Element i is multiplied by low[i mod 2^low_bits] * high[i / 2^low_bits], or by `constant` where low is null.
template <class F>
struct Scale {
    const F* low;
    const F* high;
    u32 low_bits;
    F constant;

    __device__ __forceinline__ F operator()(const F& x, u32 i) const {
        if (low == nullptr) return x * constant;
        return x * load_constant(low + (i & ((1u << low_bits) - 1))) * load_constant(high + (i >> low_bits));
    }
};

// Elements in shared memory as two planes of 16-byte halves. The low index bits are mixed with the next ones, so that eight
// neighbouring threads reach eight different banks at each of the strides 1, 2, 4 and 8.
template <class F>
struct Tile {
    static_assert(F::kBytes == 32);
    uint4* planes;
    u32 size;

    __device__ __forceinline__ u32 slot(u32 i) const { return i ^ ((i >> 3) & 7); }
    __device__ __forceinline__ F get(u32 i) const {
        const uint4* p = planes + slot(i);
        return assemble<F>([&](int half) { return p[half * size]; });
    }
    __device__ __forceinline__ void set(u32 i, const F& x) const {
        uint4* p = planes + slot(i);
        dissect(x, [&](int half, const uint4& q) { p[half * size] = q; });
    }
};

// Root power of block h: exponent = bits of h reversed. The inverse's is the negative of the forward one's, with the bits
// below the highest set one flipped.
template <class F>
__device__ __forceinline__ F twiddle(const F* table, u32 h, bool inverse) {
    if (!inverse) return load_constant(table + h);
    return -load_constant(table + (h ^ ((0x80000000u >> __clz(static_cast<int>(h))) - 1)));
}

// S levels on the index bits [position, position + S) of a tile. Block numbers of the first level start at `blocks`.
template <int S, class F>
__device__ __forceinline__ void tile_levels(const Tile<F>& tile, u32 position, u32 blocks, const F* table,
                                            bool inverse) {
#pragma unroll 1
    for (u32 g = threadIdx.x; g < tile.size >> S; g += blockDim.x) {
        const u32 high = g >> position;
        const u32 first = (high << (position + S)) | (g & ((1u << position) - 1));
        F x[1 << S];
        CUZK_UNROLL
        for (int j = 0; j < 1 << S; ++j) x[j] = tile.get(first + (static_cast<u32>(j) << position));
        CUZK_UNROLL
        for (int level = 0; level < S; ++level) {
            const int half = 1 << (S - 1 - level);
            CUZK_UNROLL
            for (int b = 0; b < 1 << level; ++b) {
                const u32 h = ((blocks + high) << level) + static_cast<u32>(b);
                F* y = x + 2 * half * b;
                if (h != 0) {  // block 0 has root power 1
                    const F w = twiddle(table, h, inverse);
                    CUZK_UNROLL
                    for (int j = 0; j < half; ++j) y[half + j] = y[half + j] * w;
                }
                CUZK_UNROLL
                for (int j = 0; j < half; ++j) {
                    const F u = y[j];
                    y[j] = u + y[half + j];
                    y[half + j] = u - y[half + j];
                }
            }
        }
        CUZK_UNROLL
        for (int j = 0; j < 1 << S; ++j) tile.set(first + (static_cast<u32>(j) << position), x[j]);
    }
    __syncthreads();
}

// One pass: the levels of index bits [lowest, lowest + count). A tile has 2^count rows of 2^columns neighbours; it is
// contiguous where lowest = 0 (then columns = 0).
template <class F>
__global__ void __launch_bounds__(kNttThreads, 3)
    ntt_pass(F* values, const F* table, u32 lowest, u32 count, u32 columns, bool inverse, bool scaled,
             Scale<F> scale) {
    extern __shared__ uint4 shared_memory[];
    const Tile<F> tile{shared_memory, 1u << (count + columns)};
    const u32 middle_bits = lowest - columns;
    const u32 top = blockIdx.x >> middle_bits;
    const u32 base = (top << (lowest + count)) | ((blockIdx.x & ((1u << middle_bits) - 1)) << columns);
    const auto index = [&](u32 i) { return base | ((i >> columns) << lowest) | (i & ((1u << columns) - 1)); };

#pragma unroll 1
    for (u32 i = threadIdx.x; i < tile.size; i += blockDim.x) {
        F x = load(values + index(i));
        if (scaled) x = scale(x, index(i));
        tile.set(i, x);
    }
    __syncthreads();
    u32 bit = count;
    while (bit >= 2) {  // two levels at a time leave room for three blocks' registers
        bit -= 2;
        tile_levels<2>(tile, bit + columns, top << (count - bit - 2), table, inverse);
    }
    if (bit == 1) tile_levels<1>(tile, columns, top << (count - 1), table, inverse);
#pragma unroll 1
    for (u32 i = threadIdx.x; i < tile.size; i += blockDim.x) store(values + index(i), tile.get(i));
}

// For the passes that undo the bit reversal: an element, scaled by its new index.
template <class F>
struct ScaledReversal {
    F* values;
    bool scaled;
    Scale<F> scale;

    __device__ __forceinline__ F load_at(u32 i) const { return load(values + i); }
    __device__ __forceinline__ void store_at(u32 i, const F& x) const {
        store(values + i, scaled ? scale(x, i) : x);
    }
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

// table[count + j] = table[j] * factor for j < count.
template <class F>
__global__ void extend_twiddles(F* table, u32 count, F factor) {
    const u32 j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < count) store(table + count + j, load(table + j) * factor);
}

// out[i] = constant * base^i
template <class F>
__global__ void fill_powers(F* out, u32 count, F base, F constant) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) store(out + i, base.pow(u64{i}) * constant);
}

}  // namespace cuzk::gpu
