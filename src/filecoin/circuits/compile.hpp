// From a circuit and a sector size to its constraint system.
#pragma once

#include "filecoin/cs/structure.hpp"
#include "filecoin/shapes.hpp"

namespace cuzk::filecoin {

enum class CircuitKind { kPorep, kUpdate, kWindowPost, kWinningPost };

// "porep", "update", "window-post", "winning-post"
const char* circuit_name(CircuitKind kind);
// The circuit of that name; Error(kUsage) if there is none.
CircuitKind circuit_of_name(const std::string& name);

// One partition's constraint system. 1.5 s at 32 GiB; tens of MiB.
InstancedR1cs compile_circuit(CircuitKind kind, const SectorShape& shape);

}  // namespace cuzk::filecoin
