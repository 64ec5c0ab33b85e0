// A compiled circuit, and its forms for others.
#pragma once

#include "filecoin/prove/job.hpp"
#include "groth16/instanced_circuit.hpp"
#include "r1cs/r1cs.hpp"

namespace cuzk::filecoin {

// Immutable once made; share it between proofs and give it to the ProvingKey.
struct CompiledCircuit : InstancedCircuit<Fr> {
    CompiledCircuit(CircuitKind circuit, const SectorShape& sector)
        : InstancedCircuit(circuit_name(circuit), compile_circuit(circuit, sector)),
          kind(circuit),
          shape(sector) {}

    CircuitKind kind;
    SectorShape shape;
};

// The same constraints as plain sparse matrices, for the development setup: needs memory for every non-zero.
R1cs<Fr> to_r1cs(const InstancedR1cs& instanced);

}  // namespace cuzk::filecoin
