// What the network's numbers of registered proofs imply.
#pragma once

#include "base/types.hpp"

namespace cuzk::filecoin {

// The numbers run over five sector sizes, again for each form of a proof.
inline constexpr u64 kRegisteredSizes = 5;

inline u64 size_of_registered(u64 number) {
    constexpr u64 kSizes[kRegisteredSizes] = {u64{2} << 10, u64{8} << 20, u64{512} << 20, u64{32} << 30,
                                              u64{64} << 30};
    return kSizes[number % kRegisteredSizes];
}

// PoSt: below 1.2 of the network's API, challenge numbers run over all sectors of the deadline; from then on they restart in each.
inline bool has_running_challenges(u64 number) {
    return number < 2 * kRegisteredSizes;
}

}  // namespace cuzk::filecoin
