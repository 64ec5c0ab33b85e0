// Finding, checking and making parameter files.
#pragma once

#include <functional>
#include <memory>

#include "base/progress.hpp"
#include "filecoin/params/names.hpp"
#include "groth16/setup_target.hpp"

namespace cuzk::filecoin {

// Paths of a circuit's files in a parameter folder.
std::string params_path(const std::string& folder, CircuitKind kind, const SectorShape& shape);
std::string vk_path(const std::string& folder, CircuitKind kind, const SectorShape& shape);

// Throws Error(kEnvironment) unless the parameter file is there: where it was looked for, and how to get it.
void require_params(const std::string& folder, CircuitKind kind, const SectorShape& shape);

// Reads the circuit's parameter file and checks its counts against the circuit. Throws Error(kEnvironment) saying where the
// file was looked for and how to get it, or Error(kMalformed).
ProvingKey<Bls12_381> load_params(const std::string& folder, CircuitKind kind, const SectorShape& shape,
                                  Progress* progress = nullptr);
// The verifying key, from the .vk file or else from the head of the .params file.
VerifyingKey<Bls12_381> load_vk(const std::string& folder, CircuitKind kind, const SectorShape& shape);

// First 32 hex digits of the file's BLAKE2b-512, as the network publishes them.
std::string network_digest(const std::string& path, Progress* progress = nullptr);

// A development setup of the circuit: writes the .params and .vk files. UNSAFE FOR PRODUCTION: whoever runs it can forge. The
// points are made by what make_target returns for the file's sink (gpu/device_setup.hpp makes them on a device), or on the host;
// the bytes are the same.
using MakeSetupTarget = std::function<std::unique_ptr<SetupTarget<Bls12_381>>(KeySink<Bls12_381>&)>;
void generate_params(const std::string& folder, CircuitKind kind, const SectorShape& shape,
                     RandomSource& random, Progress* progress = nullptr,
                     const MakeSetupTarget& make_target = nullptr);

}  // namespace cuzk::filecoin
