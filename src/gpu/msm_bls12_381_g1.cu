#include "gpu/msm_run.cuh"
#include "gpu/msm_sum.cuh"

namespace cuzk::gpu {

CUZK_GPU_SUMS(, Bls12_381G1);

}  // namespace cuzk::gpu
