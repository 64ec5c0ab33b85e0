// The host's side of gpu/msm.hpp, for explicit instantiation.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <string>
#include <vector>

#include "gpu/msm.hpp"
#include "gpu/msm_adder.cuh"
#include "gpu/msm_reduce.cuh"
#include "gpu/msm_small.cuh"
#include "gpu/msm_timer.cuh"

namespace cuzk::gpu {

template <class G>
class MsmRun {
public:
    using Fr = typename G::Scalar;
    using Point = Affine<G>;

    // indices are null or one for each scalar.
    MsmRun(Arena& arena, DeviceSpan<const Point> bases, const u32* indices, std::size_t n,
           const Stream& stream, MsmReport& report, bool measured)
        : arena_(arena),
          bases_(bases),
          indices_(indices),
          stream_(stream),
          report_(report),
          used_before_(arena.used()),
          n_(static_cast<u32>(n)),
          windows_(windows_for(n)),
          buckets_(windows_.buckets()),
          add_(arena, stream),
          timed_(stream, measured) {}

    static Windows windows_for(std::size_t n) { return Windows::for_size(static_cast<u32>(Fr::kBits), n); }

    // Bytes of the arena for n scalars with `count` windows at once, or all if there are fewer; 0 for as many as are worth it.
    static std::size_t bytes(std::size_t n, u32 count, u32 multiprocessors) {
        const Windows windows = windows_for(n);
        if (count == 0) count = static_cast<u32>(std::max<std::size_t>(2, kManyDigits / n));
        count = std::min(count, windows.count);
        const std::size_t dense = std::size_t{windows.count} * windows.buckets();
        const std::size_t digits = count * n;
        // A digit: two pairs of key and entry, half a pair, a sum.
        constexpr std::size_t kBytesPerDigit = 16 + 4 + sizeof(Point);
        constexpr std::size_t kBytesPerBucket = 24;  // bounds, offsets
        const std::size_t fill =
            digits * kBytesPerDigit + std::size_t{count} * windows.buckets() * kBytesPerBucket + n * 8 +
            Adder<G>::prefix_count(digits / 2, multiprocessors) * sizeof(typename G::Field);
        const std::size_t reduce = dense * sizeof(Point) * 3 / 2 +
                                   Adder<G>::prefix_count(dense, multiprocessors) * sizeof(typename G::Field);
        constexpr std::size_t kOther = std::size_t{8}
                                       << 20;  // the sort's histograms, the scan's tiles, alignment
        return dense * sizeof(Point) + std::max(fill, reduce) + kOther;
    }

    Jacobian<G> run(DeviceSpan<const typename Fr::Int> scalars) {
        const auto dense = arena_.take<Point>(std::size_t{windows_.count} * buckets_, "bucket sums");
        const u32 at_once = windows_at_once();
        report_.windows = windows_.count;
        report_.windows_at_once = at_once;
        for (u32 first = 0; first < windows_.count; first += at_once)
            fill_buckets(scalars, first, std::min(at_once, windows_.count - first), dense);
        return reduce(dense);
    }

private:
    static u32 blocks(std::size_t count, u32 threads) {
        return static_cast<u32>((count + threads - 1) / threads);
    }

    void note_scratch() { report_.scratch = std::max(report_.scratch, arena_.used() - used_before_); }

    // As many windows as the rest of the arena has room for; 1 at least.
    u32 windows_at_once() const {
        const std::size_t left = arena_.size() - used_before_;
        u32 count = windows_.count;
        for (; count > 1; --count)
            if (bytes(n_, count, add_.multiprocessors()) <= left && std::size_t{count} * n_ <= kIndexMask &&
                std::size_t{count} * buckets_ <= kIndexMask)
                break;
        return count;
    }

