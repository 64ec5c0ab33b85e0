#include "msm/bucket_sums.hpp"

#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"
#include "msm/scratch.hpp"

namespace cuzk {

namespace {

// Buckets whose segments are sorted together.
constexpr std::size_t kBucketsPerPart = 4096;

std::size_t longest_segment(std::size_t entries, std::size_t buckets) {
    // Enough segments to fill the vectors of a block, but no cuts where the buckets are even.
    const std::size_t even = std::min(2 * (entries / buckets) + 16, entries / 512);
    return std::max({std::size_t{8}, entries / 4096, even});
}

// One run of buckets, cut and sorted.
struct Part {
    std::size_t first, last;  // buckets
    std::size_t partial_sums = 0;
    std::size_t cut_buckets = 0;
    std::vector<BucketSegment> segments;
};

// The next level: buckets of partial sums, and where their totals belong.
struct Cut {
    std::vector<u32> offsets, buckets;
};

void count_cuts(Part& part, std::span<const u32> offsets, std::size_t longest) {
    for (std::size_t b = part.first; b < part.last; ++b) {
        const std::size_t length = offsets[b + 1] - offsets[b];
        if (length <= longest) continue;
        part.partial_sums += (length + longest - 1) / longest;
        ++part.cut_buckets;
    }
}

// Fills part.segments in order of falling length and the part's slice of `cut`.
void build_segments(Part& part, std::span<const u32> offsets, std::size_t longest, std::size_t partial_sum,
                    std::size_t cut_bucket, Cut& cut) {
    std::vector<u32> start(longest + 2);  // start[l]: first place for length l
    const auto for_each_segment = [&](auto&& visit) {
        std::size_t partial = partial_sum;
        for (std::size_t b = part.first; b < part.last; ++b) {
            const u32 begin = offsets[b];
            const u32 length = offsets[b + 1] - begin;
            if (length == 0) continue;
            if (length <= longest) {
                visit(BucketSegment{begin, length, static_cast<u32>(b)});
                continue;
            }
            const std::size_t pieces = (length + longest - 1) / longest;
            for (std::size_t k = 0; k < pieces; ++k) {
                const auto from = static_cast<u32>(length * k / pieces);
                const auto to = static_cast<u32>(length * (k + 1) / pieces);
                visit(BucketSegment{begin + from, to - from, static_cast<u32>(partial++) | kPartialSum});
            }
        }
    };
    std::size_t count = 0;
    for_each_segment([&](const BucketSegment& s) {
        ++start[s.length];
        ++count;
    });
    u32 place = 0;
    for (std::size_t length = longest + 1; length-- > 0;) {
        const u32 here = start[length];
        start[length] = place;
        place += here;
    }
    part.segments.resize(count);
    for_each_segment([&](const BucketSegment& s) { part.segments[start[s.length]++] = s; });

    for (std::size_t b = part.first; b < part.last; ++b) {
        const std::size_t length = offsets[b + 1] - offsets[b];
        if (length <= longest) continue;
        cut.buckets[cut_bucket] = static_cast<u32>(b);
        cut.offsets[cut_bucket++] = static_cast<u32>(partial_sum);
        partial_sum += (length + longest - 1) / longest;
    }
}

}  // namespace

template <class G>
void sum_buckets(const BucketKernel<G>& kernel, const u8* points, bool may_be_infinite,
                 std::span<const u32> entries, std::span<const u32> offsets, std::span<Affine<G>> sums) {
    if (sums.empty()) return;
    const std::size_t longest = longest_segment(offsets.back() - offsets.front(), sums.size());

    std::vector<Part> parts;
    for (std::size_t b = 0; b < sums.size(); b += kBucketsPerPart)
        parts.push_back({b, std::min(b + kBucketsPerPart, sums.size()), 0, 0, {}});
    parallel_for(0, parts.size(), [&](std::size_t i) { count_cuts(parts[i], offsets, longest); });
    std::vector<std::size_t> first_partial(parts.size() + 1);
    std::vector<std::size_t> first_cut(parts.size() + 1);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        first_partial[i + 1] = first_partial[i] + parts[i].partial_sums;
        first_cut[i + 1] = first_cut[i] + parts[i].cut_buckets;
    }
    Cut cut;
    cut.buckets.resize(first_cut.back());
    cut.offsets.resize(first_cut.back() + 1);
    cut.offsets.back() = static_cast<u32>(first_partial.back());
    parallel_for(0, parts.size(), [&](std::size_t i) {
        build_segments(parts[i], offsets, longest, first_partial[i], first_cut[i], cut);
    });

    struct Block {
        const Part* part;
        std::size_t first, last;
    };
    std::vector<Block> blocks;
    std::size_t segments = 0;
    for (const Part& part : parts) segments += part.segments.size();
    // Smaller blocks where there would be too few for the threads; an inversion is shared by fewer sums then.
    const std::size_t per_thread = segments / (3 * thread_count()) + 1;
    const std::size_t block = std::clamp(per_thread, std::min<std::size_t>(kernel.block, 256), kernel.block);
    for (const Part& part : parts) {
        const std::size_t count = part.segments.size();
        const std::size_t pieces = (count + block - 1) / block;
        for (std::size_t k = 0; k < pieces; ++k)
            blocks.push_back({&part, count * k / pieces, count * (k + 1) / pieces});
    }

    std::vector<Affine<G>> partial_sums(first_partial.back());
    parallel_for(0, blocks.size(), [&](std::size_t i) {
        const Block& b = blocks[i];
        const Scratch scratch(kernel.scratch_bytes);
        const SegmentJob<G> job{points,      may_be_infinite,    entries.data(), b.part->segments.data(),
                                sums.data(), partial_sums.data()};
        kernel.sum_segments(job, b.first, b.last, scratch.data());
    });
    parallel_ranges(0, sums.size(), 1 << 14, [&](std::size_t first, std::size_t last) {
        for (std::size_t b = first; b < last; ++b)
            if (offsets[b] == offsets[b + 1]) sums[b] = Affine<G>::infinity();
    });
    if (partial_sums.empty()) return;

    parts.clear();
    std::vector<u32> all(partial_sums.size());
    std::iota(all.begin(), all.end(), u32{0});
    std::vector<Affine<G>> totals(cut.buckets.size());
    sum_buckets<G>(kernel, reinterpret_cast<const u8*>(partial_sums.data()), true, all, cut.offsets, totals);
    for (std::size_t i = 0; i < totals.size(); ++i) sums[cut.buckets[i]] = totals[i];
}

template void sum_buckets(const BucketKernel<Bls12_381G1>&, const u8*, bool, std::span<const u32>,
                          std::span<const u32>, std::span<Affine<Bls12_381G1>>);
template void sum_buckets(const BucketKernel<Bls12_381G2>&, const u8*, bool, std::span<const u32>,
                          std::span<const u32>, std::span<Affine<Bls12_381G2>>);
template void sum_buckets(const BucketKernel<Bn254G1>&, const u8*, bool, std::span<const u32>,
                          std::span<const u32>, std::span<Affine<Bn254G1>>);
template void sum_buckets(const BucketKernel<Bn254G2>&, const u8*, bool, std::span<const u32>,
                          std::span<const u32>, std::span<Affine<Bn254G2>>);

}  // namespace cuzk
