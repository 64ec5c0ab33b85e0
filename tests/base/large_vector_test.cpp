#include "base/large_vector.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace cuzk {
namespace {

// Sizes around the one from which a block has its own mapping, and around whole huge pages.
TEST(LargeVector, HoldsItsElementsAtAnySize) {
    constexpr std::size_t kBorder = large_vector_detail::kOwnMapping / sizeof(u64);
    for (const std::size_t size : {std::size_t{1}, kBorder - 1, kBorder, kBorder + 1, 2 * kBorder + 12345}) {
        LargeVector<u64> v(size);
        std::iota(v.begin(), v.end(), u64{0});
        v.push_back(size);
        LargeVector<u64> copy = v;
        v.clear();
        v.shrink_to_fit();
        for (std::size_t i = 0; i <= size; ++i) ASSERT_EQ(copy[i], i);
    }
    EXPECT_THROW(LargeAllocator<u64>().allocate(static_cast<std::size_t>(-1) / 8), std::bad_alloc);
}

TEST(LargeVector, KeepsGivenValues) {
    EXPECT_EQ(LargeVector<u32>(3, 7), (LargeVector<u32>{7, 7, 7}));
    LargeVector<u32> v = {1};
    v.resize(3, 5);
    EXPECT_EQ(v, (LargeVector<u32>{1, 5, 5}));
}

}  // namespace
}  // namespace cuzk
