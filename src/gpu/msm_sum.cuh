// sum_points of gpu/msm.hpp, for explicit instantiation.
#pragma once

#include <string>
#include <vector>

#include "gpu/msm.hpp"
#include "gpu/msm_adder.cuh"
#include "gpu/msm_reduce.cuh"
#include "gpu/msm_timer.cuh"

namespace cuzk::gpu {

template <class G>
class PointSum {
public:
    using Point = Affine<G>;

    PointSum(Arena& arena, DeviceSpan<const Point> bases, const Stream& stream, MsmReport& report,
             bool measured)
        : arena_(arena),
          bases_(bases),
          stream_(stream),
          report_(report),
          add_(arena, stream),
          timed_(stream, measured) {}

    // Additions run in the arena's room for `half` sums of pairs, or for two halves where the list takes several chunks: the
    // sums of the later ones are added to those of the first.
    static std::size_t bytes(std::size_t n, std::size_t chunk, u32 multiprocessors) {
        const std::size_t half = (std::min(n, chunk) + 1) / 2;
        return half * (n > chunk ? 2 : 1) * sizeof(Point) +
               Adder<G>::prefix_count(half, multiprocessors) * sizeof(typename G::Field) + kOther;
    }

    Jacobian<G> run(DeviceSpan<const u32> entries) {
        const std::size_t n = entries.size;
        const std::size_t chunk = chunk_for(n);
        const std::size_t half = (std::min(n, chunk) + 1) / 2;
        const std::size_t before = arena_.used();
        const auto partial = arena_.take<Xyzz<G>>(kSumBlocks, "partial sums");
        const auto sums = arena_.take<Point>(half * (n > chunk ? 2 : 1), "sums of pairs");
        const auto prefixes = add_.take_prefixes(half);
        report_.scratch = arena_.used() - before;

        timed_(report_.add, [&] {
            add_list(entries.first(std::min(n, chunk)), sums.data, prefixes);
            for (std::size_t done = chunk; done < n; done += chunk) {
                const std::size_t count = std::min(n - done, chunk);
                add_list(entries.subspan(done, count), sums.data + half, prefixes);
                add(FoldedArray<G>{sums.data, static_cast<u32>(half)}, (count + 1) / 2, prefixes);
            }
        });
        std::size_t left = half;
        timed_(report_.reduce, [&] {
            while (left > kFewPoints) {
                const std::size_t upper = (left + 1) / 2;
                add(FoldedArray<G>{sums.data, static_cast<u32>(upper)}, left / 2, prefixes);
                left = upper;
            }
            sum_array<G><<<kSumBlocks, kReduceThreads, 0, stream_.get()>>>(sums.data, static_cast<u32>(left),
                                                                           partial.data);
            check_launch("sum_array");
        });
        std::vector<Xyzz<G>> parts(kSumBlocks);
        copy_to_host(parts.data(), partial.data, parts.size() * sizeof(parts[0]), stream_);
        timed_.finish();
        auto sum = Xyzz<G>::infinity();
        for (const auto& part : parts) sum += part;
        return sum.to_jacobian();
    }

private:
    static constexpr u32 kSumBlocks = 128;
    static constexpr std::size_t kFewPoints = std::size_t{1} << 17;  // as XYZZ sums from here on
    static constexpr std::size_t kOther = std::size_t{256} << 10;

    // All of the list, or the largest power of two for which there is room.
    std::size_t chunk_for(std::size_t n) const {
        const std::size_t left = arena_.size() - arena_.used();
        if (bytes(n, n, add_.multiprocessors()) <= left) return n;
        std::size_t chunk = std::size_t{1} << 29;
        while (chunk > 2 && (chunk >= n || bytes(n, chunk, add_.multiprocessors()) > left)) chunk /= 2;
        return chunk;
    }

    template <class Pairs>
    void add(const Pairs& pairs, std::size_t count, DeviceSpan<typename G::Field> prefixes) {
        report_.additions += count;
        add_(pairs, count, prefixes);
    }

    // Sums of neighbours in the list to out; the last of an odd number as it is.
    void add_list(DeviceSpan<const u32> list, Point* out, DeviceSpan<typename G::Field> prefixes) {
        const std::size_t pairs = list.size / 2;
        add(ListedBases<G>{bases_.data, list.data, out}, pairs, prefixes);
        if (list.size % 2 != 0) {
            copy_entry<G><<<1, 1, 0, stream_.get()>>>(bases_.data, list.data + 2 * pairs, out + pairs);
            check_launch("copy_entry");
        }
    }

    Arena& arena_;
    DeviceSpan<const Point> bases_;
    const Stream& stream_;
    MsmReport& report_;
    Adder<G> add_;
    StageTimer timed_;
};

template <class G>
Jacobian<G> sum_points(Arena& arena, DeviceSpan<const Affine<G>> bases, DeviceSpan<const u32> entries,
                       const Stream& stream, MsmReport* report) {
    if (bases.size > kIsSum || entries.size >= kNegated)
        throw Error(ErrorKind::kUnsupported, "a sum of " + std::to_string(entries.size) + " of " +
                                                 std::to_string(bases.size) +
                                                 " points on the device; the limits are 2^31 - 1 and 2^30");
    MsmReport unread;
    const bool measured = report != nullptr;
    if (!measured) report = &unread;
    *report = {};
    if (entries.size == 0) return Jacobian<G>::infinity();
    const CurrentDevice current(arena.device());
    const Arena::Scope scope(arena);
    return PointSum<G>(arena, bases, stream, *report, measured).run(entries);
}

template <class G>
std::size_t sum_points_scratch_bytes(std::size_t n, std::size_t chunk) {
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    return PointSum<G>::bytes(n, chunk == 0 ? n : chunk, Adder<G>::multiprocessors_of(device));
}

}  // namespace cuzk::gpu
