#include "base/turn.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace cuzk {
namespace {

TEST(Turn, OneAtATime) {
    Turn turn;
    int count = 0;  // unguarded but for the turn: ThreadSanitizer watches it
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 500; ++i) {
                const auto step = [&] {
                    const Turn::Holder holder = turn.take();
                    ++count;
                };
                if (t == 0)
                    run_urgently(step);
                else
                    step();
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(count, 2000);
}

TEST(Turn, UrgentOnesFirstThenTheOrderOfArrival) {
    Turn turn;
    std::vector<std::size_t> order;
    std::vector<std::thread> threads;
    {
        const Turn::Holder holder = turn.take();
        for (std::size_t i = 0; i < 6; ++i) {
            threads.emplace_back([&, i] {
                const auto step = [&] {
                    const Turn::Holder mine = turn.take();
                    order.push_back(i);
                };
                if (i == 3 || i == 5)
                    run_urgently(step);
                else
                    step();
            });
            while (turn.waiting() != i + 1) std::this_thread::yield();
        }
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(order, (std::vector<std::size_t>{3, 5, 0, 1, 2, 4}));
}

TEST(Turn, IsGivenBackByExceptions) {
    Turn turn;
    EXPECT_THROW(
        {
            const Turn::Holder holder = turn.take();
            throw 1;
        },
        int);
    const Turn::Holder holder = turn.take();
}

TEST(Urgent, IsKnownInsideAndOnlyThere) {
    EXPECT_FALSE(is_urgent());
    EXPECT_EQ(run_urgently([] { return is_urgent() ? 7 : 0; }), 7);
    EXPECT_THROW(run_urgently([]() -> void { throw 1; }), int);
    EXPECT_FALSE(is_urgent());
}

}  // namespace
}  // namespace cuzk
