// Development parameters in memory, for benchmarks.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/progress.hpp"
#include "filecoin/prove/circuit.hpp"
#include "groth16/types.hpp"

namespace cuzk::cli {

// The same key for the same circuit every time, so that figures can be compared; its points are made on the CUDA device of that name
// (as gpu::find_device has it), or on the processor. It proves compact witnesses of the circuit.
std::shared_ptr<const ProvingKey<Bls12_381>> development_key(
    const std::shared_ptr<const filecoin::CompiledCircuit>& circuit, const std::optional<std::string>& device,
    Progress* progress);

}  // namespace cuzk::cli
