// The additions of a group of windows, planned before any of them is done: a sum's result changes nothing in the plan.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "gpu/arena.hpp"
#include "gpu/check.hpp"
#include "gpu/msm.hpp"
#include "gpu/msm_plan.cuh"
#include "gpu/msm_timer.cuh"

namespace cuzk::gpu {

// Memory that sorts and scans of all groups use in turn.
class PlanMemory {
public:
    PlanMemory(Arena& arena, u32 n, u32 buckets) {
        check(
            cub::DeviceRadixSort::SortPairs<u32, u32>(nullptr, sort_, nullptr, nullptr, nullptr, nullptr, n),
            "radix sort");
        check(cub::DeviceScan::ExclusiveSum(nullptr, scan_, counts_of({nullptr, nullptr, 0}),
                                            static_cast<u64*>(nullptr), buckets),
              "scan");
        memory_ = arena.take<u8>(std::max(sort_, scan_), "sorting");
    }
    static std::size_t bytes(std::size_t sorted) { return sorted * 8 + sorted / 4 + (std::size_t{6} << 20); }

    void sort(const u32* keys, u32* key, const u32* entries, u32* entry, u32 n, int bits,
              const Stream& stream) {
        check(cub::DeviceRadixSort::SortPairs(memory_.data, sort_, keys, key, entries, entry, n, 0, bits,
                                              stream.get()),
              "radix sort");
    }
    void scan(const BucketCounts& counts, u64* offsets, u32 buckets, const Stream& stream) {
        check(cub::DeviceScan::ExclusiveSum(memory_.data, scan_, counts_of(counts), offsets, buckets,
                                            stream.get()),
              "scan");
    }

private:
    static thrust::transform_iterator<BucketCounts, thrust::counting_iterator<u32>> counts_of(
        const BucketCounts& counts) {
        return thrust::make_transform_iterator(thrust::make_counting_iterator<u32>(0u), counts);
    }

    std::size_t sort_ = 0;
    std::size_t scan_ = 0;
    DeviceSpan<u8> memory_;
};

// Up to `windows` windows of n scalars with so many buckets each.
class WindowGroup {
public:
    WindowGroup(Arena& arena, u32 n, u32 windows, u32 buckets)
        : n_(n),
          buckets_(buckets),
          sorts_at_once_(std::size_t{windows} * n <= kSortedAtOnce),
          begin_(arena.take<u32>(std::size_t{windows} * buckets, "bucket bounds")),
          end_(arena.take<u32>(std::size_t{windows} * buckets, "bucket bounds")),
          totals_(arena.take<unsigned long long>(kRounds + 1, "totals")),
          counts_(arena.take<u32>(windows, "numbers of digits")),
          keys_(arena.take<u32>(std::size_t{windows} * n, "digits")),
          entries_(arena.take<u32>(std::size_t{windows} * n, "entries of digits")),
          key_(arena.take<u32>(std::size_t{windows} * n, "sorted digits")),
          entry_(arena.take<u32>(std::size_t{windows} * n, "sorted entries")),
          pairs_(arena.take<uint2>(std::size_t{windows} * n, "pairs")) {
        for (auto& span : offsets_) span = arena.take<u64>(std::size_t{windows} * buckets, "bucket offsets");
    }

    // Bytes of the arena, but for alignment.
    static std::size_t bytes(std::size_t n, u32 windows, u32 buckets) {
        return windows * (n * (4 * sizeof(u32) + sizeof(uint2)) +
                          std::size_t{buckets} * (2 * sizeof(u32) + 2 * sizeof(u64)));
    }

    // Digits that one sort takes at most. So few are sorted all at once, which is one sort's latency; more by windows, which is
    // less to read and write.
    static std::size_t largest_sort(std::size_t n, u32 windows) {
        return std::max(n, std::min(windows * n, kSortedAtOnce));
    }

    // Plans windows [first, first + count) and waits for the stream, but not for the end of the plan. `sparse`: many digits
    // are 0, so that dropping them before the sort pays.
    template <class Fr>
    void plan(const typename Fr::Int* scalars, const u32* indices, const Windows& windows, u32 first,
              u32 count, bool sparse, u32 multiprocessors, PlanMemory& memory, const Stream& stream,
              StageTimer& timed, MsmReport& report) {
        count_ = count;
        u32 digits_of[Windows::kMax];
        std::fill_n(digits_of, count, n_);
        if (sparse && !sorts_at_once_) {
            timed(report.sort, [&] {
                check(cudaMemsetAsync(counts_.data, 0, count * sizeof(u32), stream.get()), "cudaMemsetAsync");
                split_digits<Fr><<<blocks_for(n_, kPlanThreads), kPlanThreads, 0, stream.get()>>>(
                    scalars, indices, n_, windows, first, count, counts_.data, keys_.data, entries_.data);
                check_launch("split_digits");
            });
            copy_to_host(digits_of, counts_.data, count * sizeof(u32), stream);
            stream.synchronize();
        } else {
            timed(report.sort, [&] {
                split_all_digits<Fr><<<blocks_for(n_, kPlanThreads), kPlanThreads, 0, stream.get()>>>(
                    scalars, indices, n_, windows, first, count, keys_.data, entries_.data);
                check_launch("split_all_digits");
            });
        }
        for (u32 k = 0; k < count; ++k) lists_.begin[k + 1] = lists_.begin[k] + digits_of[k];
        longest_ = *std::max_element(digits_of, digits_of + count);
        timed(report.sort, [&] {
            if (sorts_at_once_) {
                memory.sort(keys_.data, key_.data, entries_.data, entry_.data, count * n_,
                            static_cast<int>(windows.widest + std::bit_width(count - 1)), stream);
                return;
            }
            for (u32 k = 0; k < count; ++k)
                if (digits_of[k] != 0)
                    memory.sort(keys_.data + std::size_t{k} * n_, key_.data + lists_.begin[k],
                                entries_.data + std::size_t{k} * n_, entry_.data + lists_.begin[k],
                                digits_of[k], windows.width[first + k], stream);
        });
        timed(report.plan, [&] { count_additions(multiprocessors, stream); });
        copy_to_host(pairs_of_, totals_.data, sizeof(pairs_of_), stream);
        stream.synchronize();
        timed(report.plan, [&] { plan_rounds(memory, stream); });
    }

