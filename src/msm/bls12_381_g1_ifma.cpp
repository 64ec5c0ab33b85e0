#include "msm/vector_kernel.hpp"

namespace cuzk {

extern const BucketKernel<Bls12_381G1> kBls12_381G1VectorKernel;
constexpr BucketKernel<Bls12_381G1> kBls12_381G1VectorKernel = ifma::vector_bucket_kernel<Bls12_381G1>();

}  // namespace cuzk
