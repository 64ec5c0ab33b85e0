#include "msm/vector_kernel.hpp"

namespace cuzk {

extern const BucketKernel<Bls12_381G2> kBls12_381G2VectorKernel;
constexpr BucketKernel<Bls12_381G2> kBls12_381G2VectorKernel = ifma::vector_bucket_kernel<Bls12_381G2>();

}  // namespace cuzk
