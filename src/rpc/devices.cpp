#include "rpc/devices.hpp"

#include "engine/devices.hpp"

namespace cuzk::rpc {

std::vector<engine::DeviceSpec> devices_of(const DaemonConfig& config, u64 bn254_memory) {
    engine::DeviceChoice choice;
    choice.names = config.gpus.devices;
    choice.allow_cpu = config.gpus.allow_cpu;
    choice.vram_limit = config.memory.vram_limit.value_or(0);
    choice.bn254_memory = bn254_memory;
    choice.parts = static_cast<u32>(config.gpus.logical_devices_per_gpu);
    return engine::make_devices(choice);
}

}  // namespace cuzk::rpc
