// Columns of an instanced constraint system: its matrices, transposed, times a vector.
#pragma once

#include <array>
#include <span>

#include "r1cs/instanced.hpp"

namespace cuzk {

// out[m][v] = sum over the rows of matrix m's coefficient of variable v times x[row], for variables in the order inputs, aux.
// x has a value for each constraint at least; each output has inputs + aux elements, which are overwritten; else
// Error(kInternal). Parallel. Memory beside the outputs: three elements for each parameter of an instance.
template <class Fr>
void multiply_transposed(const InstancedR1cs<Fr>& r1cs, std::span<const Fr> x,
                         const std::array<std::span<Fr>, 3>& out);

extern template void multiply_transposed(const InstancedR1cs<Bls12_381Fr>&, std::span<const Bls12_381Fr>,
                                         const std::array<std::span<Bls12_381Fr>, 3>&);
extern template void multiply_transposed(const InstancedR1cs<Bn254Fr>&, std::span<const Bn254Fr>,
                                         const std::array<std::span<Bn254Fr>, 3>&);

}  // namespace cuzk
