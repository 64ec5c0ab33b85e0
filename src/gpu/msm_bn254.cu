#include "gpu/msm_run.cuh"

namespace cuzk::gpu {

template Jacobian<Bn254G1> msm(Arena&, DeviceSpan<const Affine<Bn254G1>>, DeviceSpan<const Bn254Fr::Int>,
                               const Stream&, MsmReport*);

}  // namespace cuzk::gpu
