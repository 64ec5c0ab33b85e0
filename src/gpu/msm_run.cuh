// The host's side of gpu/msm.hpp, for explicit instantiation.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/check.hpp"
#include "gpu/msm.hpp"
#include "gpu/msm_add.cuh"
#include "gpu/msm_reduce.cuh"

namespace cuzk::gpu {

template <class G>
class MsmRun {
public:
    using Fr = typename G::Scalar;
    using Point = Affine<G>;

    MsmRun(Arena& arena, DeviceSpan<const Point> bases, const Stream& stream, MsmReport& report)
        : arena_(arena),
          bases_(bases),
          stream_(stream),
          report_(report),
          used_before_(arena.used()),
          n_(static_cast<u32>(bases.size)),
          windows_(Windows::for_size(static_cast<u32>(Fr::kBits), bases.size)),
          buckets_(windows_.buckets()) {
        check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, arena.device()),
              "cudaDeviceGetAttribute");
    }

    Jacobian<G> run(DeviceSpan<const typename Fr::Int> scalars) {
        const auto dense = arena_.take<Point>(std::size_t{windows_.count} * buckets_, "bucket sums");
        {
            const Arena::Scope scope(arena_);
            const std::size_t digits = std::size_t{windows_.count} * n_;
            const auto keys = arena_.take<u32>(digits, "digits");
            const auto entries = arena_.take<u32>(digits, "entries of digits");
            timed(report_.sort, [&] {
                split_digits<Fr><<<blocks(n_, kPlanThreads), kPlanThreads, 0, stream_.get()>>>(
                    scalars.data, n_, windows_, keys.data, entries.data);
                check_launch("split_digits");
            });
            const u32 at_once = windows_at_once();
            report_.windows = windows_.count;
            report_.windows_at_once = at_once;
            for (u32 first = 0; first < windows_.count; first += at_once)
                fill_buckets(first, std::min(at_once, windows_.count - first), keys, entries, dense);
        }
        return reduce(dense);
    }

