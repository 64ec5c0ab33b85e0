// The choice of what proves: the processor or a CUDA device.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "groth16/backend.hpp"

namespace cuzk::cli {

struct DeviceOptions {
    std::string device = "cpu";
    std::string vram_limit;
    bool stream_key = false;
    std::vector<std::string> helpers;

    void add_to(CLI::App& command);
    // The same options for another device.
    DeviceOptions with_device(std::string name) const;
    // Bytes of --vram-limit; 0: what is free.
    u64 memory_limit() const;
    // What gpu::find_device takes; nothing for the processor. Error(kUsage) where that is told to have helpers.
    std::optional<std::string> cuda_name() const;
};

// Error(kEnvironment) if there is no such device.
template <class C>
std::unique_ptr<Backend<C>> make_backend(const DeviceOptions& options);

extern template std::unique_ptr<Backend<Bls12_381>> make_backend(const DeviceOptions&);
extern template std::unique_ptr<Backend<Bn254>> make_backend(const DeviceOptions&);

}  // namespace cuzk::cli
