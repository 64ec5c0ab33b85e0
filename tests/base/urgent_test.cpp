#include "base/urgent.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"

namespace cuzk {
namespace {

u64 sum_of_squares(std::size_t n) {
    std::vector<u64> squares(n);
    parallel_for(0, n, [&](std::size_t i) { squares[i] = u64{i} * i; });
    return std::accumulate(squares.begin(), squares.end(), u64{0});
}

TEST(Urgent, ReturnsWhatTheBodyDoesBesideOrdinaryLoops) {
    std::atomic<bool> enough{false};
    std::atomic<u64> wrong{0};
    const u64 expected = sum_of_squares(1000);
    std::vector<std::jthread> ordinary;
    for (int i = 0; i < 3; ++i)
        ordinary.emplace_back([&] {
            while (!enough) wrong += sum_of_squares(1000) == expected ? 0 : 1;
        });
    for (int i = 0; i < 100; ++i) EXPECT_EQ(run_urgently([] { return sum_of_squares(1000); }), expected);
    enough = true;
    ordinary.clear();
    EXPECT_EQ(wrong, 0u);
}

TEST(Urgent, KeepsTheLimitOfThreads) {
    const ThreadLimit limit(1);
    EXPECT_EQ(run_urgently([] { return thread_count(); }), 1u);
}

TEST(Urgent, PassesOnWhatABodyThrows) {
    EXPECT_THROW(run_urgently([] {
                     parallel_for(0, 100, [](std::size_t i) {
                         if (i == 50) throw std::runtime_error("fifty");
                     });
                 }),
                 std::runtime_error);
}

}  // namespace
}  // namespace cuzk
