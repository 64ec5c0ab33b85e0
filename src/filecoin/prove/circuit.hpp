// A compiled circuit and what a prover takes from it.
#pragma once

#include "filecoin/prove/job.hpp"
#include "groth16/types.hpp"
#include "r1cs/r1cs.hpp"

namespace cuzk::filecoin {

// Immutable once made; share it between proofs.
struct CompiledCircuit {
    CompiledCircuit(CircuitKind circuit, const SectorShape& sector);

    CircuitKind kind;
    SectorShape shape;
    InstancedR1cs r1cs;
    ColumnDensity density;

    // z, A(z), B(z), C(z) of one partition, for a proving key of the kBellman family. Throws Error(kUnsatisfied) naming the
    // first row that does not hold. Memory: 32 bytes x (variables + 3 rows).
    Assignment<Fr> assignment(const CompactWitness& witness) const;
};

// The same constraints as plain sparse matrices, for the development setup: needs memory for every non-zero.
R1cs<Fr> to_r1cs(const InstancedR1cs& instanced);

}  // namespace cuzk::filecoin
