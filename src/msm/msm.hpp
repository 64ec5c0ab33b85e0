// Multi-scalar multiplication: sum of scalars[i] * bases[i]. The bulk of a Groth16 proof's time.
#pragma once

#include <span>

#include "curve/affine.hpp"
#include "curve/jacobian.hpp"

namespace cuzk {

struct MsmOptions {
    // Width in bits of the windows of full-length scalars, 2..20. 0: the cost model decides.
    unsigned window = 0;
};

// Scalars are canonical integers below the group order r; bases.size() == scalars.size(), else
// Error(kInternal). Bases have order r (they are in the subgroup) or are infinity; repeated and opposite ones
// are fine. They are read in place, wherever they lie. Runs on all threads of the current arena; safe to call
// from several threads at once. The value of the sum is exact; which Jacobian representation of it comes back
// is not specified. Holds 5 bytes a point, and for a group of windows at a time indices and buckets of three
// scalars' size a point, at most 64 MiB (or what a single window needs).
//
// Pippenger's bucket method (see Bernstein, Doumen, Lange, Oosterwijk: Faster batch forgery identification,
// 2012) with signed windows of min(s, r - s), over buckets that are summed by batched affine additions.
// Scalars 0 and infinite bases are skipped, +-1 take one addition, short ones only the windows that they
// reach.
template <class G>
Jacobian<G> msm(AffineView<G> bases, std::span<const typename G::Scalar::Int> scalars,
                const MsmOptions& options = {});

// The same sum by double-and-add, one point after the other: the definition, for tests.
template <class G>
Jacobian<G> msm_naive(AffineView<G> bases, std::span<const typename G::Scalar::Int> scalars);

#define CUZK_MSM_GROUP(prefix, G)                                                                       \
    prefix template Jacobian<G> msm(AffineView<G>, std::span<const G::Scalar::Int>, const MsmOptions&); \
    prefix template Jacobian<G> msm_naive(AffineView<G>, std::span<const G::Scalar::Int>);
CUZK_MSM_GROUP(extern, Bls12_381G1)
CUZK_MSM_GROUP(extern, Bls12_381G2)
CUZK_MSM_GROUP(extern, Bn254G1)
CUZK_MSM_GROUP(extern, Bn254G2)

}  // namespace cuzk
