// 192-byte proofs of bellman and bellperson (BLS12-381): A (48 bytes), B (96), C (48), Zcash compressed. Several proofs of
// one statement, as for Filecoin's partitions, are simply concatenated.
#pragma once

#include <array>
#include <vector>

#include "base/byte_source.hpp"
#include "groth16/types.hpp"

namespace cuzk {

inline constexpr std::size_t kProofBytes = 192;

// One or more proofs. Strict: canonical, in the subgroup, not infinity. Throws Error(kMalformed).
std::vector<Proof<Bls12_381>> read_proof_bytes(const ByteSource& source);
std::array<u8, kProofBytes> proof_to_bytes(const Proof<Bls12_381>& proof);

}  // namespace cuzk
