#include "msm/vector_kernel.hpp"

namespace cuzk {

extern const BucketKernel<Bn254G1> kBn254G1VectorKernel;
constexpr BucketKernel<Bn254G1> kBn254G1VectorKernel = ifma::vector_bucket_kernel<Bn254G1>();

}  // namespace cuzk
