// The emulated streams themselves: a wait that is forgotten shows, one that is there is kept.
#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "cuda_runtime.h"
#include "gpu/arena.hpp"
#include "gpu/check.hpp"

namespace cuzk::gpu {
namespace {

class EmulatedStreams : public testing::Test {
protected:
    ~EmulatedStreams() override { emulated::set_order(emulated::Order::kLazy); }

    // A word of device memory, which the host can read here.
    u32* word(u32 value) {
        u32* const data = arena_.take<u32>(1, "a word").data;
        *data = value;
        return data;
    }
    static void set(u32* to, u32 value, const Stream& stream) {
        emulated::launch(
            {1, 1, 0, stream.get()}, [](u32* out, u32 x) { *out = x; }, to, value);
    }
    void copy(u32* to, const u32* from, const Stream& stream) const {
        copy_between(to, arena_.device(), from, arena_.device(), sizeof(u32), stream);
    }

    CurrentDevice current_{0};
    Arena arena_{0, 1 << 20};
    Stream first_, second_;
    Event event_;
};

TEST_F(EmulatedStreams, WorkWaitsUntilItIsWaitedFor) {
    u32* const a = word(1);
    u32 value = 7;
    set(a, value, first_);
    value = 8;  // arguments are copied by a launch
    second_.synchronize();
    EXPECT_EQ(*a, 1u);
    first_.synchronize();
    EXPECT_EQ(*a, 7u);
    // Host memory is read when the copy runs, and written then.
    copy_to_device(a, &value, sizeof(u32), first_);
    value = 9;
    u32 back = 0;
    copy_to_host(&back, a, sizeof(u32), first_);
    EXPECT_EQ(back, 0u);
    first_.synchronize();
    EXPECT_EQ(back, 9u);
}

TEST_F(EmulatedStreams, ReadingWhatIsNotWrittenYetShowsInLazyOrder) {
    for (const bool waits : {false, true}) {
        u32* const a = word(1);
        u32* const b = word(2);
        set(a, 3, first_);
        event_.record(first_);
        set(a, 4, first_);
        if (waits) event_.block(second_);
        copy(b, a, second_);
        second_.synchronize();
        EXPECT_EQ(*b, waits ? 3u : 1u);
        first_.synchronize();
    }
}

TEST_F(EmulatedStreams, OverwritingWhatIsStillReadShowsInEagerOrder) {
    emulated::set_order(emulated::Order::kEager);
    for (const bool waits : {false, true}) {
        u32* const a = word(1);
        u32* const b = word(2);
        copy(b, a, first_);
        event_.record(first_);
        if (waits) event_.block(second_);
        set(a, 5, second_);
        event_.record(second_);
        event_.block(first_);
        first_.synchronize();
        EXPECT_EQ(*b, waits ? 1u : 5u);
        EXPECT_EQ(*a, 5u);
    }
}

TEST_F(EmulatedStreams, EventsHappenWhenTheirPlaceIsPassed) {
    float milliseconds = 0;
    Event later;
    EXPECT_THROW(later.milliseconds_since(event_), DeviceFailure);
    EXPECT_NO_THROW(event_.synchronize());
    EXPECT_NO_THROW(event_.block(first_));
    event_.record(first_);
    u32* const a = word(1);
    set(a, 2, first_);
    later.record(first_);
    EXPECT_THROW(later.milliseconds_since(event_), DeviceFailure);
    event_.synchronize();
    EXPECT_EQ(*a, 1u);
    later.synchronize();
    EXPECT_EQ(*a, 2u);
    EXPECT_NO_THROW(milliseconds = later.milliseconds_since(event_));
    EXPECT_GE(milliseconds, 0.0f);
}

TEST_F(EmulatedStreams, MemoryGoesWhenWhatIsQueuedIsDone) {
    u32 back = 0;
    {
        Arena arena(0, 1 << 10);
        const Stream stream;
        u32* const a = arena.take<u32>(1, "a word").data;
        set(a, 6, stream);
        copy_to_host(&back, a, sizeof(u32), stream);
    }
    EXPECT_EQ(back, 6u);
}

TEST(EmulatedDevices, ALostOneDoesNothingMore) {
    {
        const CurrentDevice current(0);
        Arena arena(0, 1 << 10);
        const Stream stream;
        u32* const a = arena.take<u32>(1, "a word").data;
        *a = 1;
        check(cudaMemsetAsync(a, 2, sizeof(u32), stream.get()), "cudaMemsetAsync");
        emulated::lose_device(0);
        EXPECT_THROW(stream.synchronize(), DeviceLost);
        EXPECT_EQ(*a, 1u);
    }
    emulated::set_devices({{}, {}});
}

// Each thread hands a number to the next by way of the device.
TEST_F(EmulatedStreams, ThreadsShareQueues) {
    constexpr u32 kThreads = 4, kRounds = 500;
    for (const auto order : {emulated::Order::kLazy, emulated::Order::kEager}) {
        emulated::set_order(order);
        u32* const a = word(0);
        std::array<Stream, kThreads> streams;
        for (u32 round = 0; round < kRounds; ++round) {
            for (u32 t = 0; t < kThreads; ++t) {
                Event turn;
                turn.record(streams[(t + kThreads - 1) % kThreads]);
                turn.block(streams[t]);
                emulated::launch(
                    {1, 1, 0, streams[t].get()}, [](u32* x, u32 expected) { *x += *x == expected; }, a,
                    round * kThreads + t);
            }
            if (round % 50 != 49) continue;
            std::vector<std::thread> threads;
            threads.reserve(kThreads);
            for (const Stream& stream : streams) threads.emplace_back([&] { stream.synchronize(); });
            for (std::thread& thread : threads) thread.join();
            EXPECT_EQ(*a, (round + 1) * kThreads);
        }
    }
}

}  // namespace
}  // namespace cuzk::gpu
