// The subgroup checks of curve/subgroup.cpp for 8 points at a time in AVX-512 IFMA lanes.
#pragma once

#include "base/types.hpp"

namespace cuzk {

// What the lanes found out about 8 points: a bit for each. A point in neither set met a step of the addition formulas that
// has no general case (its order is small), and must be checked by itself.
struct LaneVerdicts {
    u8 inside = 0;
    u8 outside = 0;
};

// points[i]: the words of x, y of a finite point on the curve. `map`: the words of the constants of the group's
// endomorphism: beta (G1), or cx, cy of TwistFrobenius (G2). Only where active_isa() is kIfma. Thread-safe.
template <class G>
LaneVerdicts subgroup_lanes(const u64* const (&points)[8], const u64* map);

}  // namespace cuzk
