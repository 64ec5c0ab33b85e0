// An instanced constraint system with what provers derive from it.
#pragma once

#include "base/error.hpp"
#include "groth16/types.hpp"
#include "r1cs/instanced_values.hpp"

namespace cuzk {

// Which variables have a non-zero coefficient in A and in B: these have points in a parameter file. The rows that provers
// append for the inputs make every input dense in A; they are not counted here.
struct ColumnDensity {
    DensityBits a_aux, b_aux, b_inputs;
};
template <class Fr>
ColumnDensity column_density(const InstancedR1cs<Fr>& r1cs);

// Immutable once made; share it between proofs.
template <class Fr>
struct InstancedCircuit {
    // `circuit_name` is for messages.
    InstancedCircuit(std::string circuit_name, InstancedR1cs<Fr> system);

    std::string name;
    InstancedR1cs<Fr> r1cs;
    ColumnDensity density;

    // Rows of the QAP: constraints, then one for each input.
    std::size_t rows() const { return r1cs.constraints + r1cs.inputs; }
    std::size_t variables() const { return std::size_t{r1cs.inputs} + r1cs.aux; }

    // Error(kUnsatisfied) about that constraint.
    Error unsatisfied(u64 row) const;

    // z, A(z), B(z), C(z) for a key of the kBellman family. Throws Error(kUnsatisfied) naming the first constraint that
    // does not hold. Memory: 32 bytes x (variables + 3 rows).
    Assignment<Fr> assignment(const CompactWitness<Fr>& witness) const;
};

#define CUZK_INSTANCED_CIRCUIT(prefix, Fr)                                  \
    prefix template ColumnDensity column_density(const InstancedR1cs<Fr>&); \
    prefix template struct InstancedCircuit<Fr>;
CUZK_INSTANCED_CIRCUIT(extern, Bls12_381Fr)
CUZK_INSTANCED_CIRCUIT(extern, Bn254Fr)

}  // namespace cuzk
