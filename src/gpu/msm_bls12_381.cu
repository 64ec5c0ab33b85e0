#include "gpu/msm_run.cuh"

namespace cuzk::gpu {

template Jacobian<Bls12_381G1> msm(Arena&, DeviceSpan<const Affine<Bls12_381G1>>,
                                   DeviceSpan<const Bls12_381Fr::Int>, const Stream&, MsmReport*);

}  // namespace cuzk::gpu
