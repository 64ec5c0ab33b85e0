#include "msm/fixed_base.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "msm/bucket_kernel.hpp"
#include "msm/scratch.hpp"
#include "msm/signed_windows.hpp"

namespace cuzk {

namespace {

constexpr unsigned kMinWindow = 4;
constexpr unsigned kMaxWindow =
    16;  // a table of 50 MB on G1 of BLS12-381; each round of additions reads one window of it

// The table costs an addition an entry, each scalar one a window.
template <class Fr>
SignedWindows<Fr> choose_windows(std::size_t n) {
    unsigned best = kMinWindow;
    std::size_t least = 0;
    for (unsigned width = kMinWindow; width <= kMaxWindow; ++width) {
        const SignedWindows<Fr> windows(width, Fr::Constants::kHalf);
        const std::size_t cost = windows.count() * (n + windows.buckets());
        if (width == kMinWindow || cost < least) {
            least = cost;
            best = width;
        }
    }
    return SignedWindows<Fr>(best, Fr::Constants::kHalf);
}

// Runs the kernel on segments [0, segments.size()) in parallel.
template <class G>
void run(const BucketKernel<G>& kernel, const SegmentJob<G>& job, std::size_t segments) {
    const std::size_t tasks = (segments + kernel.block - 1) / kernel.block;
    parallel_for(0, tasks, [&](std::size_t t) {
        const Scratch scratch(kernel.scratch_bytes);
        kernel.sum_segments(job, segments * t / tasks, segments * (t + 1) / tasks, scratch.data());
    });
}

// table[w * buckets + d - 1] = d 2^(width w) base for d in 1..buckets, doubling the number of known d at each
// step.
template <class G>
std::vector<Affine<G>> make_table(const BucketKernel<G>& kernel, const Affine<G>& base,
                                  const SignedWindows<typename G::Scalar>& windows) {
    const std::size_t buckets = windows.buckets();
    std::vector<Jacobian<G>> units(windows.count());
    units[0] = Jacobian<G>::from_affine(base);
    for (std::size_t w = 1; w < units.size(); ++w) {
        units[w] = units[w - 1];
        for (unsigned k = 0; k < windows.width(); ++k) units[w] = units[w].dbl();
    }
    const std::vector<Affine<G>> ones = batch_to_affine<G>(units);
    std::vector<Affine<G>> table(windows.count() * buckets);
    for (std::size_t w = 0; w < ones.size(); ++w) table[w * buckets] = ones[w];

    std::vector<u32> entries;
    std::vector<BucketSegment> segments;
    for (std::size_t known = 1; known < buckets; known *= 2) {
        entries.clear();
        segments.clear();
        for (std::size_t w = 0; w < windows.count(); ++w)
            for (std::size_t d = 0; d < known; ++d) {
                const auto first = static_cast<u32>(w * buckets);
                segments.push_back(
                    {static_cast<u32>(entries.size()), 2, static_cast<u32>(first + known + d)});
                entries.push_back(static_cast<u32>(first + d));
                entries.push_back(static_cast<u32>(first + known - 1));
            }
        run<G>(kernel,
               {reinterpret_cast<const u8*>(table.data()), false, entries.data(), segments.data(),
                table.data(), nullptr},
               segments.size());
    }
    return table;
}

// The non-zero digits of a block of scalars as segments of table entries.
template <class G>
class DigitSegments {
public:
    // Appends the scalar of output `out`; false if it is zero.
    bool add(const typename G::Scalar& scalar, const SignedWindows<typename G::Scalar>& windows, u32 out) {
        bool negative;
        const auto magnitude = SignedWindows<typename G::Scalar>::magnitude(scalar.to_int(), negative);
        const auto shifted = windows.shifted(magnitude);
        const auto begin = static_cast<u32>(entries_.size());
        for (unsigned w = 0; w < windows.count(); ++w) {
            const i64 d = windows.window(w).digit(shifted);
            if (d == 0) continue;
            const auto entry =
                static_cast<u32>(w * windows.buckets() + static_cast<std::size_t>(d < 0 ? -d : d) - 1);
            entries_.push_back((d < 0) != negative ? entry | kNegativeEntry : entry);
        }
        const auto length = static_cast<u32>(entries_.size()) - begin;
        if (length != 0) segments_.push_back({begin, length, out});
        return length != 0;
    }

    void sum(const BucketKernel<G>& kernel, std::span<const Affine<G>> table, Affine<G>* out,
             std::byte* scratch) {
        std::stable_sort(segments_.begin(), segments_.end(),
                         [](const BucketSegment& a, const BucketSegment& b) { return a.length > b.length; });
        kernel.sum_segments({reinterpret_cast<const u8*>(table.data()), false, entries_.data(),
                             segments_.data(), out, nullptr},
                            0, segments_.size(), scratch);
        entries_.clear();
        segments_.clear();
    }

private:
    std::vector<u32> entries_;
    std::vector<BucketSegment> segments_;
};

}  // namespace

template <class G>
void fixed_base_mul(const Affine<G>& base, std::span<const typename G::Scalar> scalars,
                    std::span<Affine<G>> out) {
    if (scalars.size() != out.size())
        throw Error(ErrorKind::kInternal, "fixed_base_mul: output and scalars differ in length");
    if (base.is_infinity()) {
        std::fill(out.begin(), out.end(), Affine<G>::infinity());
        return;
    }
    const BucketKernel<G>& kernel = bucket_kernel<G>();
    const auto windows = choose_windows<typename G::Scalar>(scalars.size());
    const std::vector<Affine<G>> table = make_table<G>(kernel, base, windows);
    parallel_ranges(0, scalars.size(), kernel.block, [&](std::size_t first, std::size_t last) {
        const Scratch scratch(kernel.scratch_bytes);
        DigitSegments<G> segments;
        for (std::size_t begin = first; begin < last; begin += kernel.block) {
            const std::size_t end = std::min(last, begin + kernel.block);
            for (std::size_t i = begin; i < end; ++i)
                if (!segments.add(scalars[i], windows, static_cast<u32>(i - begin)))
                    out[i] = Affine<G>::infinity();
            segments.sum(kernel, table, out.data() + begin, scratch.data());
        }
    });
}

template void fixed_base_mul(const Affine<Bls12_381G1>&, std::span<const Bls12_381Fr>,
                             std::span<Affine<Bls12_381G1>>);
template void fixed_base_mul(const Affine<Bls12_381G2>&, std::span<const Bls12_381Fr>,
                             std::span<Affine<Bls12_381G2>>);
template void fixed_base_mul(const Affine<Bn254G1>&, std::span<const Bn254Fr>, std::span<Affine<Bn254G1>>);
template void fixed_base_mul(const Affine<Bn254G2>&, std::span<const Bn254Fr>, std::span<Affine<Bn254G2>>);

}  // namespace cuzk
