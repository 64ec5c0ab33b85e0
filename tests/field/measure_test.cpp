#include "field/measure.hpp"

#include <gtest/gtest.h>

#include "field/params.hpp"

namespace cuzk {
namespace {

TEST(MeasureTest, GivesEveryPathOfThisProcessor) {
    const auto before = active_isa();
    const auto figures = measure_field_arithmetic(0.0005);
    const std::size_t paths = static_cast<std::size_t>(best_isa()) + 1;
    ASSERT_EQ(figures.size(), 4 * 4 * paths);
    for (const FieldFigure& f : figures) {
        EXPECT_GT(f.throughput_ns, 0);
        EXPECT_GT(f.latency_ns, 0);
        const bool multiplies = f.operation == FieldOperation::kMul || f.operation == FieldOperation::kSqr;
        EXPECT_EQ(f.limit_share > 0, multiplies);
    }
    EXPECT_EQ(active_isa(), before);
}

TEST(MeasureTest, CountsMultiplications) {
    EXPECT_EQ((multiplications<Bls12_381FrParams>(Isa::kAdx, FieldOperation::kMul)), 36u);
    EXPECT_EQ((multiplications<Bls12_381FpParams>(Isa::kPortable, FieldOperation::kMul)), 78u);
    EXPECT_EQ((multiplications<Bls12_381FpParams>(Isa::kIfma, FieldOperation::kMul)), 256u);
    EXPECT_EQ((multiplications<Bls12_381FrParams>(Isa::kIfma, FieldOperation::kSqr)), 80u);
    EXPECT_EQ((multiplications<Bls12_381FrParams>(Isa::kIfma, FieldOperation::kAdd)), 0u);
}

}  // namespace
}  // namespace cuzk
