// Merkle proofs as the network's vanilla proofs carry them, and the checks that every reader of them makes.
#pragma once

#include <string>

#include "base/byte_reader.hpp"
#include "filecoin/circuits/porep.hpp"

namespace cuzk::filecoin {

struct MerkleProof {
    Fr root, leaf;
    MerklePath path;  // base ++ sub ++ top
};

// Throws Error(kMalformed) unless the path has these arities, leaf level first, and each index is below its arity.
// `where` names the path in the message ("partition 0, challenge 3, tree D").
void require_shape(const MerklePath& path, const std::vector<u32>& arities, const std::string& where);

// The leaf index that a path spells.
u64 leaf_index(const MerklePath& path);

// A canonical field element of 32 little-endian bytes, or Error(kMalformed).
Fr field_element(std::span<const u8, 32> bytes, const std::string& where);
Fr read_field_element(ByteReader& in, const std::string& what);

// bincode 1.3 of the network's MerkleProof: u32 tag, parts, root, leaf. Lengths are checked against what is there before
// anything is allocated.
MerkleProof read_merkle_proof(ByteReader& in, const std::string& what);

}  // namespace cuzk::filecoin
