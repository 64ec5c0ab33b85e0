#include "gpu/fixed_base.cuh"

namespace cuzk::gpu {

template class DeviceFixedBase<Bls12_381G2>;

}  // namespace cuzk::gpu
