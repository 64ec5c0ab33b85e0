// Plans for cards of all sizes, without a card.
#include "gpu/memory_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/failure.hpp"

namespace cuzk::gpu {
namespace {

constexpr std::size_t kGiB = std::size_t{1} << 30;

// Scratch much like the real one: what is sorted of each window, and sums of pairs.
std::size_t msm_scratch(std::size_t n, unsigned windows) {
    constexpr unsigned kWindows = 13;
    return n * 40 + n * 120 * std::min(kWindows, windows == 0 ? 4 : windows);
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
    s.points[Query::kL] = 130'169'893;
    s.points[Query::kA] = 129'753'620;
    s.points[Query::kBG1] = s.points[Query::kBG2] = 33'112'282;
    s.points[Query::kH] = (std::size_t{1} << 27) - 1;
    s.g1_bytes = 96;
    s.g2_bytes = 192;
    s.most_scalars = 1'700'000;
    return s;
}

TEST(MemoryPlan, KeepsTheKeyWhereItFits) {
    const MemoryPlan plan = plan_memory(porep(), kScratch, {140 * kGiB}, "");
    EXPECT_TRUE(plan.resident());
    EXPECT_FALSE(plan.parked);
    EXPECT_EQ(plan.kept, porep().points);
    EXPECT_EQ(plan.bus, 0u);
    EXPECT_LE(plan.key + plan.working, 140 * kGiB);
}

// Nearly all memory that is there is used, and where there is much more of it, less goes over the bus. (A little more may go into
// scratch.)
TEST(MemoryPlan, KeepsAsMuchOfTheKeyAsFits) {
    const ProofSizes sizes = porep();
    std::size_t bus = ~std::size_t{0};
    for (const std::size_t gib : {12, 16, 24, 48, 80}) {
        const MemoryPlan plan = plan_memory(sizes, kScratch, {gib * kGiB}, "");
        EXPECT_LE(plan.key + plan.working, gib * kGiB) << gib;
        EXPECT_GE(plan.piece, std::size_t{1} << 16) << gib;
        EXPECT_GE(plan.part, plan.piece) << gib;
        EXPECT_TRUE(plan.bus < bus || plan.bus == 0) << gib;
        bus = plan.bus;
        if (plan.resident()) continue;
        EXPECT_GE(plan.key + plan.working, gib * kGiB - (std::size_t{4} << 20)) << gib;
        EXPECT_EQ(plan.kept_bytes + plan.streamed_bytes, sizes.all_point_bytes()) << gib;
    }
    EXPECT_EQ(bus, 0u);
}

// L and A before B, B before H: a query keeps points only where those before it keep all.
TEST(MemoryPlan, KeepsFirstWhatWaitsForTheBus) {
    const ProofSizes sizes = porep();
    const MemoryPlan small = plan_memory(sizes, kScratch, {16 * kGiB}, "");
    EXPECT_GT(small.kept[Query::kL], 0u);
    EXPECT_LT(small.kept[Query::kL], sizes.points[Query::kL]);
    EXPECT_EQ(small.kept[Query::kA], 0u);
    const MemoryPlan large = plan_memory(sizes, kScratch, {48 * kGiB}, "");
    for (const Query q : {Query::kL, Query::kA, Query::kBG1}) EXPECT_EQ(large.kept[q], sizes.points[q]);
    EXPECT_GT(large.kept[Query::kBG2], 0u);
    EXPECT_LT(large.kept[Query::kH], sizes.points[Query::kH]);
}

TEST(MemoryPlan, ParksAVectorWhereTwoDoNotFit) {
    const MemoryPlan plan = plan_memory(porep(), kScratch, {7 * kGiB}, "");
    EXPECT_TRUE(plan.parked);
    EXPECT_EQ(plan.host, 4 * kGiB);
    EXPECT_EQ(plan.bus, plan.streamed_bytes + 16 * kGiB);
    EXPECT_LE(plan.key + plan.working, 7 * kGiB);
    EXPECT_FALSE(plan_memory(porep(), kScratch, {12 * kGiB}, "").parked);

    ProofSizes snarkjs = porep();
    snarkjs.family = KeyFamily::kSnarkjs;
    const MemoryPlan two = plan_memory(snarkjs, kScratch, {12 * kGiB}, "");
    EXPECT_TRUE(two.parked);
    EXPECT_EQ(two.host, 8 * kGiB);
}

TEST(MemoryPlan, UsesLessScratchBeforeItStreams) {
    const MemoryPlan roomy = plan_memory(porep(), kScratch, {140 * kGiB}, "");
    const MemoryPlan tight = plan_memory(porep(), kScratch, {roomy.key + roomy.working - kGiB}, "");
    EXPECT_TRUE(tight.resident());
    EXPECT_LT(tight.working, roomy.working);
}

TEST(MemoryPlan, KeepsNoMoreThanItMay) {
    MemoryLimits limits{140 * kGiB};
    for (const std::size_t most : {std::size_t{0}, std::size_t{1}, kGiB, 20 * kGiB}) {
        limits.most_kept = most;
        const MemoryPlan plan = plan_memory(porep(), kScratch, limits, "");
        EXPECT_FALSE(plan.resident());
        EXPECT_LE(plan.kept_bytes, most);
        EXPECT_GE(plan.kept_bytes + 192, most);
    }
}

TEST(MemoryPlan, LeavesOtherKeysTheirWorkingMemory) {
    MemoryLimits limits{40 * kGiB};
    limits.least_working = 24 * kGiB;
    const MemoryPlan plan = plan_memory(porep(), kScratch, limits, "");
    EXPECT_GE(plan.working, 24 * kGiB);
    EXPECT_LE(plan.key + plan.working, 40 * kGiB);
}

TEST(MemoryPlan, NamesWhatIsMissing) {
    try {
        plan_memory(porep(), kScratch, {4 * kGiB}, "porep.params");
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
    s.family = KeyFamily::kSnarkjs;
    for (const Query q : {Query::kL, Query::kA, Query::kBG1, Query::kBG2, Query::kH}) s.points[q] = 3;
    s.g1_bytes = 64;
    s.g2_bytes = 128;
    s.most_scalars = 3;
    EXPECT_TRUE(plan_memory(s, kScratch, {std::size_t{64} << 20}, "").resident());
}

}  // namespace
}  // namespace cuzk::gpu