private:
    static u32 blocks(std::size_t count, u32 threads) {
        return static_cast<u32>((count + threads - 1) / threads);
    }

    // Runs work() and adds its time on the device to `milliseconds` when times() is called.
    template <class Work>
    void timed(double& milliseconds, const Work& work) {
        auto start = std::make_unique<Event>();
        auto end = std::make_unique<Event>();
        start->record(stream_);
        work();
        end->record(stream_);
        times_.push_back({&milliseconds, std::move(start), std::move(end)});
    }
    void add_times() {
        stream_.synchronize();
        for (const auto& time : times_) *time.milliseconds += time.end->milliseconds_since(*time.start);
        times_.clear();
    }

    void note_scratch() { report_.scratch = std::max(report_.scratch, arena_.used() - used_before_); }

    // Elements that add_pairs needs for prefixes, at most, for up to `pairs` pairs.
    std::size_t prefix_count(std::size_t pairs) const {
        const std::size_t grid = static_cast<std::size_t>(multiprocessors_) * kAddBlocks;
        return std::min(pairs + grid * kAddThreads, grid * kAddThreads * kPairsPerChunk * 3 / 2);
    }

    // As many windows as the rest of the arena surely has room for; 1 at least.
    u32 windows_at_once() const {
        // A digit: sorted key and entry, the sort's own copies, two lists of entries and buckets, half a pair, a sum.
        constexpr std::size_t kBytesPerDigit = 8 + 8 + 16 + 4 + sizeof(Point);
        constexpr std::size_t kBytesPerBucket = 32;  // bounds, offsets, and some to spare
        constexpr std::size_t kOther = std::size_t{16} << 20;
        const std::size_t left = arena_.size() - arena_.used();
        u32 count = windows_.count;
        for (; count > 1; --count) {
            const std::size_t digits = std::size_t{count} * n_;
            const std::size_t bytes = digits * kBytesPerDigit +
                                      std::size_t{count} * buckets_ * kBytesPerBucket +
                                      prefix_count(digits / 2) * sizeof(typename G::Field) + kOther;
            if (bytes <= left && digits <= kIndexMask && std::size_t{count} * buckets_ <= kIndexMask) break;
        }
        return count;
    }

    template <class Pairs>
    void add(const Pairs& pairs, std::size_t count, DeviceSpan<typename G::Field> prefixes) {
        if (count == 0) return;
        const std::size_t wanted = (count + kAddThreads - 1) / kAddThreads;
        const auto grid =
            static_cast<u32>(std::min(static_cast<std::size_t>(multiprocessors_) * kAddBlocks, wanted));
        const u32 per_thread = static_cast<u32>((wanted + grid - 1) / grid);
        const u32 chunks = std::max(1u, (per_thread + kPairsPerChunk / 2) / kPairsPerChunk);
        const u32 per_chunk = (per_thread + chunks - 1) / chunks;
        const u32 used = static_cast<u32>((wanted + per_thread - 1) / per_thread);
        if (std::size_t{used} * per_chunk * kAddThreads > prefixes.size)
            throw Error(ErrorKind::kInternal, "too few prefixes for a round of additions");
        add_pairs<G, Pairs><<<used, kAddThreads, 0, stream_.get()>>>(
            pairs, static_cast<u32>(count), reinterpret_cast<uint4*>(prefixes.data), per_thread, per_chunk,
            static_cast<u32>(multiprocessors_));
        check_launch("add_pairs");
    }

    // Sums of the buckets of `count` windows from `first` on.
    void fill_buckets(u32 first, u32 count, DeviceSpan<u32> keys, DeviceSpan<u32> entries,
                      DeviceSpan<Point> dense) {
        const Arena::Scope scope(arena_);
        const cudaStream_t stream = stream_.get();
        const std::size_t digits = std::size_t{count} * n_;
        const u32 buckets = count * buckets_;
        const auto key = arena_.take<u32>(digits, "sorted digits");
        const auto entry = arena_.take<u32>(digits, "sorted entries");
        const auto begin = arena_.take<u32>(buckets, "bucket bounds");
        const auto end = arena_.take<u32>(buckets, "bucket bounds");
        const auto totals = arena_.take<unsigned long long>(kRounds + 1, "totals");
        DeviceSpan<u64> offsets[2];
        for (auto& span : offsets) span = arena_.take<u64>(buckets, "bucket offsets");

        const auto counts_of = [&](int round) {
            return thrust::make_transform_iterator(thrust::make_counting_iterator<u32>(0u),
                                                   BucketCounts{begin.data, end.data, round});
        };
        std::size_t sort_bytes = 0, scan_bytes = 0;
        check(cub::DeviceRadixSort::SortPairs(nullptr, sort_bytes, keys.data, key.data, entries.data,
                                              entry.data, n_, 0, static_cast<int>(windows_.widest), stream),
              "radix sort");
        check(cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, counts_of(0), offsets[0].data, buckets,
                                            stream),
              "scan");
        std::size_t temporary_bytes = std::max(sort_bytes, scan_bytes);
        const auto temporary = arena_.take<u8>(temporary_bytes, "sorting");

        timed(report_.sort, [&] {
            for (u32 k = 0; k < count; ++k) {
                const std::size_t from = std::size_t{first + k} * n_;
                const std::size_t to = std::size_t{k} * n_;
                check(cub::DeviceRadixSort::SortPairs(temporary.data, temporary_bytes, keys.data + from,
                                                      key.data + to, entries.data + from, entry.data + to, n_,
                                                      0, windows_.width[first + k], stream),
                      "radix sort");
            }
        });
        unsigned long long pairs_of[kRounds + 1];
        timed(report_.plan, [&] {
            check(cudaMemsetAsync(begin.data, 0, begin.size * sizeof(u32), stream), "cudaMemsetAsync");
            check(cudaMemsetAsync(end.data, 0, end.size * sizeof(u32), stream), "cudaMemsetAsync");
            check(cudaMemsetAsync(totals.data, 0, sizeof(pairs_of), stream), "cudaMemsetAsync");
            find_buckets<<<dim3(blocks(n_, kPlanThreads), count), kPlanThreads, 0, stream>>>(
                key.data, n_, buckets_, begin.data, end.data);
            check_launch("find_buckets");
            count_pairs<<<static_cast<u32>(multiprocessors_) * 4, kPlanThreads, 0, stream>>>(
                begin.data, end.data, buckets, totals.data);
            check_launch("count_pairs");
        });
        copy_to_host(pairs_of, totals.data, sizeof(pairs_of), stream_);
        stream_.synchronize();

        int rounds = 0;
        std::size_t additions = 0;
        for (; rounds < kRounds && pairs_of[rounds] != 0; ++rounds) additions += pairs_of[rounds];
        report_.additions += additions;
        std::size_t left = pairs_of[kRounds];
        DeviceSpan<u32> list[2], list_bucket[2];
        for (int i = 0; i < 2; ++i) {
            const std::size_t size = left - pairs_of[0] - (i == 1 ? pairs_of[1] : 0);
            list[i] = arena_.take<u32>(size, "lists of entries");
            list_bucket[i] = arena_.take<u32>(size, "lists of entries");
        }
        const auto sums = arena_.take<Point>(additions, "sums of pairs");
        const auto pairs = arena_.take<uint2>(pairs_of[0], "pairs");
        const auto prefixes = arena_.take<typename G::Field>(prefix_count(pairs_of[0]), "prefix products");

        const u32* last_entries = entry.data;
        const u64* last_offsets = nullptr;
        std::size_t first_sum = 0;
        for (int r = 0; r < rounds; ++r) {
            const int to = r & 1;
            Round round{{begin.data, end.data, r},
                        last_offsets,
                        offsets[to].data,
                        last_entries,
                        r == 0 ? key.data : list_bucket[to ^ 1].data,
                        static_cast<u32>(first_sum),
                        pairs.data,
                        list[to].data,
                        list_bucket[to].data};
            timed(report_.plan, [&] {
                check(cub::DeviceScan::ExclusiveSum(temporary.data, temporary_bytes, counts_of(r),
                                                    offsets[to].data, buckets, stream),
                      "scan");
                if (r == 0)
                    plan_first_round<<<dim3(blocks(n_, kPlanThreads), count), kPlanThreads, 0, stream>>>(
                        round, n_, buckets_);
                else
                    plan_round<<<blocks(left, kPlanThreads), kPlanThreads, 0, stream>>>(
                        round, static_cast<u32>(left));
                check_launch("plan_round");
            });
            timed(report_.add, [&] {
                add(ListedPairs<G>{bases_.data, sums.data, pairs.data, sums.data + first_sum}, pairs_of[r],
                    prefixes);
            });
            first_sum += pairs_of[r];
            left -= pairs_of[r];
            last_entries = list[to].data;
            last_offsets = offsets[to].data;
        }
        timed(report_.reduce, [&] {
            collect_buckets<G><<<blocks(buckets, kReduceThreads), kReduceThreads, 0, stream>>>(
                begin.data, end.data, last_offsets, last_entries, bases_.data, sums.data, buckets,
                dense.data + std::size_t{first} * buckets_);
            check_launch("collect_buckets");
        });
        note_scratch();
    }

    // Sum over windows and buckets of 2^position * number * bucket sum.
    Jacobian<G> reduce(DeviceSpan<Point> dense) {
        const Arena::Scope scope(arena_);
        // A bucket number is a row's (high bits) and a column's (low bits).
        const u32 low_bits = windows_.widest / 2;
        const u32 high_bits = windows_.widest - 1 - low_bits;
        const u32 bits = low_bits + high_bits;
        constexpr std::size_t kFewPairs = 1 << 15;  // from here on, sums by bits are as fast
        const std::size_t half = std::max<std::size_t>(dense.size / 2, 1);
        DeviceSpan<Point> rows[2], columns[2];
        for (int i = 0; i < 2; ++i) {
            rows[i] = arena_.take<Point>(half >> i, "row sums");
            columns[i] = arena_.take<Point>(half >> i, "column sums");
        }
        const auto prefixes = arena_.take<typename G::Field>(prefix_count(2 * half), "prefix products");
        const auto bit_sums = arena_.take<Xyzz<G>>(windows_.count * bits, "bit sums");
        note_scratch();

        BitArray<G> low{dense.data, 0, 0}, high{dense.data, 0, 0};
        u32 rows_left = low_bits, columns_left = high_bits;  // bits that are not summed over yet
        timed(report_.reduce, [&] {
            for (int step = 0;; ++step) {
                const std::size_t row_pairs =
                    rows_left > 0 ? std::size_t{windows_.count} << (high_bits + rows_left - 1) : 0;
                const std::size_t column_pairs =
                    columns_left > 0 ? std::size_t{windows_.count} << (low_bits + columns_left - 1) : 0;
                if (row_pairs + column_pairs < kFewPairs) break;
                Point* row_sums = rows[step & 1].data;
                Point* column_sums = columns[step & 1].data;
                add(HalvedSquares<G>{high.points, low.points, row_sums, column_sums,
                                     static_cast<u32>(row_pairs), rows_left > 0 ? rows_left - 1 : 0, low_bits,
                                     columns_left > 0 ? columns_left - 1 : 0},
                    row_pairs + column_pairs, prefixes);
                if (rows_left > 0) {
                    high.points = row_sums;
                    --rows_left;
                }
                if (columns_left > 0) {
                    low.points = column_sums;
                    --columns_left;
                }
            }
            low.log_size = low_bits + columns_left;
            high.log_size = high_bits + rows_left;
            high.first_bit = rows_left;
            sum_by_bits<G><<<dim3(bits, windows_.count), kReduceThreads, 0, stream_.get()>>>(
                low, high, low_bits, bit_sums.data);
            check_launch("sum_by_bits");
        });
        std::vector<Xyzz<G>> sums(bit_sums.size);
        std::vector<Point> top(windows_.count);  // bucket 0: the digits of 2^(widest-1)
        copy_to_host(sums.data(), bit_sums.data, sums.size() * sizeof(Xyzz<G>), stream_);
        check(cudaMemcpy2DAsync(top.data(), sizeof(Point), dense.data, sizeof(Point) * buckets_,
                                sizeof(Point), top.size(), cudaMemcpyDeviceToHost, stream_.get()),
              "cudaMemcpy2DAsync");
        add_times();

        auto result = Xyzz<G>::infinity();
        for (int bit = static_cast<int>(Fr::kBits + Windows::kMax); bit >= 0; --bit) {
            if (!result.is_infinity()) result = result.dbl();
            for (u32 k = 0; k < windows_.count; ++k) {
                const int j = bit - windows_.position[k];
                if (j >= 0 && j < static_cast<int>(bits)) result += sums[k * bits + static_cast<u32>(j)];
                if (j == static_cast<int>(bits)) result += top[k];
            }
        }
        return result.to_jacobian();
    }

    struct Time {
        double* milliseconds;
        std::unique_ptr<Event> start, end;
    };

    Arena& arena_;
    DeviceSpan<const Point> bases_;
    const Stream& stream_;
    MsmReport& report_;
    std::size_t used_before_;
    u32 n_;
    Windows windows_;
    u32 buckets_;  // a window
    int multiprocessors_ = 0;
    std::vector<Time> times_;
};

template <class G>
Jacobian<G> msm(Arena& arena, DeviceSpan<const Affine<G>> bases,
                DeviceSpan<const typename G::Scalar::Int> scalars, const Stream& stream, MsmReport* report) {
    if (bases.size != scalars.size)
        throw Error(ErrorKind::kInternal, "a sum of " + std::to_string(bases.size) + " bases got " +
                                              std::to_string(scalars.size) + " scalars");
    if (bases.size >= kIsSum)
        throw Error(ErrorKind::kUnsupported, "a sum of " + std::to_string(bases.size) +
                                                 " points on the device; the limit is 2^30 - 1");
    MsmReport unread;
    if (report == nullptr) report = &unread;
    *report = {};
    if (bases.size == 0) return Jacobian<G>::infinity();
    const Arena::Scope scope(arena);
    return MsmRun<G>(arena, bases, stream, *report).run(scalars);
}

}  // namespace cuzk::gpu
