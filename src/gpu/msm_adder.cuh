// Launches of add_pairs, and the memory for their prefix products.
#pragma once

#include <algorithm>

#include "base/error.hpp"
#include "gpu/arena.hpp"
#include "gpu/check.hpp"
#include "gpu/msm_add.cuh"

namespace cuzk::gpu {

template <class G>
class Adder {
public:
    using Field = typename G::Field;

    // For the device of the arena, with work queued on `stream`; both must outlive this.
    Adder(Arena& arena, const Stream& stream)
        : arena_(arena), stream_(stream), grid_(multiprocessors_of(arena.device()) * kAddBlocks) {}

    u32 multiprocessors() const { return grid_ / kAddBlocks; }

    // Elements for the prefixes of up to `pairs` pairs, so that inversions are shared as widely as it pays.
    static std::size_t prefix_count(std::size_t pairs, u32 multiprocessors) {
        const std::size_t threads = std::size_t{multiprocessors} * kAddBlocks * kAddThreads;
        return std::min(pairs + threads, threads * kPairsPerChunk<Field> * 3 / 2);
    }
    // Elements with which additions run at all, at a fifth of their rate.
    static std::size_t least_prefix_count(std::size_t pairs, u32 multiprocessors) {
        const std::size_t threads = std::size_t{multiprocessors} * kAddBlocks * kAddThreads;
        return std::min(pairs + threads, threads * 8);
    }

    // Memory for prefixes: prefix_count, or what is left of the arena if that is less.
    DeviceSpan<Field> take_prefixes(std::size_t pairs) {
        const std::size_t left = (arena_.size() - arena_.used()) / sizeof(Field);
        const std::size_t wanted = prefix_count(pairs, multiprocessors());
        const std::size_t least = least_prefix_count(pairs, multiprocessors());
        return arena_.take<Field>(std::max(std::min(wanted, left), least), "prefix products");
    }

    // Adds pairs [0, count). `prefixes` come from take_prefixes(count or more).
    template <class Pairs>
    void operator()(const Pairs& pairs, std::size_t count, DeviceSpan<Field> prefixes) const {
        if (count == 0) return;
        const std::size_t wanted = (count + kAddThreads - 1) / kAddThreads;
        const auto grid = static_cast<u32>(std::min<std::size_t>(grid_, wanted));
        const u32 per_thread = static_cast<u32>((wanted + grid - 1) / grid);
        const u32 used = static_cast<u32>((wanted + per_thread - 1) / per_thread);
        const auto room = static_cast<u32>(prefixes.size / (std::size_t{used} * kAddThreads));
        const u32 chunks = std::max(1u, (per_thread + kPairsPerChunk<Field> / 2) / kPairsPerChunk<Field>);
        const u32 per_chunk = std::min((per_thread + chunks - 1) / chunks, room);
        if (per_chunk == 0) throw Error(ErrorKind::kInternal, "too few prefixes for a round of additions");
        if constexpr (kAddMemory < Field >> (48 << 10))
            check(cudaFuncSetAttribute(add_pairs<G, Pairs>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       kAddMemory<Field>),
                  "cudaFuncSetAttribute");
        add_pairs<G, Pairs><<<used, kAddThreads, kAddMemory<Field>, stream_.get()>>>(
            pairs, static_cast<u32>(count), reinterpret_cast<uint4*>(prefixes.data), per_thread, per_chunk,
            multiprocessors());
        check_launch("add_pairs");
    }

    static u32 multiprocessors_of(int device) {
        int count = 0;
        check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
              "cudaDeviceGetAttribute");
        return static_cast<u32>(count);
    }

private:
    Arena& arena_;
    const Stream& stream_;
    u32 grid_;
};

}  // namespace cuzk::gpu
