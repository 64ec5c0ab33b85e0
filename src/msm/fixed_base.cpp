#include "msm/fixed_base.hpp"

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "curve/xyzz.hpp"

namespace cuzk {

namespace {

constexpr std::size_t kWindow = 8;

// table[w][d - 1] = d * 2^(8 w) * base for d in 1..255
template <class G>
std::vector<Affine<G>> make_table(const Affine<G>& base, std::size_t windows) {
    constexpr std::size_t kEntries = (std::size_t{1} << kWindow) - 1;
    std::vector<Jacobian<G>> points(windows * kEntries);
    Jacobian<G> step = Jacobian<G>::from_affine(base);
    for (std::size_t w = 0; w < windows; ++w) {
        Jacobian<G> sum = step;
        for (std::size_t d = 0; d < kEntries; ++d) {
            points[w * kEntries + d] = sum;
            sum += step;
        }
        step = sum;
    }
    return batch_to_affine<G>(points);
}

}  // namespace

template <class G>
void fixed_base_mul(const Affine<G>& base, std::span<const typename G::Scalar> scalars, std::span<Affine<G>> out) {
    if (scalars.size() != out.size())
        throw Error(ErrorKind::kInternal, "fixed_base_mul: output and scalars differ in length");
    constexpr std::size_t kEntries = (std::size_t{1} << kWindow) - 1;
    const std::size_t windows = (G::Scalar::kBits + kWindow - 1) / kWindow;
    const std::vector<Affine<G>> table = make_table(base, windows);
    parallel_ranges(0, scalars.size(), 256, [&](std::size_t first, std::size_t last) {
        std::vector<Jacobian<G>> sums(last - first);
        for (std::size_t i = first; i < last; ++i) {
            const auto k = scalars[i].to_int();
            Xyzz<G> sum = Xyzz<G>::infinity();
            for (std::size_t w = 0; w < windows; ++w)
                if (const u64 d = k.bits(w * kWindow, kWindow); d != 0) sum += table[w * kEntries + d - 1];
            sums[i - first] = sum.to_jacobian();
        }
        const std::vector<Affine<G>> affine = batch_to_affine<G>(sums);
        for (std::size_t i = first; i < last; ++i) out[i] = affine[i - first];
    });
}

template void fixed_base_mul(const Affine<Bls12_381G1>&, std::span<const Bls12_381Fr>, std::span<Affine<Bls12_381G1>>);
template void fixed_base_mul(const Affine<Bls12_381G2>&, std::span<const Bls12_381Fr>, std::span<Affine<Bls12_381G2>>);
template void fixed_base_mul(const Affine<Bn254G1>&, std::span<const Bn254Fr>, std::span<Affine<Bn254G1>>);
template void fixed_base_mul(const Affine<Bn254G2>&, std::span<const Bn254Fr>, std::span<Affine<Bn254G2>>);

}  // namespace cuzk
