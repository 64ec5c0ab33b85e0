// FallbackPoSt: the circuit of WindowPoSt and WinningPoSt.
#pragma once

#include "filecoin/gadgets/merkle.hpp"
#include "filecoin/shapes.hpp"

namespace cuzk::filecoin {

// What one slot proves about one sector.
struct PostSector {
    Fr comm_r, comm_c, comm_r_last;
    struct Challenge {
        Fr leaf;
        MerklePath path;  // tree R
    };
    std::vector<Challenge> challenges;
};

// All slots of the partition, padded by the caller. Each has the same number of challenges.
struct PostPartition {
    std::vector<PostSector> slots;
};

// Zero values in the right shape: for structure mode.
PostPartition blank_post(const SectorShape& shape, u32 slots, u32 challenges);

template <class CS>
void synthesize(CS& cs, const PostPartition& partition) {
    cs.for_each(partition.slots.size(), [&](CS& part, std::size_t i) {
        const PostSector& sector = partition.slots[i];
        const Num comm_r_last = part.alloc_num(sector.comm_r_last);
        const Num comm_c = part.alloc_num(sector.comm_c);
        const Num comm_r = part.alloc_num(sector.comm_r);
        inputize(part, comm_r);
        enforce_equal(part, comm_r, poseidon_gadget(part, comm_c, comm_r_last));
        for (const auto& challenge : sector.challenges) {
            const Num leaf = part.alloc_num(challenge.leaf);
            merkle_inclusion(part, TreeHasher::kPoseidon, leaf, challenge.path, comm_r_last);
        }
    });
}

}  // namespace cuzk::filecoin
