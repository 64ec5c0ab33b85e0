#include "rpc/devices.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "engine/filecoin_work.hpp"
#include "gpu/backend.hpp"
#include "groth16/cpu_backend.hpp"

namespace cuzk::rpc {

namespace {

engine::DeviceSpec processor(bool fallback) {
    return {engine::make_backend_device("cpu", std::make_shared<CpuBackend<Bls12_381>>()), fallback};
}

engine::DeviceSpec graphics_card(const gpu::DeviceInfo& card, const DaemonConfig& config) {
    gpu::BackendOptions options;
    options.device = card.uuid;
    options.memory_limit = config.memory.vram_limit.value_or(0);
    std::shared_ptr<Backend<Bls12_381>> backend = gpu::make_backend<Bls12_381>(options);
    // Keys may fill three quarters; the rest is for the proofs themselves, whose arena the backend sizes by what is left.
    const u64 memory =
        config.memory.vram_limit ? std::min<u64>(*config.memory.vram_limit, card.memory) : card.memory;
    return {engine::make_backend_device("cuda", std::move(backend), memory / 4 * 3), false};
}

}  // namespace

std::vector<engine::DeviceSpec> devices_of(const DaemonConfig& config) {
    std::vector<engine::DeviceSpec> devices;
    std::vector<std::string> taken;
    bool names_processor = false;
    const auto take = [&](const gpu::DeviceInfo& card) {
        if (std::find(taken.begin(), taken.end(), card.uuid) != taken.end())
            throw Error(ErrorKind::kUsage, "gpus.devices names the GPU " + card.uuid + " twice");
        taken.push_back(card.uuid);
        devices.push_back(graphics_card(card, config));
    };
    if (config.gpus.devices.empty())
        for (const gpu::DeviceInfo& card : gpu::list_devices()) take(card);
    for (const std::string& name : config.gpus.devices) {
        if (name == "cpu")
            names_processor = true;
        else
            take(gpu::find_device(name));
    }
    if (names_processor || config.gpus.allow_cpu)
        devices.push_back(processor(!names_processor && !devices.empty()));
    if (devices.empty())
        throw Error(
            ErrorKind::kEnvironment,
            "there is no GPU that this build can use, and gpus.allow_cpu is false: nothing could prove");
    return devices;
}

}  // namespace cuzk::rpc
