#include "gpu/selection.hpp"

#include <bit>
#include <cstring>
#include <vector>

#include "gpu/check.hpp"
#include "gpu/scan.cuh"
#include "gpu/witness.cuh"

namespace cuzk::gpu {

namespace {

constexpr u32 kThreads = 256;

// The part of QueryLayout and of a witness that the kernels need.
struct Words {
    const u32* dense;  // null: all
    const u32* dense_before;
    const u32* is_wide;
    const u32* wide_before;
    const u32* bits;
    u32 first_variable;
    u32 variables;

    __device__ __forceinline__ u32 present(u32 w) const {
        u32 mask = dense != nullptr ? dense[w] : ~0u;
        if (w == first_variable / 32) mask &= ~0u << (first_variable % 32);
        if (w < first_variable / 32) mask = 0;
        if (w == variables / 32) mask &= (1u << (variables % 32)) - 1;
        return mask;
    }
    __device__ __forceinline__ u32 ones(u32 w) const { return present(w) & bits[w] & ~is_wide[w]; }
    __device__ __forceinline__ u32 wide(u32 w) const { return present(w) & is_wide[w]; }
    // Number of the point of variable 32 w + bit.
    __device__ __forceinline__ u32 point(u32 w, u32 bit) const {
        if (dense_before == nullptr) return 32 * w + bit - first_variable;
        return dense_before[w] + static_cast<u32>(__popc(dense[w] & ((1u << bit) - 1)));
    }
};

struct CountOnes {
    Words words;
    __device__ __forceinline__ u32 operator()(u32 w) const { return static_cast<u32>(__popc(words.ones(w))); }
};
struct CountWide {
    Words words;
    __device__ __forceinline__ u32 operator()(u32 w) const { return static_cast<u32>(__popc(words.wide(w))); }
};

__global__ void __launch_bounds__(kThreads) list_ones(Words words, u32 count, const u32* offsets, u32* out) {
    const u32 w = blockIdx.x * kThreads + threadIdx.x;
    if (w >= count) return;
    u32 at = offsets[w];
    for (u32 left = words.ones(w); left != 0; left &= left - 1)
        out[at++] = words.point(w, static_cast<u32>(__ffs(static_cast<int>(left)) - 1));
}

template <class Fr>
__global__ void __launch_bounds__(kThreads)
    list_wide(Words words, u32 count, const u32* offsets, const Fr* values, u32* points,
              typename Fr::Int* scalars) {
    // One warp a word: a scalar a lane.
    const u32 w = (blockIdx.x * kThreads + threadIdx.x) / 32;
    if (w >= count) return;
    const u32 bit = threadIdx.x % 32;
    const u32 mine = words.wide(w);
    if (((mine >> bit) & 1) == 0) return;
    const u32 below = (1u << bit) - 1;
    const u32 to = offsets[w] + static_cast<u32>(__popc(mine & below));
    const u32 from = words.wide_before[w] + static_cast<u32>(__popc(words.is_wide[w] & below));
    points[to] = words.point(w, bit);
    const Fr x = load_constant(values + from);
    store(reinterpret_cast<Fr*>(scalars) + to, Fr::from_montgomery(x.to_int()));
}

__global__ void find_bounds(const u32* list, u32 size, u32 count, u32* cuts_to_bounds) {
    const u32 k = blockIdx.x * kThreads + threadIdx.x;
    if (k >= count) return;
    const u32 cut = cuts_to_bounds[k];
    u32 low = 0, high = size;
    while (low < high) {
        const u32 middle = low + (high - low) / 2;
        if (list[middle] < cut)
            low = middle + 1;
        else
            high = middle;
    }
    cuts_to_bounds[k] = low;
}

u32 blocks(std::size_t count) {
    return static_cast<u32>((count + kThreads - 1) / kThreads);
}

}  // namespace

QueryLayout place_layout(Arena& arena, std::span<const u8> bitmap, std::size_t variables, bool packed,
                         Uploader& uploader, const Stream& stream) {
    const std::size_t count = (variables + 31) / 32;
    std::vector<u32> words(count), before(count);
    std::memcpy(words.data(), bitmap.data(), std::min(bitmap.size(), count * sizeof(u32)));
    u32 points = 0;
    for (std::size_t w = 0; w < count; ++w) {
        before[w] = points;
        points += static_cast<u32>(std::popcount(words[w]));
    }
    QueryLayout layout;
    const auto place = [&](const std::vector<u32>& host) {
        const auto device = arena.take<u32>(count, "which variables a query has");
        uploader.copy(device.data, host.data(), count * sizeof(u32), stream);
        return DeviceSpan<const u32>{device.data, device.size};
    };
    layout.words = place(words);
    if (packed) layout.before = place(before);
    return layout;
}

std::size_t layout_bytes(std::size_t variables, bool packed) {
    return (packed ? 2 : 1) * Arena::rounded((variables + 31) / 32 * sizeof(u32));
}

std::size_t selection_bytes(std::size_t variables, std::size_t bits) {
    const std::size_t words = (variables + 31) / 32;
    return 2 * Arena::rounded(words * sizeof(u32)) + scan_bytes(words) + Arena::rounded(bits * sizeof(u32)) +
           Arena::rounded((variables - bits) * sizeof(u32)) + Arena::rounded((variables - bits) * 32);
}

template <class Fr>
Selection<Fr> select(Arena& arena, const DeviceWitness<Fr>& witness, const QueryLayout& query,
                     const Stream& stream) {
    const Words words{query.words.data,  query.before.data,    witness.is_wide.data, witness.wide_before.data,
                      witness.bits.data, query.first_variable, witness.variables};
    const u32 count = witness.words();
    // The offsets are taken first and stay: what is taken later must not lie below them.
    const auto one_offsets = arena.take<u32>(count, "places in a list");
    const auto wide_offsets = arena.take<u32>(count, "places in a list");
    const u32 ones = exclusive_sums(arena, count, CountOnes{words}, one_offsets.data, 0, stream);
    const u32 wide = exclusive_sums(arena, count, CountWide{words}, wide_offsets.data, 0, stream);
    const auto one_list = arena.take<u32>(ones, "points with scalar one");
    const auto wide_list = arena.take<u32>(wide, "points with scalars");
    const auto scalars = arena.take<typename Fr::Int>(wide, "scalars");
    list_ones<<<blocks(count), kThreads, 0, stream.get()>>>(words, count, one_offsets.data, one_list.data);
    check_launch("list_ones");
    list_wide<Fr><<<blocks(std::size_t{count} * 32), kThreads, 0, stream.get()>>>(
        words, count, wide_offsets.data, witness.wide.data, wide_list.data, scalars.data);
    check_launch("list_wide");
    return {{one_list.data, one_list.size}, {wide_list.data, wide_list.size}, {scalars.data, scalars.size}};
}

std::vector<u32> piece_bounds(Arena& arena, DeviceSpan<const u32> list, std::span<const u32> cuts,
                              const Stream& stream) {
    const Arena::Scope scope(arena);
    std::vector<u32> bounds(cuts.begin(), cuts.end());
    const auto device = arena.take<u32>(bounds.size(), "parts of a list");
    copy_to_device(device.data, bounds.data(), bounds.size() * sizeof(u32), stream);
    find_bounds<<<blocks(bounds.size()), kThreads, 0, stream.get()>>>(
        list.data, static_cast<u32>(list.size), static_cast<u32>(bounds.size()), device.data);
    check_launch("find_bounds");
    copy_to_host(bounds.data(), device.data, bounds.size() * sizeof(u32), stream);
    stream.synchronize();
    return bounds;
}

CUZK_GPU_SELECT(, Bls12_381Fr)
CUZK_GPU_SELECT(, Bn254Fr)

}  // namespace cuzk::gpu
