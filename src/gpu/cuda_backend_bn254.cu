#include "gpu/cuda_backend.cuh"

namespace cuzk::gpu {

template <>
std::unique_ptr<Backend<Bn254>> make_backend(const BackendOptions& options) {
    return std::make_unique<CudaBackend<Bn254>>(options);
}

}  // namespace cuzk::gpu
