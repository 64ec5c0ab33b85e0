// What proves, by the name that people give it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gpu/backend.hpp"

namespace cuzk::gpu {

// What find_device() takes for the device that `name` means; nothing where it means the processor. Names are "cpu", "cuda" (the first
// device), "cuda:NUMBER", "cuda:UUID", a UUID ("GPU-..."), and "auto": the first device where there is one, else the processor.
// Throws Error(kUsage) for any other name.
std::optional<std::string> cuda_name(const std::string& name);

// The backend of that device; of `options`, which are for CUDA devices, `device` is ignored. Throws also Error(kEnvironment) where there
// is no such device.
template <class C>
std::unique_ptr<Backend<C>> choose_backend(const std::string& name, BackendOptions options = {});

extern template std::unique_ptr<Backend<Bls12_381>> choose_backend(const std::string&, BackendOptions);
extern template std::unique_ptr<Backend<Bn254>> choose_backend(const std::string&, BackendOptions);

}  // namespace cuzk::gpu
