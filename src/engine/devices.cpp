#include "engine/devices.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "engine/backend_device.hpp"
#include "gpu/backend.hpp"
#include "groth16/cpu_backend.hpp"

namespace cuzk::engine {

namespace {

DeviceSpec processor(bool fallback) {
    return {make_backend_device("cpu", std::make_shared<CpuBackend<Bls12_381>>(), 0,
                                std::make_shared<CpuBackend<Bn254>>()),
            fallback};
}

// A backend knows nothing of another one on its device: each gets a limit of its own, and together they stay within the card's.
DeviceSpec graphics_card(const gpu::DeviceInfo& card, const DeviceChoice& choice, u32 part,
                         const std::shared_ptr<gpu::KeyExchange>& exchange) {
    gpu::BackendOptions options;
    options.device = card.uuid;
    options.exchange = exchange;
    u64 memory = choice.vram_limit != 0 ? std::min<u64>(choice.vram_limit, card.memory) : card.memory;
    u64 limit = choice.vram_limit;
    if (choice.parts != 1) {
        options.label = ", part " + std::to_string(part + 1) + " of " + std::to_string(choice.parts);
        limit = memory /= choice.parts;
    }
    std::shared_ptr<Backend<Bn254>> bn254;
    if (choice.bn254_memory != 0) {
        options.memory_limit = std::min(choice.bn254_memory, memory / 2);
        bn254 = gpu::make_backend<Bn254>(options);
        memory -= options.memory_limit;
        options.memory_limit = memory;
    } else {
        options.memory_limit = limit;
    }
    std::shared_ptr<Backend<Bls12_381>> bls12_381 = gpu::make_backend<Bls12_381>(options);
    // Keys may fill three quarters; the rest is for the proofs themselves, whose arena the backend sizes by what is left. Keys over
    // BN254 count against the same budget, though they lie in the part that was set aside: the plan errs to the safe side.
    return {make_backend_device("cuda", std::move(bls12_381), memory / 4 * 3, std::move(bn254)), false};
}

}  // namespace

std::vector<DeviceSpec> make_devices(const DeviceChoice& choice) {
    std::vector<DeviceSpec> devices;
    std::vector<std::string> taken;
    // A key comes from the host once, and to every further GPU from the first.
    const auto exchange = std::make_shared<gpu::KeyExchange>();
    bool names_processor = false;
    const auto take = [&](const gpu::DeviceInfo& card) {
        if (std::find(taken.begin(), taken.end(), card.uuid) != taken.end())
            throw Error(ErrorKind::kUsage, "the list of devices names the GPU " + card.uuid + " twice");
        taken.push_back(card.uuid);
        for (u32 part = 0; part < choice.parts; ++part)
            devices.push_back(graphics_card(card, choice, part, exchange));
    };
    if (choice.names.empty())
        for (const gpu::DeviceInfo& card : gpu::list_devices()) take(card);
    for (const std::string& name : choice.names) {
        if (name == "cpu")
            names_processor = true;
        else
            take(gpu::find_device(name));
    }
    if (names_processor || choice.allow_cpu)
        devices.push_back(processor(!names_processor && !devices.empty()));
    if (devices.empty())
        throw Error(ErrorKind::kEnvironment,
                    "there is no GPU that this build can use, and allow_cpu is false: nothing could prove");
    return devices;
}

}  // namespace cuzk::engine
