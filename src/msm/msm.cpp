#include "msm/msm.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "msm/bucket_sort.hpp"
#include "msm/bucket_sums.hpp"
#include "msm/scalar_classes.hpp"
#include "msm/scratch.hpp"
#include "msm/window_choice.hpp"

namespace cuzk {

namespace {

// Windows are taken in groups whose entries and buckets fit into three field elements a scalar, within these
// bounds: more at once is no faster, and a proof's peak memory is its largest sum's.
constexpr std::size_t kLeastGroupBytes = std::size_t{1} << 21;
constexpr std::size_t kMostGroupBytes = std::size_t{1} << 26;
constexpr std::size_t kEntryBytes = 8;     // while sorting
constexpr std::size_t kCounterBytes = 32;  // of a bucket, beside its sum
// Points taken at a time; keeps entries within 31 bits and a group of windows within the budget.
constexpr std::size_t kPointBudget = std::size_t{1} << 24;

// sum of (b + 1) buckets[b], for each window.
template <class G>
void weigh_buckets(const BucketKernel<G>& kernel, std::span<const Affine<G>> buckets,
                   std::span<Jacobian<G>> windows) {
    const std::size_t per_window = buckets.size() / windows.size();
    const std::size_t chains = chains_per_window(per_window);
    const std::size_t length = per_window / chains;
    const std::size_t all = windows.size() * chains;
    std::vector<Affine<G>> sums(all);
    std::vector<Affine<G>> weighted(all);
    const ChainJob<G> job{buckets.data(), length, sums.data(), weighted.data()};
    const std::size_t grain = std::clamp<std::size_t>(all / (2 * thread_count()), 64, kernel.block / 2);
    const std::size_t tasks = (all + grain - 1) / grain;
    parallel_for(0, tasks, [&](std::size_t t) {
        const Scratch scratch(kernel.scratch_bytes);
        kernel.sum_chains(job, all * t / tasks, all * (t + 1) / tasks, scratch.data());
    });
    parallel_for(0, windows.size(), [&](std::size_t w) {
        // Chain k counts its points from 1, but they start at weight k length + 1.
        Jacobian<G> running = Jacobian<G>::infinity();
        Jacobian<G> total = Jacobian<G>::infinity();
        for (std::size_t k = chains; k-- > 1;) {
            running += sums[w * chains + k];
            total += running;
        }
        for (std::size_t m = length; m > 1; m /= 2) total = total.dbl();  // the length is a power of two
        for (std::size_t k = 0; k < chains; ++k) total += weighted[w * chains + k];
        windows[w] = total;
    });
}

template <class G>
Jacobian<G> windowed_sum(const BucketKernel<G>& kernel, AffineView<G> bases,
                         std::span<const typename G::Scalar::Int> scalars, std::span<const u32> list,
                         const SignedWindows<typename G::Scalar>& windows) {
    const std::size_t buckets = windows.buckets();
    const std::size_t window_bytes =
        kEntryBytes * list.size() + (sizeof(Affine<G>) + kCounterBytes) * buckets;
    const std::size_t budget = std::clamp<std::size_t>(3 * sizeof(typename G::Scalar) * list.size(),
                                                       kLeastGroupBytes, kMostGroupBytes);
    const std::size_t at_once = std::clamp<std::size_t>(budget / window_bytes, 1, windows.count());
    const std::size_t groups = (windows.count() + at_once - 1) / at_once;
    std::vector<Jacobian<G>> sums(windows.count());
    BucketSort<typename G::Scalar> sorted;
    std::vector<Affine<G>> bucket_sums;
    for (std::size_t g = 0; g < groups; ++g) {
        const std::size_t first = windows.count() * g / groups;
        const std::size_t last = windows.count() * (g + 1) / groups;
        sorted.sort(scalars, list, windows, static_cast<unsigned>(first), static_cast<unsigned>(last));
        bucket_sums.resize((last - first) * buckets);
        sum_buckets<G>(kernel, bases.data(), false, sorted.entries(), sorted.offsets(), bucket_sums);
        weigh_buckets<G>(kernel, bucket_sums, std::span(sums).subspan(first, last - first));
    }
    Jacobian<G> total = Jacobian<G>::infinity();
    for (std::size_t w = windows.count(); w-- > 0;) {
        for (unsigned k = 0; k < windows.width(); ++k) total = total.dbl();
        total += sums[w];
    }
    return total;
}

// Scalars 1 and r - 1: a plain sum.
template <class G>
Jacobian<G> unit_sum(const BucketKernel<G>& kernel, AffineView<G> bases,
                     std::span<const typename G::Scalar::Int> scalars, std::span<u32> list) {
    for (u32& entry : list)
        if (scalars[entry].limb[0] != 1 || !scalars[entry].shr(64).is_zero()) entry |= kNegativeEntry;
    const u32 offsets[2] = {0, static_cast<u32>(list.size())};
    Affine<G> sum;
    sum_buckets<G>(kernel, bases.data(), false, list, offsets, std::span<Affine<G>>(&sum, 1));
    return Jacobian<G>::from_affine(sum);
}

template <class G>
Jacobian<G> msm_part(AffineView<G> bases, std::span<const typename G::Scalar::Int> scalars,
                     const MsmOptions& options) {
    using Classes = ScalarClasses<typename G::Scalar>;
    const BucketKernel<G>& kernel = bucket_kernel<G>();
    Classes classes = classify_scalars(bases, scalars);
    Jacobian<G> total = Jacobian<G>::infinity();
    if (auto& units = classes.list(ScalarClass::kUnit); !units.empty())
        total += unit_sum<G>(kernel, bases, scalars, units);
    for (const ScalarClass c : {ScalarClass::kShort, ScalarClass::kMedium, ScalarClass::kFull}) {
        std::vector<u32>& list = classes.list(c);
        if (list.empty()) continue;
        const auto windows =
            choose_windows<typename G::Scalar>(list.size(), Classes::bound(c), options.window);
        total += windowed_sum<G>(kernel, bases, scalars, list, windows);
    }
    return total;
}

template <class G>
void check_sizes(AffineView<G> bases, std::size_t scalars) {
    if (bases.size() != scalars) throw Error(ErrorKind::kInternal, "msm: bases and scalars differ in number");
}

}  // namespace

template <class G>
Jacobian<G> msm(AffineView<G> bases, std::span<const typename G::Scalar::Int> scalars,
                const MsmOptions& options) {
    check_sizes(bases, scalars.size());
    Jacobian<G> total = Jacobian<G>::infinity();
    for (std::size_t first = 0; first < scalars.size(); first += kPointBudget) {
        const std::size_t count = std::min(kPointBudget, scalars.size() - first);
        total += msm_part<G>(bases.subview(first, count), scalars.subspan(first, count), options);
    }
    return total;
}

template <class G>
Jacobian<G> msm_naive(AffineView<G> bases, std::span<const typename G::Scalar::Int> scalars) {
    check_sizes(bases, scalars.size());
    Jacobian<G> sum = Jacobian<G>::infinity();
    for (std::size_t i = 0; i < scalars.size(); ++i)
        sum += Jacobian<G>::from_affine(bases[i]).mul(scalars[i]);
    return sum;
}

#define CUZK_NOTHING
CUZK_MSM_GROUP(CUZK_NOTHING, Bls12_381G1)
CUZK_MSM_GROUP(CUZK_NOTHING, Bls12_381G2)
CUZK_MSM_GROUP(CUZK_NOTHING, Bn254G1)
CUZK_MSM_GROUP(CUZK_NOTHING, Bn254G2)

}  // namespace cuzk
