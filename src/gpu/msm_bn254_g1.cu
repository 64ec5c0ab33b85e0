#include "gpu/msm_run.cuh"
#include "gpu/msm_sum.cuh"

namespace cuzk::gpu {

CUZK_GPU_SUMS(, Bn254G1);

}  // namespace cuzk::gpu
