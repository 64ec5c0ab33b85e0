// Where the parts of a key and of a proof lie, for a given amount of device memory.
#pragma once

#include <array>
#include <limits>
#include <string>

#include "base/types.hpp"
#include "groth16/types.hpp"

namespace cuzk::gpu {

// The queries of a key, in the order in which their points are kept on the device where not all fit. A byte of L or A that is kept
// saves a proof the most: nearly all of their scalars are 0 or 1, so their sums wait for the bus. Those over B have more
// arithmetic to a byte, most of all in G2; the sum over H, all scalars of which are wide, takes longer than its points need to come.
enum class Query : u8 { kL, kA, kBG1, kBG2, kH };
inline constexpr std::size_t kQueries = 5;

// A number for each query.
struct PerQuery {
    std::array<std::size_t, kQueries> of{};

    std::size_t& operator[](Query q) { return of[static_cast<std::size_t>(q)]; }
    std::size_t operator[](Query q) const { return of[static_cast<std::size_t>(q)]; }
    bool operator==(const PerQuery&) const = default;
};

// Sizes that a plan follows from, in bytes unless said otherwise.
struct ProofSizes {
    std::size_t domain = 0;  // points
    KeyFamily family = KeyFamily::kBellman;
    std::size_t tables = 0;    // of the key, beside its points
    std::size_t witness = 0;   // the most that a witness and its lists take
    PerQuery points;           // of each query; points
    std::size_t g1_bytes = 0;  // of one point
    std::size_t g2_bytes = 0;
    std::size_t most_scalars = 0;  // that a sum over a witness may have
    bool small = false;            // sums run side by side where the key is resident

    std::size_t point_bytes(Query q) const { return q == Query::kBG2 ? g2_bytes : g1_bytes; }
    // Of domain field elements, at once; all but one of them can be parked.
    unsigned vectors() const { return family == KeyFamily::kSnarkjs ? 3 : 2; }
    std::size_t largest_g1() const;  // of the queries that a witness selects from; points
    std::size_t all_point_bytes() const;
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

inline constexpr std::size_t kMostPiecePoints = std::size_t{1} << 24;

// What a plan must keep to, in bytes unless said otherwise.
struct MemoryLimits {
    std::size_t available = 0;
    std::size_t most_kept = std::numeric_limits<std::size_t>::max();  // of the key's points
    std::size_t least_working = 0;                                    // what proofs with other keys need
    std::size_t most_piece = kMostPiecePoints;                        // points, a power of two
    bool parked_only = false;                                         // vectors are parked in any case
};

struct MemoryPlan {
    bool side_by_side = false;  // the sums of a proof
    bool parked = false;  // the device has one vector of the domain; the others wait in pinned host memory
    PerQuery kept;  // points that stay on the device, the first ones of each query; the others are streamed
    std::size_t kept_bytes = 0;
    std::size_t streamed_bytes = 0;  // of points that each proof brings to the device
    std::size_t key = 0;             // bytes of the key's tables and of the points that stay
    std::size_t working = 0;         // bytes of the arena of proofs
    std::size_t host = 0;            // bytes of pinned host memory for parked vectors
    std::size_t bus =
        0;  // bytes that a proof moves over the bus: streamed points, parked vectors there and back
    // Points of G1 that are on the device twice while they are streamed, and that the sum over H takes at once; as many bytes of
    // points of G2.
    std::size_t piece = 0;
    std::size_t part =
        0;  // points of G1 that the other sums take at once of those that stay; at least `piece`

    bool resident() const { return streamed_bytes == 0; }  // all points stay on the device
};

// Elements of a parked vector that are on the device at once, twice, while it is used. Emulated devices take less.
inline constexpr std::size_t kParkedPiece = std::size_t{1} << 18;
// How often a vector of the domain goes over the bus where all but one are parked: down and up again.
constexpr std::size_t parked_copies(KeyFamily family) {
    return family == KeyFamily::kSnarkjs ? 6 : 4;
}

// The plan under which a proof takes the least time, by an estimate that memory_plan.cpp explains, of those that fit. Error
// (kEnvironment) naming the sizes where none does.
MemoryPlan plan_memory(const ProofSizes& sizes, const ScratchModel& scratch, const MemoryLimits& limits,
                       const std::string& key_name);

}  // namespace cuzk::gpu
