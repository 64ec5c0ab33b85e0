#include "gpu/choose_backend.hpp"

#include "base/error.hpp"
#include "groth16/cpu_backend.hpp"

namespace cuzk::gpu {

std::optional<std::string> cuda_name(const std::string& name) {
    if (name == "cpu" || (name == "auto" && list_devices().empty())) return std::nullopt;
    if (name == "cuda" || name == "auto") return "";
    if (name.starts_with("cuda:")) return name.substr(5);
    if (name.starts_with("GPU-")) return name;
    throw Error(
        ErrorKind::kUsage,
        "unknown device '" + name + "': cpu, cuda, cuda:NUMBER, a UUID as nvidia-smi -L prints it, or auto");
}

template <class C>
std::unique_ptr<Backend<C>> choose_backend(const std::string& name, BackendOptions options) {
    const std::optional<std::string> device = cuda_name(name);
    if (!device) return std::make_unique<CpuBackend<C>>();
    options.device = *device;
    return make_backend<C>(options);
}

template std::unique_ptr<Backend<Bls12_381>> choose_backend(const std::string&, BackendOptions);
template std::unique_ptr<Backend<Bn254>> choose_backend(const std::string&, BackendOptions);

}  // namespace cuzk::gpu
