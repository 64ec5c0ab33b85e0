// Plans for cards of all sizes, without a card.
#include "gpu/memory_plan.hpp"

#include <gtest/gtest.h>

#include "gpu/failure.hpp"

namespace cuzk::gpu {
namespace {

constexpr std::size_t kGiB = std::size_t{1} << 30;

// Scratch much like the real one: what is sorted of each window, and sums of pairs.
std::size_t msm_scratch(std::size_t n, unsigned windows) {
    return n * 96 + n * 130 * (windows == 0 ? 4 : windows);
}
std::size_t list_scratch(std::size_t n, std::size_t chunk) {
    return (chunk == 0 ? n : chunk) * 72;
}
constexpr ScratchModel kScratch{msm_scratch, msm_scratch, list_scratch, list_scratch};

// A 32 GiB PoRep partition.
ProofSizes porep() {
    ProofSizes s;
    s.domain = std::size_t{1} << 27;
    s.tables = std::size_t{300} << 20;
    s.witness = std::size_t{900} << 20;
    s.g1_points = (std::size_t{1} << 27) + 130'169'893 + 129'753'620 + 33'112'282;
    s.g2_points = 33'112'282;
    s.g1_bytes = 96;
    s.g2_bytes = 192;
    s.largest_g1 = 130'169'893;
    s.most_scalars = 1'700'000;
    return s;
}

TEST(MemoryPlan, KeepsTheKeyWhereItFits) {
    const MemoryPlan plan = plan_memory(porep(), kScratch, 140 * kGiB, true, "");
    EXPECT_TRUE(plan.resident);
    EXPECT_LE(plan.key + plan.working, 140 * kGiB);
}

TEST(MemoryPlan, StreamsTheKeyOnSmallCards) {
    for (const std::size_t gib : {12, 16, 24, 48}) {
        const MemoryPlan plan = plan_memory(porep(), kScratch, gib * kGiB, true, "");
        EXPECT_FALSE(plan.resident) << gib;
        EXPECT_LE(plan.key + plan.working, gib * kGiB) << gib;
        EXPECT_GE(plan.piece, std::size_t{1} << 16) << gib;
    }
}

TEST(MemoryPlan, UsesLessScratchBeforeItStreams) {
    const MemoryPlan roomy = plan_memory(porep(), kScratch, 140 * kGiB, true, "");
    const MemoryPlan tight = plan_memory(porep(), kScratch, roomy.key + roomy.working - kGiB, true, "");
    EXPECT_TRUE(tight.resident);
    EXPECT_LT(tight.working, roomy.working);
}

TEST(MemoryPlan, StreamsIfItIsToldTo) {
    EXPECT_FALSE(plan_memory(porep(), kScratch, 140 * kGiB, false, "").resident);
}

TEST(MemoryPlan, NamesWhatIsMissing) {
    try {
        plan_memory(porep(), kScratch, 4 * kGiB, true, "porep.params");
        FAIL();
    } catch (const OutOfDeviceMemory& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("porep.params"), std::string::npos) << message;
        EXPECT_NE(message.find(std::to_string(4 * kGiB)), std::string::npos) << message;
    }
}

TEST(MemoryPlan, SmallCircuitsFitAnywhere) {
    ProofSizes s;
    s.domain = 2;
    s.vectors = 3;
    s.g1_points = 10;
    s.g2_points = 3;
    s.g1_bytes = 64;
    s.g2_bytes = 128;
    s.largest_g1 = s.most_scalars = 3;
    EXPECT_TRUE(plan_memory(s, kScratch, std::size_t{64} << 20, true, "").resident);
}

}  // namespace
}  // namespace cuzk::gpu
