#include "rpc/devices.hpp"

#include <algorithm>

#include "engine/filecoin_work.hpp"
#include "groth16/cpu_backend.hpp"

namespace cuzk::rpc {

namespace {

engine::DeviceSpec processor(bool fallback) {
    return {engine::make_backend_device("cpu", std::make_shared<CpuBackend<Bls12_381>>()), fallback};
}

}  // namespace

std::vector<engine::DeviceSpec> devices_of(const DaemonConfig& config) {
    const auto& named = config.gpus.devices;
    for (const std::string& name : named)
        if (name != "cpu")
            throw Error(ErrorKind::kEnvironment,
                        "gpus.devices: there is no GPU '" + name + "' that this build can use");
    if (!config.gpus.allow_cpu && named.empty())
        throw Error(ErrorKind::kEnvironment,
                    "there is no GPU that this build can use, and gpus.allow_cpu is false");
    return {processor(false)};
}

}  // namespace cuzk::rpc
