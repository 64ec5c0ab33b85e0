// The Miller loop in AVX-512 IFMA lanes: many pairs at once, for batch verification. Part of curve/pairing.cpp.
#pragma once

#include "base/types.hpp"

namespace cuzk {

// Pairs that one call takes at most: 8 lanes of 4 pairs each, whose state stays in the first-level cache.
inline constexpr std::size_t kMillerLanesPairs = 32;

// Multiplies the Miller values of `count` (1 to kMillerLanesPairs) pairs into 8 partial products, and writes these to `out` as 8 elements of
// GT in memory form; for a negative x the inversion is still to be done. pairs[i] points to the words of P.x, P.y, Q.x, Q.y,
// neither of them infinity; `psi` to those of the constants of TwistFrobenius. Only where active_isa() is kIfma. Thread-safe.
template <class C>
void miller_lanes(const u64* const* pairs, std::size_t count, const u64* psi, u64* out);

}  // namespace cuzk
