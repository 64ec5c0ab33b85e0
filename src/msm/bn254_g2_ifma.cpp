#include "msm/vector_kernel.hpp"

namespace cuzk {

extern const BucketKernel<Bn254G2> kBn254G2VectorKernel;
constexpr BucketKernel<Bn254G2> kBn254G2VectorKernel = ifma::vector_bucket_kernel<Bn254G2>();

}  // namespace cuzk
