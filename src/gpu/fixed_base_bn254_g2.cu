#include "gpu/fixed_base.cuh"

namespace cuzk::gpu {

template class DeviceFixedBase<Bn254G2>;

}  // namespace cuzk::gpu
