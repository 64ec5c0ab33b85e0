#include "msm/msm.hpp"

#include <bit>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "curve/xyzz.hpp"

namespace cuzk {

namespace {

// Sum of one window's buckets: digit d of scalar i puts base i into bucket d.
template <class G>
Jacobian<G> window_sum(AffineView<G> bases, std::span<const typename G::Scalar::Int> scalars, unsigned first_bit,
                       unsigned width) {
    std::vector<Xyzz<G>> buckets((std::size_t{1} << width) - 1);
    for (std::size_t i = 0; i < scalars.size(); ++i)
        if (const u64 d = scalars[i].bits(first_bit, width); d != 0) buckets[d - 1] += bases[i];
    Xyzz<G> running = Xyzz<G>::infinity();
    Xyzz<G> sum = Xyzz<G>::infinity();
    for (std::size_t d = buckets.size(); d-- > 0;) {
        running += buckets[d];
        sum += running;
    }
    return sum.to_jacobian();
}

}  // namespace

template <class G>
Jacobian<G> msm(AffineView<G> bases, std::span<const typename G::Scalar::Int> scalars, const MsmOptions& options) {
    if (bases.size() != scalars.size())
        throw Error(ErrorKind::kInternal, "msm: bases and scalars differ in number");
    const auto log_n = static_cast<unsigned>(std::bit_width(bases.size()));
    const unsigned width = options.window != 0 ? options.window : (log_n < 6 ? 3 : log_n > 16 ? 13 : log_n - 3);
    const unsigned windows = static_cast<unsigned>(G::Scalar::kBits + width - 1) / width;
    std::vector<Jacobian<G>> sums(windows);
    parallel_for(0, windows, [&](std::size_t w) {
        sums[w] = window_sum(bases, scalars, static_cast<unsigned>(w) * width, width);
    });
    Jacobian<G> total = Jacobian<G>::infinity();
    for (unsigned w = windows; w-- > 0;) {
        for (unsigned k = 0; k < width; ++k) total = total.dbl();
        total += sums[w];
    }
    return total;
}

template <class G>
Jacobian<G> msm_naive(AffineView<G> bases, std::span<const typename G::Scalar::Int> scalars) {
    if (bases.size() != scalars.size())
        throw Error(ErrorKind::kInternal, "msm: bases and scalars differ in number");
    Jacobian<G> sum = Jacobian<G>::infinity();
    for (std::size_t i = 0; i < scalars.size(); ++i) sum += Jacobian<G>::from_affine(bases[i]).mul(scalars[i]);
    return sum;
}

#define CUZK_NOTHING
CUZK_MSM_GROUP(CUZK_NOTHING, Bls12_381G1)
CUZK_MSM_GROUP(CUZK_NOTHING, Bls12_381G2)
CUZK_MSM_GROUP(CUZK_NOTHING, Bn254G1)
CUZK_MSM_GROUP(CUZK_NOTHING, Bn254G2)

}  // namespace cuzk
