#include "cli/development_key.hpp"

#include <string_view>

#include "base/random.hpp"
#include "gpu/device_setup.hpp"
#include "groth16/memory_sink.hpp"
#include "groth16/setup.hpp"

namespace cuzk::cli {

std::shared_ptr<const ProvingKey<Bls12_381>> development_key(
    const std::shared_ptr<const filecoin::CompiledCircuit>& circuit, const std::optional<std::string>& device,
    Progress* progress) {
    using C = Bls12_381;
    MemoryKeySink<C> sink;
    constexpr std::string_view kSeed = "cuzk filecoin bench";
    SeededRandom random(std::span(reinterpret_cast<const u8*>(kSeed.data()), kSeed.size()));
    const SetupBases<C> bases;
    const InstancedCircuit<C::Fr>& system = *circuit;
    if (device) {
        const auto target = gpu::make_setup_target<C>(*device, 0, sink, bases, progress);
        setup<C>(KeyFamily::kBellman, system, random, *target, progress, bases);
    } else {
        setup<C>(KeyFamily::kBellman, system, random, sink, progress, bases);
    }
    auto key = std::make_shared<ProvingKey<C>>(*sink.key());
    key->circuit = circuit;
    return key;
}

}  // namespace cuzk::cli
