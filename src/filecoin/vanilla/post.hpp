// Vanilla proofs of WindowPoSt and WinningPoSt: bincode of one sector's FallbackPoStSectorProof.
#pragma once

#include "filecoin/circuits/post.hpp"
#include "filecoin/vanilla/merkle_proof.hpp"

namespace cuzk::filecoin {

struct PostVanilla {
    u64 sector_id = 0;
    PostSector sector;  // one challenge an inclusion proof
};

// `name` is how messages call the blob ("vanilla proof 3"). Throws Error(kMalformed): truncated, trailing bytes, numbers
// outside the field, paths of the wrong shape, or not `challenges` inclusion proofs.
PostVanilla decode_post_vanilla(std::span<const u8> bytes, const std::string& name, const SectorShape& shape,
                                u32 challenges);

// Checks natively what the circuit states, and the challenged leaves: leaf indices must be those that `randomness`, the sector
// id and `first_challenge` imply. Throws Error(kUnsatisfied) naming what does not hold.
void check_post_vanilla(const PostVanilla& vanilla, const std::string& name, const SectorShape& shape,
                        std::span<const u8, 32> randomness, u64 first_challenge);

// Leaf that a PoSt challenge asks for.
u64 post_challenge(std::span<const u8, 32> randomness, u64 sector_id, u64 challenge_index, u64 nodes);

}  // namespace cuzk::filecoin
