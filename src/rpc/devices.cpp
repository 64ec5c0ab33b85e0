#include "rpc/devices.hpp"

#include <algorithm>

#include "engine/filecoin_work.hpp"
#include "gpu/backend.hpp"
#include "groth16/cpu_backend.hpp"

namespace cuzk::rpc {

namespace {

engine::DeviceSpec processor(bool fallback) {
    return {engine::make_backend_device("cpu", std::make_shared<CpuBackend<Bls12_381>>()), fallback};
}

engine::DeviceSpec card(const DaemonConfig& config, const gpu::DeviceInfo& device) {
    gpu::BackendOptions options;
    options.device = device.uuid;
    options.memory_limit = config.memory.vram_limit.value_or(0);
    const u64 limit = std::min<u64>(device.memory, config.memory.vram_limit.value_or(device.memory));
    // The rest is for what proofs work in: half of a PoRep partition's key at most.
    const u64 for_keys = limit / 4 * 3;
    return {engine::make_backend_device("cuda", gpu::make_backend<Bls12_381>(options), for_keys), false};
}

}  // namespace

std::vector<engine::DeviceSpec> devices_of(const DaemonConfig& config) {
    std::vector<engine::DeviceSpec> specs;
    bool cpu_named = false;
    if (config.gpus.devices.empty())
        for (const gpu::DeviceInfo& device : gpu::list_devices()) specs.push_back(card(config, device));
    for (const std::string& name : config.gpus.devices) {
        cpu_named = cpu_named || name == "cpu";
        if (name != "cpu") specs.push_back(card(config, gpu::find_device(name)));
    }
    const bool cards = !specs.empty();
    if (cpu_named || config.gpus.allow_cpu) specs.push_back(processor(cards && !cpu_named));
    if (specs.empty())
        throw Error(ErrorKind::kEnvironment,
                    "there is no GPU that this build can use, and gpus.allow_cpu is false");
    return specs;
}

}  // namespace cuzk::rpc
