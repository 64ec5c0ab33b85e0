// Out-of-circuit twins of the hash gadgets.
#pragma once

#include "filecoin/gadgets/merkle.hpp"

namespace cuzk::filecoin {

// SHA-256 with the two top bits cleared, read little-endian: the network's "trimmed" digest.
Fr trimmed_sha256(std::span<const u8> message);

// Node of a SHA-256 Merkle tree: trimmed digest of the 64 bytes left || right.
Fr native_sha256_pair(const Fr& left, const Fr& right);

// Root that a leaf and its path imply.
Fr merkle_root(TreeHasher hasher, const Fr& leaf, const MerklePath& path);

// comm_r from its two halves.
Fr replica_commitment(const Fr& comm_c, const Fr& comm_r_last);

// Label of a node in a layer (1-based) from its 37 parents' labels, in hashing order.
Fr stacked_label(const Fr& replica_id, u32 layer, u64 node, std::span<const Fr> parents);

}  // namespace cuzk::filecoin
