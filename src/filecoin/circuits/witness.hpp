// Per proof: the compact witness of one partition, and what a prover needs of it.
#pragma once

#include <optional>

#include "filecoin/circuits/porep.hpp"
#include "filecoin/circuits/post.hpp"
#include "filecoin/circuits/update.hpp"
#include "filecoin/cs/witness.hpp"

namespace cuzk::filecoin {

// Values of all variables, in parallel. They follow from the inputs alone, so an input that does not satisfy the circuit gives
// a witness that does not either.
CompactWitness make_witness(const PorepPartition& partition);
CompactWitness make_witness(const SectorShape& shape, const UpdatePartition& partition);
CompactWitness make_witness(const PostPartition& partition);

// z = inputs, then aux, as full field elements. Throws Error(kInternal) if the witness is of another circuit.
std::vector<Fr> expand(const InstancedR1cs& r1cs, const CompactWitness& witness);

// A(z), B(z), C(z), one value a row, followed by the rows that provers append for the inputs (A = the input, B = C = 0).
// Each span has constraints + inputs values. Parallel.
void evaluate(const InstancedR1cs& r1cs, std::span<const Fr> z, std::span<Fr> a, std::span<Fr> b,
              std::span<Fr> c);

// First row with A(z) B(z) != C(z), if any.
std::optional<u64> first_violation(std::span<const Fr> a, std::span<const Fr> b, std::span<const Fr> c);

}  // namespace cuzk::filecoin
