// Proofs as bytes, by their curve:
//   BLS12-381  192 bytes, as of bellman and bellperson: A (48 bytes), B (96), C (48), Zcash compressed. Several proofs of one
//              statement, as for Filecoin's partitions, are simply concatenated.
//   BN254      256 bytes, as Ethereum's precompiles take points (EIP-196, EIP-197): A (64), B (128), C (64), uncompressed.
#pragma once

#include <array>
#include <vector>

#include "base/byte_source.hpp"
#include "groth16/types.hpp"

namespace cuzk {

inline constexpr std::size_t kProofBytes = 192;
inline constexpr std::size_t kBn254ProofBytes = 256;

// One or more proofs. Strict: canonical, in the subgroup, not infinity. Throws Error(kMalformed).
std::vector<Proof<Bls12_381>> read_proof_bytes(const ByteSource& source);
std::array<u8, kProofBytes> proof_to_bytes(const Proof<Bls12_381>& proof);

// One proof, as strict.
Proof<Bn254> read_bn254_proof_bytes(const ByteSource& source);
std::array<u8, kBn254ProofBytes> proof_to_bytes(const Proof<Bn254>& proof);

}  // namespace cuzk
