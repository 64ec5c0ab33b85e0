#include "gpu/fixed_base.cuh"

namespace cuzk::gpu {

template class DeviceFixedBase<Bn254G1>;

}  // namespace cuzk::gpu
