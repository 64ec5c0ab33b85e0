// From a circuit and a sector size to its constraint system.
#pragma once

#include "filecoin/cs/instanced.hpp"
#include "filecoin/shapes.hpp"
#include "groth16/types.hpp"

namespace cuzk::filecoin {

enum class CircuitKind { kPorep, kUpdate, kWindowPost, kWinningPost };

// "porep", "update", "window-post", "winning-post"
const char* circuit_name(CircuitKind kind);

// One partition's constraint system. 1.5 s at 32 GiB; tens of MiB.
InstancedR1cs compile_circuit(CircuitKind kind, const SectorShape& shape);

// Which variables have a non-zero coefficient in A and in B: these have points in a parameter file. The rows that provers
// append for the inputs make every input dense in A; they are not counted here.
struct ColumnDensity {
    DensityBits a_aux, b_aux, b_inputs;
};
ColumnDensity column_density(const InstancedR1cs& r1cs);

}  // namespace cuzk::filecoin
