// Many multiples of one point, as a setup computes them.
#pragma once

#include <span>
#include <vector>

#include "curve/affine.hpp"
#include "curve/jacobian.hpp"

namespace cuzk {

// out[i] = scalars[i] * base, in affine form. The base has order r (it is in the subgroup) or is infinity.
// out.size() == scalars.size(), else Error(kInternal). Runs on all threads of the current arena; holds a
// table of at most 2^19 points beside the output.
//
// Signed windows with a table each, and the additions of the batch-affine kernel: one point a window and
// scalar.
template <class G>
void fixed_base_mul(const Affine<G>& base, std::span<const typename G::Scalar> scalars,
                    std::span<Affine<G>> out);

template <class G>
std::vector<Affine<G>> fixed_base_mul(const Affine<G>& base, std::span<const typename G::Scalar> scalars) {
    std::vector<Affine<G>> out(scalars.size());
    fixed_base_mul<G>(base, scalars, std::span<Affine<G>>(out));
    return out;
}

extern template void fixed_base_mul(const Affine<Bls12_381G1>&, std::span<const Bls12_381Fr>,
                                    std::span<Affine<Bls12_381G1>>);
extern template void fixed_base_mul(const Affine<Bls12_381G2>&, std::span<const Bls12_381Fr>,
                                    std::span<Affine<Bls12_381G2>>);
extern template void fixed_base_mul(const Affine<Bn254G1>&, std::span<const Bn254Fr>,
                                    std::span<Affine<Bn254G1>>);
extern template void fixed_base_mul(const Affine<Bn254G2>&, std::span<const Bn254Fr>,
                                    std::span<Affine<Bn254G2>>);

}  // namespace cuzk
