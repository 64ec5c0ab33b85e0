// The host's side of gpu/msm.hpp, for explicit instantiation.
#pragma once

#include <string>
#include <vector>

#include "gpu/msm.hpp"
#include "gpu/msm_adder.cuh"
#include "gpu/msm_group.cuh"
#include "gpu/msm_reduce.cuh"
#include "gpu/msm_small.cuh"
#include "gpu/msm_timer.cuh"

namespace cuzk::gpu {

// Sums by rounds of affine additions, for as many windows at once as there is memory for. (To sort and plan one group of
// windows beside the additions of another does not pay: they slow down by as much.)
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
          add_(arena, stream),
          timed_(stream, measured) {}

    // Bytes of the arena for n scalars with `at_once` windows at once, or all if there are fewer; 0 for as many as gain much.
    static std::size_t bytes(std::size_t n, u32 at_once, u32 multiprocessors) {
        constexpr std::size_t kManyDigits = std::size_t{1} << 27;
        const Windows windows = uniform_windows(n);
        if (at_once == 0) at_once = static_cast<u32>(std::max<std::size_t>(kManyDigits / n, 1));
        at_once = std::min(at_once, windows.count);
        const std::size_t dense = std::size_t{windows.count} * windows.buckets();
        const std::size_t digits = at_once * n;
        const std::size_t fill =
            WindowGroup::bytes(n, at_once, windows.buckets()) +
            PlanMemory::bytes(WindowGroup::largest_sort(n, at_once)) + digits * sizeof(Point) +
            Adder<G>::prefix_count(digits / 2, multiprocessors) * sizeof(typename G::Field);
        const std::size_t reduce = dense * sizeof(Point) * 3 / 2 +
                                   Adder<G>::prefix_count(dense, multiprocessors) * sizeof(typename G::Field);
        constexpr std::size_t kOther = std::size_t{2} << 20;  // bit sums, alignment
        return dense * sizeof(Point) + std::max(fill, reduce) + kOther;
    }

    Jacobian<G> run(DeviceSpan<const typename Fr::Int> scalars) {
        const u32 room = windows_at_once();
        choose_windows(scalars);
        buckets_ = windows_.buckets();
        const auto dense = arena_.take<Point>(std::size_t{windows_.count} * buckets_, "bucket sums");
        const u32 at_once = std::min(room, windows_.count);
        report_.windows = windows_.count;
        report_.windows_at_once = at_once;
        fill_buckets(scalars, at_once, dense);
        return reduce(dense);
    }

private:
    static Windows uniform_windows(std::size_t n) {
        return Windows::for_size(static_cast<u32>(Fr::kBits), n);
    }

    // As many windows as the rest of the arena has room for, and entries can name their sums; 1 at least.
    u32 windows_at_once() const {
        const std::size_t left = arena_.size() - arena_.used();
        u32 count = uniform_windows(n_).count;
        while (count > 1 &&
               (bytes(n_, count, add_.multiprocessors()) > left || std::size_t{count} * n_ > kIndexMask))
            --count;
        return count;
    }

    // By the lengths of the scalars; never more or wider windows than uniform scalars have, for which the memory is.
    void choose_windows(DeviceSpan<const typename Fr::Int> scalars) {
        const Arena::Scope scope(arena_);
        const auto counts = arena_.take<u32>(Fr::kBits + 1, "lengths of scalars");
        std::vector<u32> lengths(counts.size);
        timed_(report_.sort, [&] {
            check(cudaMemsetAsync(counts.data, 0, counts.size * sizeof(u32), stream_.get()),
                  "cudaMemsetAsync");
            count_lengths<Fr><<<std::min(blocks_for(n_, kPlanThreads), add_.multiprocessors() * 8),
                                kPlanThreads, 0, stream_.get()>>>(scalars.data, n_, counts.data);
            check_launch("count_lengths");
        });
        copy_to_host(lengths.data(), counts.data, counts.size * sizeof(u32), stream_);
        stream_.synchronize();
        const Windows uniform = uniform_windows(n_);
        windows_ = Windows::for_lengths(lengths, uniform.widest);
        if (std::size_t{windows_.count} * windows_.buckets() > std::size_t{uniform.count} * uniform.buckets())
            windows_ = uniform;
        // Digits that can be other than 0, against all.
        u64 digits = 0;
        for (std::size_t l = 0; l < lengths.size(); ++l)
            for (u32 k = 0; k < windows_.count; ++k) digits += l > windows_.position[k] ? lengths[l] : 0;
        sparse_ = digits < u64{n_} * windows_.count * 3 / 4;
    }

    void note_scratch() { report_.scratch = std::max(report_.scratch, arena_.used() - used_before_); }

    // Sums of the buckets of all windows.
    void fill_buckets(DeviceSpan<const typename Fr::Int> scalars, u32 at_once, DeviceSpan<Point> dense) {
        const Arena::Scope scope(arena_);
        PlanMemory memory(arena_, WindowGroup::largest_sort(n_, at_once), at_once * buckets_);
        WindowGroup group(arena_, n_, at_once, buckets_);
        const auto sums = arena_.take<Point>(std::size_t{at_once} * n_, "sums of pairs");
        const auto prefixes = add_.take_prefixes(std::size_t{at_once} * n_ / 2);
        note_scratch();
        // Groups of about the same size.
        const u32 groups = blocks_for(windows_.count, at_once);
        const u32 size = blocks_for(windows_.count, groups);
        for (u32 first = 0; first < windows_.count; first += size) {
            const u32 count = std::min(size, windows_.count - first);
            group.plan<Fr>(scalars.data, indices_, windows_, first, count, sparse_, add_.multiprocessors(),
                           memory, stream_, timed_, report_);
            add_group(group, sums, prefixes, dense.data + std::size_t{first} * buckets_);
        }
    }

    void add_group(const WindowGroup& group, DeviceSpan<Point> sums, DeviceSpan<typename G::Field> prefixes,
                   Point* dense) {
        timed_(report_.add, [&] {
            std::size_t first_sum = 0;
            for (int r = 0; r < group.rounds(); ++r) {
                add_(ListedPairs<G>{bases_.data, sums.data, group.pairs() + first_sum, sums.data + first_sum},
                     group.additions(r), prefixes);
                first_sum += group.additions(r);
            }
            report_.additions += first_sum;
        });
        timed_(report_.reduce, [&] {
            collect_buckets<G>
                <<<blocks_for(group.buckets(), kReduceThreads), kReduceThreads, 0, stream_.get()>>>(
                    group.begin(), group.end(), group.last_offsets(), group.last_entries(), bases_.data,
                    sums.data, group.buckets(), dense);
            check_launch("collect_buckets");
        });
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

    Arena& arena_;
    DeviceSpan<const Point> bases_;
    const u32* indices_;
    const Stream& stream_;
    MsmReport& report_;
    std::size_t used_before_;
    u32 n_;
    Windows windows_;
    u32 buckets_ = 0;  // a window
    bool sparse_ = false;
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
