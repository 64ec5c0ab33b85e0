// Vanilla proofs of SnapDeals: bincode of one partition's PartitionProof.
#pragma once

#include "filecoin/circuits/update.hpp"
#include "filecoin/vanilla/merkle_proof.hpp"

namespace cuzk::filecoin {

struct UpdateCommitments {
    Fr comm_r_old, comm_d_new, comm_r_new;
};

// Partition `index` of a sector update. Throws Error(kMalformed) as decode_post_vanilla does.
UpdatePartition decode_update_vanilla(std::span<const u8> bytes, const std::string& name,
                                      const SectorShape& shape, u32 index,
                                      const UpdateCommitments& commitments);

// First public input of a partition: its number, and the choice of high bits in the positions above.
u64 partition_and_high_select(const SectorShape& shape, u32 partition);

// Checks natively what the circuit states, challenged leaves included. Throws Error(kUnsatisfied).
void check_update_vanilla(const UpdatePartition& partition, const std::string& name,
                          const SectorShape& shape);

// Challenged leaves of a partition, as indices of the whole sector.
std::vector<u64> update_challenges(const SectorShape& shape, u32 partition, const Fr& comm_r_new);

}  // namespace cuzk::filecoin
