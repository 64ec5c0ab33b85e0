#include "gpu/memory_plan.hpp"

#include <algorithm>

#include "gpu/failure.hpp"

namespace cuzk::gpu {

namespace {

// Alignment of what is taken from an arena, a few dozen times, and counters.
constexpr std::size_t kSlack = std::size_t{1} << 20;
constexpr std::size_t kPartSlack = std::size_t{64} << 10;
// Entries of a list that are added at once where memory is short.
constexpr std::size_t kShortChunk = std::size_t{1} << 22;

}  // namespace

SumScratch sum_scratch(const ScratchModel& scratch, std::size_t n, std::size_t scalars) {
    scalars = std::min(n, scalars);
    return {std::max(scratch.g1(scalars, 0), scratch.g1_list(n, 0)) + kPartSlack,
            std::max(scratch.g2(scalars, 0), scratch.g2_list(n, 0)) + kPartSlack};
}

namespace {

std::size_t working_bytes(const ProofSizes& s, const ScratchModel& scratch, unsigned windows,
                          std::size_t piece) {
    const std::size_t vector = s.domain * 32;
    const bool streamed = piece != 0;
    const std::size_t buffers = streamed ? 2 * piece * s.g1_bytes : 0;
    const std::size_t g1 = streamed ? std::min(piece, s.largest_g1) : s.largest_g1;
    const std::size_t g2 = streamed ? std::min(piece * s.g1_bytes / s.g2_bytes, s.g2_points) : s.g2_points;
    const std::size_t chunk = windows == 0 ? 0 : kShortChunk;
    const std::size_t h_scalars = streamed ? std::min(piece, s.domain) : s.domain;
    const std::size_t transforms = s.vectors * vector;
    if (s.small && !streamed && windows == 0) {
        const SumScratch query = sum_scratch(scratch, s.largest_g1, s.most_scalars);
        return s.witness + transforms + sum_scratch(scratch, s.domain, s.domain).g1 + 3 * query.g1 +
               query.g2 + kSlack;
    }
    const std::size_t h = vector + scratch.g1(h_scalars, windows);
    const std::size_t tails = std::max(
        {scratch.g1(std::min(g1, s.most_scalars), windows), scratch.g2(std::min(g2, s.most_scalars), windows),
         scratch.g1_list(g1, std::min(chunk, g1)), scratch.g2_list(g2, std::min(chunk, g2))});
    return s.witness + buffers + std::max({transforms, h, tails}) + kSlack;
}

}  // namespace

MemoryPlan plan_memory(const ProofSizes& s, const ScratchModel& scratch, std::size_t available,
                       bool may_be_resident, const std::string& key_name, std::size_t most_piece) {
    const std::size_t points = s.g1_points * s.g1_bytes + s.g2_points * s.g2_bytes + kSlack;
    std::size_t least = 0;
    const auto fits = [&](const MemoryPlan& plan) {
        least = plan.key + plan.working;
        return least <= available;
    };
    if (may_be_resident)
        for (const unsigned windows : {0u, 4u, 2u, 1u}) {
            const MemoryPlan plan{true, s.small && windows == 0, s.tables + points,
                                  working_bytes(s, scratch, windows, 0), 0};
            if (fits(plan)) return plan;
        }
    const std::size_t least_piece = std::min(most_piece, std::size_t{1} << 16);
    for (std::size_t piece = most_piece; piece >= least_piece; piece /= 2)
        for (const unsigned windows : {0u, 1u}) {
            const MemoryPlan plan{false, false, s.tables, working_bytes(s, scratch, windows, piece), piece};
            if (fits(plan)) return plan;
        }
    throw OutOfDeviceMemory((key_name.empty() ? "a proof" : "a proof with " + key_name) + " needs at least " +
                            std::to_string(least) + " bytes of device memory, " + std::to_string(available) +
                            " are available");
}

}  // namespace cuzk::gpu
