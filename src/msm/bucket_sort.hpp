// Counting sort of scalars by their digits: the entries of the buckets of several windows.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "msm/bucket_kernel.hpp"
#include "msm/signed_windows.hpp"

namespace cuzk {

// Bucket (w - first_window) * windows.buckets() + |d| - 1 gets an entry of each listed scalar whose digit in
// window w is d. One object serves group after group of windows, so that memory is asked for once.
template <class Fr>
class BucketSort {
public:
    using Int = typename Fr::Int;

    void sort(std::span<const Int> scalars, std::span<const u32> list, const SignedWindows<Fr>& windows,
              unsigned first_window, unsigned last_window) {
        const std::size_t group = last_window - first_window;
        const std::size_t n = list.size();
        digits_.resize(group * n);
        parallel_ranges(0, n, 1024, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; i += kTile)
                extract_digits(scalars, list, windows, first_window, group, i, std::min(i + kTile, last));
        });

        // Each task counts, then places, one run of the list in one window; runs only as many as the threads
        // need.
        const std::size_t buckets = windows.buckets();
        const std::size_t threads = thread_count();
        const std::size_t runs =
            threads == 1 || group >= 2 * threads ? 1 : std::min(2 * threads / group + 1, n / 4096 + 1);
        counts_.assign(group * runs * buckets, 0);  // [window][run][bucket]
        parallel_for(0, group * runs, [&](std::size_t task) {
            u32* const count = counts_.data() + task * buckets;
            const std::size_t run = task % runs;
            const u32* const digits = digits_.data() + task / runs * n;
            for (std::size_t j = n * run / runs; j < n * (run + 1) / runs; ++j)
                if (digits[j] != kNoBucket) ++count[digits[j] & ~kNegativeEntry];
        });
        place_buckets(group, runs, buckets);
        parallel_for(0, group * runs, [&](std::size_t task) {
            u32* const place = counts_.data() + task * buckets;
            const std::size_t run = task % runs;
            const u32* const digits = digits_.data() + task / runs * n;
            for (std::size_t j = n * run / runs; j < n * (run + 1) / runs; ++j)
                if (digits[j] != kNoBucket)
                    entries_[place[digits[j] & ~kNegativeEntry]++] = list[j] | (digits[j] & kNegativeEntry);
        });
    }

    std::span<const u32> entries() const { return entries_; }
    std::span<const u32> offsets() const { return offsets_; }  // one more than buckets

private:
    static constexpr u32 kNoBucket = ~u32{0};
    static constexpr std::size_t kTile = 512;

    // digits_[window][j] = bucket within the window, with the sign in the top bit, of list[j].
    void extract_digits(std::span<const Int> scalars, std::span<const u32> list,
                        const SignedWindows<Fr>& windows, unsigned first_window, std::size_t group,
                        std::size_t first, std::size_t last) {
        Int shifted[kTile];
        u32 sign[kTile];
        for (std::size_t j = first; j < last; ++j) {
            bool negative;
            shifted[j - first] = windows.shifted(SignedWindows<Fr>::magnitude(scalars[list[j]], negative));
            sign[j - first] = negative ? kNegativeEntry : 0;
        }
        for (std::size_t w = 0; w < group; ++w) {
            u32* const out = digits_.data() + w * list.size();
            const auto window = windows.window(first_window + static_cast<unsigned>(w));
            for (std::size_t j = first; j < last; ++j) {
                const i64 d = window.digit(shifted[j - first]);
                const u32 flip = static_cast<u32>(d >> 63);
                const u32 size = (static_cast<u32>(d) ^ flip) - flip;
                out[j] = size == 0 ? kNoBucket : (size - 1) | ((flip & kNegativeEntry) ^ sign[j - first]);
            }
        }
    }

    // Turns counts into places, and fills offsets_.
    void place_buckets(std::size_t group, std::size_t runs, std::size_t buckets) {
        std::vector<u32> begin(group + 1);  // entries before each window
        parallel_for(0, group, [&](std::size_t w) {
            u32 total = 0;
            for (std::size_t i = 0; i < runs * buckets; ++i) total += counts_[w * runs * buckets + i];
            begin[w + 1] = total;
        });
        for (std::size_t w = 0; w < group; ++w) begin[w + 1] += begin[w];
        offsets_.resize(group * buckets + 1);
        offsets_.back() = begin[group];
        entries_.resize(begin[group]);
        parallel_for(0, group, [&](std::size_t w) {
            u32 place = begin[w];
            for (std::size_t b = 0; b < buckets; ++b) {
                offsets_[w * buckets + b] = place;
                for (std::size_t run = 0; run < runs; ++run) {
                    u32& count = counts_[(w * runs + run) * buckets + b];
                    const u32 here = count;
                    count = place;
                    place += here;
                }
            }
        });
    }

    std::vector<u32> digits_, counts_, entries_, offsets_;
};

}  // namespace cuzk
