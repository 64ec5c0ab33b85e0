#include "msm/bucket_kernel.hpp"

#include "field/cpu.hpp"
#include "msm/scalar_kernel.hpp"

namespace cuzk {

// Of the *_ifma.cpp files: one a group, since they take long to compile.
extern const BucketKernel<Bls12_381G1> kBls12_381G1VectorKernel;
extern const BucketKernel<Bls12_381G2> kBls12_381G2VectorKernel;
extern const BucketKernel<Bn254G1> kBn254G1VectorKernel;
extern const BucketKernel<Bn254G2> kBn254G2VectorKernel;

namespace {

template <class G>
const BucketKernel<G>& choose(const BucketKernel<G>& vectors) {
    static constexpr BucketKernel<G> kScalar = scalar_bucket_kernel<G>();
    return active_isa() == Isa::kIfma ? vectors : kScalar;
}

}  // namespace

template <>
const BucketKernel<Bls12_381G1>& bucket_kernel() {
    return choose(kBls12_381G1VectorKernel);
}
template <>
const BucketKernel<Bls12_381G2>& bucket_kernel() {
    return choose(kBls12_381G2VectorKernel);
}
template <>
const BucketKernel<Bn254G1>& bucket_kernel() {
    return choose(kBn254G1VectorKernel);
}
template <>
const BucketKernel<Bn254G2>& bucket_kernel() {
    return choose(kBn254G2VectorKernel);
}

}  // namespace cuzk
