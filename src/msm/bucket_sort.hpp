// Counting sort of scalars by their digits: the entries of the buckets of several windows.
#pragma once

#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "msm/bucket_kernel.hpp"
#include "msm/signed_windows.hpp"

namespace cuzk {

// Bucket (w - first_window) * windows.buckets() + |d| - 1 holds an entry of each listed scalar whose digit in window w is d.
struct SortedBuckets {
    std::vector<u32> entries;
    std::vector<u32> offsets;  // buckets + 1
};

template <class Fr>
void sort_into_buckets(std::span<const typename Fr::Int> scalars, std::span<const u32> list,
                       const SignedWindows<Fr>& windows, unsigned first_window, unsigned last_window,
                       SortedBuckets& out) {
    const std::size_t buckets = windows.buckets();
    const std::size_t group = last_window - first_window;
    // Each task counts, then places, one run of the list in one window; runs only as many as the threads need.
    const std::size_t runs = group >= 2 * thread_count() || thread_count() == 1
                                 ? 1
                                 : std::min<std::size_t>(2 * thread_count() / group + 1, list.size() / 4096 + 1);
    std::vector<u32> counts(group * runs * buckets);  // [window][run][bucket]
    const auto for_each_digit = [&](std::size_t task, auto&& visit) {
        const unsigned w = first_window + static_cast<unsigned>(task / runs);
        const std::size_t run = task % runs;
        const std::size_t last = list.size() * (run + 1) / runs;
        for (std::size_t j = list.size() * run / runs; j < last; ++j) {
            bool negative;
            const typename Fr::Int magnitude = SignedWindows<Fr>::magnitude(scalars[list[j]], negative);
            const i64 d = windows.digit(magnitude, w);
            if (d == 0) continue;
            const bool flip = (d < 0) != negative;
            visit(static_cast<std::size_t>(d < 0 ? -d : d) - 1, list[j] | (flip ? kNegativeEntry : 0));
        }
    };
    parallel_for(0, group * runs, [&](std::size_t task) {
        u32* count = counts.data() + task * buckets;
        for_each_digit(task, [&](std::size_t bucket, u32) { ++count[bucket]; });
    });

    std::vector<u32> begin(group + 1);  // entries before each window
    parallel_for(0, group, [&](std::size_t w) {
        u32 total = 0;
        for (std::size_t i = 0; i < runs * buckets; ++i) total += counts[w * runs * buckets + i];
        begin[w + 1] = total;
    });
    for (std::size_t w = 0; w < group; ++w) begin[w + 1] += begin[w];
    out.offsets.resize(group * buckets + 1);
    out.offsets.back() = begin[group];
    out.entries.resize(begin[group]);
    parallel_for(0, group, [&](std::size_t w) {
        u32 place = begin[w];
        for (std::size_t b = 0; b < buckets; ++b) {
            out.offsets[w * buckets + b] = place;
            for (std::size_t run = 0; run < runs; ++run) {
                u32& count = counts[(w * runs + run) * buckets + b];
                const u32 here = count;
                count = place;
                place += here;
            }
        }
    });
    parallel_for(0, group * runs, [&](std::size_t task) {
        u32* place = counts.data() + task * buckets;
        for_each_digit(task, [&](std::size_t bucket, u32 entry) { out.entries[place[bucket]++] = entry; });
    });
}

}  // namespace cuzk
