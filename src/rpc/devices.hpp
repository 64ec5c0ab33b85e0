// The devices that a configuration names, ready for an engine.
#pragma once

#include <vector>

#include "engine/work.hpp"
#include "rpc/config/config.hpp"

namespace cuzk::rpc {

// GPUs by gpus.devices (all, where it names none; "cpu" means the processor), each within memory.vram_limit; and the processor:
// as a fallback beside GPUs where gpus.allow_cpu says so, as the device where there is no GPU. Throws Error(kEnvironment) for a
// GPU that is not there, and where nothing is left to prove on.
// `bn254_memory`: device memory for keys and proofs over BN254; 0: none are wanted.
std::vector<engine::DeviceSpec> devices_of(const DaemonConfig& config, u64 bn254_memory);

}  // namespace cuzk::rpc
