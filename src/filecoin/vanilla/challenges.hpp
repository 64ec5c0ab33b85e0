// PoRep challenges, as the network derives them.
#pragma once

#include "filecoin/circuits/porep.hpp"

namespace cuzk::filecoin {

// Challenge number j of a sector (counted over all partitions), interactive form: never node 0.
u64 interactive_challenge(const Fr& replica_id, std::span<const u8, 32> seed, u32 j, u64 nodes);

// The non-interactive form, which depends on the commitment instead of a seed.
u64 non_interactive_challenge(const Fr& replica_id, const Fr& comm_r, u32 j, u64 nodes);

}  // namespace cuzk::filecoin
