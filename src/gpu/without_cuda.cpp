// What stands in for the device layer in a build without device code.
#ifndef CUZK_WITH_CUDA

#include "base/error.hpp"
#include "gpu/backend.hpp"

namespace cuzk::gpu {

std::vector<DeviceInfo> list_devices() {
    return {};
}

DeviceInfo find_device(const std::string&) {
    throw Error(ErrorKind::kEnvironment,
                "this cuzk was built without device code: only the device cpu is there");
}

std::vector<std::optional<MemoryPlan>> plan_proofs(
    const std::string& device, const std::shared_ptr<const InstancedCircuit<Bls12_381Fr>>&,
    std::span<const u64>) {
    find_device(device);
    return {};
}

template <>
std::unique_ptr<Backend<Bls12_381>> make_backend(const BackendOptions& options) {
    find_device(options.device);
    return nullptr;
}
template <>
std::unique_ptr<Backend<Bn254>> make_backend(const BackendOptions& options) {
    find_device(options.device);
    return nullptr;
}

}  // namespace cuzk::gpu

#endif