    u32 buckets() const { return count_ * buckets_; }
    const u32* begin() const { return begin_.data; }
    const u32* end() const { return end_.data; }
    int rounds() const { return rounds_; }
    // Of round r; its pairs begin where those of the rounds before end, and their sums lie there too.
    std::size_t additions(int round) const { return pairs_of_[round]; }
    const uint2* pairs() const { return pairs_.data; }
    // What is left in each bucket: where, and the entries. Offsets are null if there was no round.
    const u64* last_offsets() const { return last_offsets_; }
    const u32* last_entries() const { return last_entries_; }

private:
    static constexpr std::size_t kSortedAtOnce = std::size_t{1} << 24;

    void count_additions(u32 multiprocessors, const Stream& stream) {
        const u32 buckets = count_ * buckets_;
        check(cudaMemsetAsync(begin_.data, 0, buckets * sizeof(u32), stream.get()), "cudaMemsetAsync");
        check(cudaMemsetAsync(end_.data, 0, buckets * sizeof(u32), stream.get()), "cudaMemsetAsync");
        check(cudaMemsetAsync(totals_.data, 0, sizeof(pairs_of_), stream.get()), "cudaMemsetAsync");
        if (longest_ != 0) {
            find_buckets<<<dim3(blocks_for(longest_, kPlanThreads), count_), kPlanThreads, 0, stream.get()>>>(
                key_.data, lists_, buckets_, begin_.data, end_.data);
            check_launch("find_buckets");
        }
        count_pairs<<<multiprocessors * 4, kPlanThreads, 0, stream.get()>>>(begin_.data, end_.data, buckets,
                                                                            totals_.data);
        check_launch("count_pairs");
    }

    void plan_rounds(PlanMemory& memory, const Stream& stream) {
        // Lists of later rounds take the places of those that have been read.
        u32* const list[2] = {keys_.data, key_.data};
        u32* const list_bucket[2] = {entries_.data, entry_.data};
        last_entries_ = entry_.data;
        last_offsets_ = nullptr;
        std::size_t first_sum = 0;
        std::size_t left = pairs_of_[kRounds];
        for (rounds_ = 0; rounds_ < kRounds && pairs_of_[rounds_] != 0; ++rounds_) {
            const int to = rounds_ & 1;
            const Round round{{begin_.data, end_.data, rounds_},
                              last_offsets_,
                              offsets_[to].data,
                              last_entries_,
                              rounds_ == 0 ? key_.data : list_bucket[to ^ 1],
                              static_cast<u32>(first_sum),
                              pairs_.data + first_sum,
                              list[to],
                              list_bucket[to]};
            memory.scan(round.counts, offsets_[to].data, count_ * buckets_, stream);
            if (rounds_ == 0)
                plan_first_round<<<dim3(blocks_for(longest_, kPlanThreads), count_), kPlanThreads, 0,
                                   stream.get()>>>(round, lists_, buckets_);
            else
                plan_round<<<blocks_for(left, kPlanThreads), kPlanThreads, 0, stream.get()>>>(
                    round, static_cast<u32>(left));
            check_launch("plan_round");
            first_sum += pairs_of_[rounds_];
            left -= pairs_of_[rounds_];
            last_entries_ = list[to];
            last_offsets_ = offsets_[to].data;
        }
    }

    u32 n_;
    u32 buckets_;  // a window
    bool sorts_at_once_;
    DeviceSpan<u32> begin_, end_;
    DeviceSpan<unsigned long long> totals_;
    DeviceSpan<u32> counts_, keys_, entries_, key_, entry_;
    DeviceSpan<uint2> pairs_;
    DeviceSpan<u64> offsets_[2];
    u32 count_ = 0, longest_ = 0;
    WindowLists lists_{};
    unsigned long long pairs_of_[kRounds + 1] = {};
    int rounds_ = 0;
    const u64* last_offsets_ = nullptr;
    const u32* last_entries_ = nullptr;
};

}  // namespace cuzk::gpu
