#include "gpu/cuda_backend.cuh"

namespace cuzk::gpu {

template <>
std::unique_ptr<Backend<Bls12_381>> make_backend(const BackendOptions& options) {
    return std::make_unique<CudaBackend<Bls12_381>>(options);
}

}  // namespace cuzk::gpu
