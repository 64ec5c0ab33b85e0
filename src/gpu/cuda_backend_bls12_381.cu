#include "gpu/cuda_backend.cuh"

namespace cuzk::gpu {

std::vector<std::optional<MemoryPlan>> plan_proofs(
    const std::string& device, const std::shared_ptr<const InstancedCircuit<Bls12_381Fr>>& circuit,
    std::span<const u64> limits) {
    return CudaBackend<Bls12_381>::plans(device, circuit, limits);
}

template <>
std::unique_ptr<Backend<Bls12_381>> make_backend(const BackendOptions& options) {
    return std::make_unique<CudaBackend<Bls12_381>>(options);
}

}  // namespace cuzk::gpu
