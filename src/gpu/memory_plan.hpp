// Where the parts of a key and of a proof lie, for a given amount of device memory.
#pragma once

#include <string>

#include "base/types.hpp"

namespace cuzk::gpu {

// Sizes that a plan follows from, in bytes unless said otherwise.
struct ProofSizes {
    std::size_t domain = 0;     // points
    unsigned vectors = 2;       // of domain field elements, at once
    std::size_t tables = 0;     // of the key, beside its points
    std::size_t witness = 0;    // the most that a witness and its lists take
    std::size_t g1_points = 0;  // of all queries; points
    std::size_t g2_points = 0;
    std::size_t g1_bytes = 0;  // of one point
    std::size_t g2_bytes = 0;
    std::size_t largest_g1 = 0;    // of one query; points
    std::size_t most_scalars = 0;  // that a sum over a witness may have
    bool small = false;            // sums run side by side where the key is resident
};

// Bytes of scratch of a sum of n terms; `windows` as msm_scratch_bytes has it.
struct ScratchModel {
    std::size_t (*g1)(std::size_t n, unsigned windows);
    std::size_t (*g2)(std::size_t n, unsigned windows);
    std::size_t (*g1_list)(std::size_t n, std::size_t chunk);
    std::size_t (*g2_list)(std::size_t n, std::size_t chunk);
};

// Bytes for the sum over a query of n points, of which `scalars` may have a scalar, with all the scratch that helps.
struct SumScratch {
    std::size_t g1, g2;
};
SumScratch sum_scratch(const ScratchModel& scratch, std::size_t n, std::size_t scalars);

struct MemoryPlan {
    bool resident = true;       // the key's points stay on the device
    bool side_by_side = false;  // the sums of a proof
    std::size_t key = 0;        // bytes of the key's tables and, if resident, points
    std::size_t working = 0;    // bytes of the arena of proofs
    std::size_t piece = 0;      // if not resident: points of G1 that are on the device at once, twice
};

inline constexpr std::size_t kMostPiecePoints = std::size_t{1} << 24;

// The fastest plan that fits into `available` bytes: points resident and all the scratch that helps; less scratch; points
// streamed, in pieces of `most_piece` points (a power of two) down to 2^16. Error(kEnvironment) naming the sizes where none
// fits.
MemoryPlan plan_memory(const ProofSizes& sizes, const ScratchModel& scratch, std::size_t available,
                       bool may_be_resident, const std::string& key_name,
                       std::size_t most_piece = kMostPiecePoints);

}  // namespace cuzk::gpu
