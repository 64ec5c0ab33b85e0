// The devices that somebody names, ready for an engine.
#pragma once

#include <string>
#include <vector>

#include "engine/work.hpp"

namespace cuzk::engine {

struct DeviceChoice {
    // "cpu", or what gpu::find_device takes: ordinals and UUIDs of GPUs. Empty: all GPUs.
    std::vector<std::string> names;
    // The processor proves too: where there is no GPU, and where none is left. Naming it makes it a device like any other.
    bool allow_cpu = true;
    u64 vram_limit = 0;  // bytes of each GPU's memory; 0: all of it
    // Of that, what is set aside for keys and proofs over BN254, but at most half; 0: GPUs take no such keys.
    u64 bn254_memory = 0;
    // Each GPU is used as so many devices, each with its part of the memory limit: to try what happens on several without having them.
    u32 parts = 1;
};

// Throws Error(kUsage) for a GPU named twice, Error(kEnvironment) for one that is not there, and where nothing is left to prove on.
std::vector<DeviceSpec> make_devices(const DeviceChoice& choice);

}  // namespace cuzk::engine
