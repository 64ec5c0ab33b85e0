// Protocol tables: what a sector size implies for trees, layers, challenges and partitions.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace cuzk::filecoin {

// Shape of the Poseidon trees (R and C): arities of the base levels, of the sub and of the top tree (0: absent).
struct TreeShape {
    u32 base = 8;
    u32 sub = 0;
    u32 top = 0;
    // "8-8-0"
    std::string name() const;
};

struct SectorShape {
    u64 bytes = 0;
    u64 nodes() const { return bytes / 32; }
    u32 log_nodes() const;
    TreeShape tree;
    // Arity of each level, leaf level first.
    std::vector<u32> tree_arities() const;

    u32 layers = 0;             // PoRep
    u32 porep_partitions = 0;   // interactive and synthetic
    u32 porep_challenges = 0;   // per partition
    u32 ni_partitions = 0;      // non-interactive
    u32 window_slots = 0;       // sectors a WindowPoSt partition holds
    u32 update_partitions = 0;  // SnapDeals
    u32 update_challenges = 0;  // per partition
    u32 update_apex_leaves = 0;
    std::array<u32, 6> update_high_bits{};  // the choices of h
};

inline constexpr u32 kDrgParents = 6;
inline constexpr u32 kExpanderParents = 8;
inline constexpr u32 kLabelParents = 37;  // hashed into a label
inline constexpr u32 kWindowChallenges = 10;
inline constexpr u32 kWinningSlots = 66;

// Known sizes: 1, 2, 4, 8, 16, 32 KiB, 8, 16, 512 MiB, 1, 32, 64 GiB. Throws Error(kUnsupported) for others.
SectorShape sector_shape(u64 sector_bytes);

// "32GiB" and the like, both ways. parse throws Error(kUsage).
std::string sector_size_name(u64 bytes);
u64 parse_sector_size(const std::string& text);

}  // namespace cuzk::filecoin
