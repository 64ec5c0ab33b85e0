// Ready assignments for a bellman key (BLS12-381): what a prover needs when somebody else ran the circuit.
//
// "ASSIGN01"; u64 inputs (with the constant one), aux, rows (appended input rows included); a, b, c: `rows` values each; z:
// inputs + aux values; then the density bits of a_aux, b_inputs, b_aux (bit i of byte i / 8, low bit first, each padded
// to a byte). Values are 32 bytes, canonical; everything is little-endian.
#pragma once

#include <string>

#include "base/byte_source.hpp"
#include "groth16/types.hpp"

namespace cuzk {

inline constexpr const char* kAssignmentMagic = "ASSIGN01";

// Throws Error(kMalformed), naming section and index of a bad value. z[0] must be one.
Assignment<Bls12_381Fr> read_assignment(const ByteSource& source);
void write_assignment(const std::string& path, const Assignment<Bls12_381Fr>& assignment);

}  // namespace cuzk
