// PoRep challenges, as the network derives them.
#pragma once

#include "filecoin/circuits/porep.hpp"

namespace cuzk::filecoin {

// Challenge number j of a sector (counted over all partitions), interactive form: never node 0.
u64 interactive_challenge(const Fr& replica_id, std::span<const u8, 32> seed, u32 j, u64 nodes);

// The synthetic form: `seed` picks one of the min(nodes, 2^18) challenges that the replica and its commitment imply.
u64 synthetic_challenge(const Fr& replica_id, const Fr& comm_r, std::span<const u8, 32> seed, u32 j,
                        u64 nodes);
// The same from a pool of another size.
u64 synthetic_challenge(const Fr& replica_id, const Fr& comm_r, std::span<const u8, 32> seed, u32 j,
                        u64 nodes, u64 pool);

// The non-interactive form, which depends on the commitment instead of a seed.
u64 non_interactive_challenge(const Fr& replica_id, const Fr& comm_r, u32 j, u64 nodes);

}  // namespace cuzk::filecoin