    // Sums of the buckets of `count` windows from `first` on.
    void fill_buckets(DeviceSpan<const typename Fr::Int> scalars, u32 first, u32 count,
                      DeviceSpan<Point> dense) {
        const Arena::Scope scope(arena_);
        const cudaStream_t stream = stream_.get();
        const u32 buckets = count * buckets_;
        const auto begin = arena_.take<u32>(buckets, "bucket bounds");
        const auto end = arena_.take<u32>(buckets, "bucket bounds");
        const auto totals = arena_.take<unsigned long long>(kRounds + 1, "totals");
        const auto counts = arena_.take<u32>(count, "numbers of digits");
        DeviceSpan<u64> offsets[2];
        for (auto& span : offsets) span = arena_.take<u64>(buckets, "bucket offsets");
        const auto keys = arena_.take<u32>(std::size_t{count} * n_, "digits");
        const auto entries = arena_.take<u32>(std::size_t{count} * n_, "entries of digits");

        timed_(report_.sort, [&] {
            check(cudaMemsetAsync(counts.data, 0, counts.size * sizeof(u32), stream), "cudaMemsetAsync");
            split_digits<Fr><<<blocks(n_, kPlanThreads), kPlanThreads, 0, stream>>>(
                scalars.data, indices_, n_, windows_, first, count, counts.data, keys.data, entries.data);
            check_launch("split_digits");
        });
        u32 digits_of[Windows::kMax];
        copy_to_host(digits_of, counts.data, count * sizeof(u32), stream_);
        stream_.synchronize();
        WindowLists lists{};
        for (u32 k = 0; k < count; ++k) lists.begin[k + 1] = lists.begin[k] + digits_of[k];
        const std::size_t digits = lists.begin[count];
        const u32 longest = *std::max_element(digits_of, digits_of + count);

        const auto key = arena_.take<u32>(digits, "sorted digits");
        const auto entry = arena_.take<u32>(digits, "sorted entries");
        const auto counts_of = [&](int round) {
            return thrust::make_transform_iterator(thrust::make_counting_iterator<u32>(0u),
                                                   BucketCounts{begin.data, end.data, round});
        };
        std::size_t sort_bytes = 0, scan_bytes = 0;
        check(cub::DeviceRadixSort::SortPairs(nullptr, sort_bytes, keys.data, key.data, entries.data,
                                              entry.data, longest, 0, static_cast<int>(windows_.widest),
                                              stream),
              "radix sort");
        check(cub::DeviceScan::ExclusiveSum(nullptr, scan_bytes, counts_of(0), offsets[0].data, buckets,
                                            stream),
              "scan");
        std::size_t temporary_bytes = std::max(sort_bytes, scan_bytes);
        const auto temporary = arena_.take<u8>(temporary_bytes, "sorting");

        timed_(report_.sort, [&] {
            for (u32 k = 0; k < count; ++k) {
                if (digits_of[k] == 0) continue;
                const std::size_t from = std::size_t{k} * n_;
                const u32 to = lists.begin[k];
                check(cub::DeviceRadixSort::SortPairs(temporary.data, temporary_bytes, keys.data + from,
                                                      key.data + to, entries.data + from, entry.data + to,
                                                      digits_of[k], 0, windows_.width[first + k], stream),
                      "radix sort");
            }
        });
        unsigned long long pairs_of[kRounds + 1];
        timed_(report_.plan, [&] {
            check(cudaMemsetAsync(begin.data, 0, begin.size * sizeof(u32), stream), "cudaMemsetAsync");
            check(cudaMemsetAsync(end.data, 0, end.size * sizeof(u32), stream), "cudaMemsetAsync");
            check(cudaMemsetAsync(totals.data, 0, sizeof(pairs_of), stream), "cudaMemsetAsync");
            if (longest != 0) {
                find_buckets<<<dim3(blocks(longest, kPlanThreads), count), kPlanThreads, 0, stream>>>(
                    key.data, lists, buckets_, begin.data, end.data);
                check_launch("find_buckets");
            }
            count_pairs<<<add_.multiprocessors() * 4, kPlanThreads, 0, stream>>>(begin.data, end.data,
                                                                                 buckets, totals.data);
            check_launch("count_pairs");
        });
        copy_to_host(pairs_of, totals.data, sizeof(pairs_of), stream_);
        stream_.synchronize();

        int rounds = 0;
        std::size_t additions = 0;
        for (; rounds < kRounds && pairs_of[rounds] != 0; ++rounds) additions += pairs_of[rounds];
        report_.additions += additions;
        std::size_t left = pairs_of[kRounds];
        // Lists of later rounds take the places of those that have been read.
        u32* const list[2] = {keys.data, key.data};
        u32* const list_bucket[2] = {entries.data, entry.data};
        const auto sums = arena_.take<Point>(additions, "sums of pairs");
        const auto pairs = arena_.take<uint2>(pairs_of[0], "pairs");
        const auto prefixes = add_.take_prefixes(pairs_of[0]);

        const u32* last_entries = entry.data;
        const u64* last_offsets = nullptr;
        std::size_t first_sum = 0;
        for (int r = 0; r < rounds; ++r) {
            const int to = r & 1;
            Round round{{begin.data, end.data, r},
                        last_offsets,
                        offsets[to].data,
                        last_entries,
                        r == 0 ? key.data : list_bucket[to ^ 1],
                        static_cast<u32>(first_sum),
                        pairs.data,
                        list[to],
                        list_bucket[to]};
            timed_(report_.plan, [&] {
                check(cub::DeviceScan::ExclusiveSum(temporary.data, temporary_bytes, counts_of(r),
                                                    offsets[to].data, buckets, stream),
                      "scan");
                if (r == 0)
                    plan_first_round<<<dim3(blocks(longest, kPlanThreads), count), kPlanThreads, 0, stream>>>(
                        round, lists, buckets_);
                else
                    plan_round<<<blocks(left, kPlanThreads), kPlanThreads, 0, stream>>>(
                        round, static_cast<u32>(left));
                check_launch("plan_round");
            });
            timed_(report_.add, [&] {
                add_(ListedPairs<G>{bases_.data, sums.data, pairs.data, sums.data + first_sum}, pairs_of[r],
                     prefixes);
            });
            first_sum += pairs_of[r];
            left -= pairs_of[r];
            last_entries = list[to];
            last_offsets = offsets[to].data;
        }
        timed_(report_.reduce, [&] {
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
        const auto bit_sums = arena_.take<Xyzz<G>>(windows_.count * (bits + 1), "bit sums");
        const auto prefixes = add_.take_prefixes(2 * half);
        note_scratch();

        const BitArray<Point> all{dense.data, bits, 0};
        BitArray<Point> low{dense.data, 0, 0}, high{dense.data, 0, 0};
        u32 rows_left = low_bits, columns_left = high_bits;  // bits that are not summed over yet
        timed_(report_.reduce, [&] {
            for (int step = 0;; ++step) {
                const std::size_t row_pairs =
                    rows_left > 0 ? std::size_t{windows_.count} << (high_bits + rows_left - 1) : 0;
                const std::size_t column_pairs =
                    columns_left > 0 ? std::size_t{windows_.count} << (low_bits + columns_left - 1) : 0;
                if (row_pairs + column_pairs < kFewPairs) break;
                Point* row_sums = rows[step & 1].data;
                Point* column_sums = columns[step & 1].data;
                add_(HalvedSquares<G>{high.points, low.points, row_sums, column_sums,
                                      static_cast<u32>(row_pairs), rows_left > 0 ? rows_left - 1 : 0,
                                      low_bits, columns_left > 0 ? columns_left - 1 : 0},
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
            sum_by_bits<G><<<dim3(bits + 1, windows_.count), kReduceThreads, 0, stream_.get()>>>(
                low, high, low_bits, all, bit_sums.data);
            check_launch("sum_by_bits");
        });
        std::vector<Xyzz<G>> sums(bit_sums.size);
        copy_to_host(sums.data(), bit_sums.data, sums.size() * sizeof(Xyzz<G>), stream_);
        timed_.finish();
        return combine_bit_sums(windows_, bits, sums).to_jacobian();
    }

    // Windows of together that many digits keep the device busy; more at once gain little.
    static constexpr std::size_t kManyDigits = std::size_t{1} << 26;

    Arena& arena_;
    DeviceSpan<const Point> bases_;
    const u32* indices_;
    const Stream& stream_;
    MsmReport& report_;
    std::size_t used_before_;
    u32 n_;
    Windows windows_;
    u32 buckets_;  // a window
    Adder<G> add_;
    StageTimer timed_;
};

template <class G>
Jacobian<G> msm_of(Arena& arena, DeviceSpan<const Affine<G>> bases, const u32* indices,
                   DeviceSpan<const typename G::Scalar::Int> scalars, const Stream& stream,
                   MsmReport* report) {
    if (std::max(bases.size, scalars.size) >= kIsSum)
        throw Error(ErrorKind::kUnsupported, "a sum of " + std::to_string(scalars.size) + " of " +
                                                 std::to_string(bases.size) +
                                                 " points on the device; the limit is 2^30 - 1");
    MsmReport unread;
    const bool measured = report != nullptr;
    if (!measured) report = &unread;
    *report = {};
    if (scalars.size == 0) return Jacobian<G>::infinity();
    const CurrentDevice current(arena.device());
    const Arena::Scope scope(arena);
    if (scalars.size <= kSmallSum<G>)
        return SmallMsm<G>(arena, bases, indices, scalars.size, stream, *report, measured).run(scalars);
    return MsmRun<G>(arena, bases, indices, scalars.size, stream, *report, measured).run(scalars);
}

template <class G>
Jacobian<G> msm(Arena& arena, DeviceSpan<const Affine<G>> bases,
                DeviceSpan<const typename G::Scalar::Int> scalars, const Stream& stream, MsmReport* report) {
    if (bases.size != scalars.size)
        throw Error(ErrorKind::kInternal, "a sum of " + std::to_string(bases.size) + " bases got " +
                                              std::to_string(scalars.size) + " scalars");
    return msm_of<G>(arena, bases, nullptr, scalars, stream, report);
}

template <class G>
Jacobian<G> msm(Arena& arena, DeviceSpan<const Affine<G>> bases, DeviceSpan<const u32> indices,
                DeviceSpan<const typename G::Scalar::Int> scalars, const Stream& stream, MsmReport* report) {
    if (indices.size != scalars.size)
        throw Error(ErrorKind::kInternal, "a sum of " + std::to_string(indices.size) + " listed bases got " +
                                              std::to_string(scalars.size) + " scalars");
    return msm_of<G>(arena, bases, indices.data, scalars, stream, report);
}

template <class G>
std::size_t msm_scratch_bytes(std::size_t n, unsigned windows_at_once) {
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    const u32 multiprocessors = Adder<G>::multiprocessors_of(device);
    return n <= kSmallSum<G> ? SmallMsm<G>::bytes(n, multiprocessors)
                             : MsmRun<G>::bytes(n, windows_at_once, multiprocessors);
}

}  // namespace cuzk::gpu
