#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <random>
#include <thread>

#include "engine/memory_planner.hpp"
#include "fakes.hpp"

namespace cuzk::engine {
namespace {

using namespace std::chrono_literals;
using Phase = Claim::Phase;
using fakes::eventually;

Claim start(SpaceId space, u64 bytes, Priority priority = Priority::kNormal, u64 headroom = 0) {
    return {space, bytes, headroom, "test", priority, Phase::kStart, 0};
}
Claim go_on(SpaceId space, u64 bytes, Priority priority = Priority::kNormal) {
    return {space, bytes, 0, "test", priority, Phase::kContinue, 0};
}

Claim keep(SpaceId space, u64 bytes, u64 headroom) {
    return {space, bytes, headroom, "test", Priority::kCritical, Phase::kKeep, 0};
}

std::size_t waiting(const MemoryPlanner& planner) {
    std::size_t n = 0;
    for (const MemoryStatus& s : planner.status()) n += s.waiting;
    return n;
}

// A claim on a thread of its own; says when it was granted.
class Claimant {
public:
    Claimant(MemoryPlanner& planner, const Claim& claim) {
        const std::size_t before = waiting(planner);
        thread_ = std::jthread([this, &planner, claim](const std::stop_token& stop) {
            reservation_ = planner.acquire(claim, stop);
            granted_ = static_cast<bool>(reservation_);
            done_ = true;
        });
        EXPECT_TRUE(eventually([&] { return done_ || waiting(planner) > before; }));
    }
    bool granted() const { return granted_; }
    bool granted_soon() const {
        return eventually([&] { return granted_.load(); }, 5s);
    }
    void give_back() {
        thread_.join();
        reservation_.release();
    }
    void cancel() {
        thread_.request_stop();
        thread_.join();
    }

private:
    Reservation reservation_;
    std::atomic<bool> granted_ = false, done_ = false;
    std::jthread thread_;
};

TEST(MemoryPlanner, CountsAndGivesBack) {
    MemoryPlanner planner;
    const SpaceId host = planner.add_space("host", 100);
    const SpaceId pinned = planner.add_space("pinned", 60, 0, host);
    {
        Reservation a = planner.acquire(start(pinned, 50));
        const Reservation b = planner.acquire(start(host, 40));
        EXPECT_EQ(planner.free_bytes(host), 10u);
        EXPECT_EQ(planner.free_bytes(pinned), 10u);
        EXPECT_FALSE(planner.try_acquire(start(pinned, 11)));
        EXPECT_FALSE(planner.try_acquire(start(host, 11)));
        a.shrink(20);
        EXPECT_EQ(planner.free_bytes(host), 40u);
        const Reservation moved = std::move(a);
        EXPECT_EQ(moved.bytes(), 20u);
        EXPECT_EQ(planner.status()[0].owners.at(0).bytes, 60u);
    }
    for (const MemoryStatus& s : planner.status()) {
        EXPECT_EQ(s.used, 0u);
        EXPECT_TRUE(s.owners.empty());
    }
    EXPECT_EQ(planner.status()[0].peak, 90u);
}

// A proof on the processor reserves nothing of a device, a key that is used in place nothing of the host.
TEST(MemoryPlanner, ReservationsOfNothingEndInAnyOrder) {
    MemoryPlanner planner;
    const SpaceId host = planner.add_space("host", 100);
    planner.add_space("pinned", 100, 0, host);
    const auto owners = [&] { return planner.status().at(host).owners.size(); };
    Reservation nothing = planner.acquire(start(host, 0));
    Reservation more_of_it = planner.acquire(go_on(host, 0));
    Reservation something = planner.acquire(go_on(host, 10));
    Reservation shrunk = planner.acquire(go_on(host, 20));
    shrunk.shrink(0);
    EXPECT_EQ(owners(), 1u);
    something.release();
    EXPECT_EQ(owners(), 0u);
    nothing.release();
    shrunk.release();
    more_of_it.release();
    EXPECT_EQ(owners(), 0u);
    EXPECT_EQ(planner.free_bytes(host), 100u);
    const Reservation after = planner.acquire(start(host, 100));
    EXPECT_EQ(owners(), 1u);
}

TEST(MemoryPlanner, WhatCanNeverFitFailsAtOnceWithTheSizes) {
    MemoryPlanner planner;
    const SpaceId host = planner.add_space("host", u64{64} << 30, u64{1} << 30);
    const auto message = [&](const Claim& claim) -> std::string {
        try {
            planner.acquire(claim);
        } catch (const Error& e) {
            EXPECT_EQ(e.kind(), ErrorKind::kEnvironment);
            return e.what();
        }
        return "granted";
    };
    const std::string text = message(start(host, u64{70} << 30));
    EXPECT_NE(text.find("70.0 GiB"), std::string::npos) << text;
    EXPECT_NE(text.find("63.0 GiB"), std::string::npos) << text;
    EXPECT_NE(message(start(host, u64{40} << 30, Priority::kNormal, u64{30} << 30)), "granted");
    EXPECT_EQ(message(start(host, u64{64} << 30, Priority::kCritical)), "granted");
    EXPECT_NE(message(start(host, ~u64{0}, Priority::kNormal, ~u64{0})), "granted");
}

TEST(MemoryPlanner, ALargeClaimIsNotOvertakenBySmallOnesOfItsPriority) {
    MemoryPlanner planner;
    const SpaceId host = planner.add_space("host", 100);
    std::vector<Reservation> small;
    small.reserve(10);
    for (int i = 0; i < 10; ++i) small.push_back(planner.acquire(start(host, 10)));
    Claimant large(planner, start(host, 80));
    Claimant later(planner, start(host, 10));
    for (int i = 0; i < 7; ++i) {
        small.pop_back();
        EXPECT_FALSE(planner.try_acquire(start(host, 1)));
    }
    EXPECT_FALSE(large.granted());
    EXPECT_FALSE(later.granted());
    small.pop_back();
    EXPECT_TRUE(large.granted_soon());
    EXPECT_FALSE(later.granted());
    large.give_back();
    EXPECT_TRUE(later.granted_soon());
    later.give_back();
}

TEST(MemoryPlanner, TheRoomThatAKeyKeepsFreeIsThereForItsWork) {
    MemoryPlanner planner;
    const SpaceId host = planner.add_space("host", 150);
    const Reservation key = planner.acquire(keep(host, 100, 50));
    const Reservation work = planner.try_acquire(start(host, 10, Priority::kNormal, 40));
    ASSERT_TRUE(work) << "the key has said that it would need just that";
    EXPECT_FALSE(planner.try_acquire(start(host, 1, Priority::kNormal, 40)));
    EXPECT_TRUE(planner.try_acquire(go_on(host, 40)));
}

TEST(MemoryPlanner, KeysLeaveRoomForOrdinaryWorkBesideThemAll) {
    MemoryPlanner planner;
    const SpaceId host = planner.add_space("host", 2688, 336);
    Reservation first = planner.acquire(keep(host, 1072, 880));
    EXPECT_FALSE(planner.try_acquire(keep(host, 628, 500))) << "neither's work could ever start beside both";
    const Reservation work = planner.try_acquire(start(host, 10, Priority::kNormal, 870));
    const Reservation working = planner.try_acquire(go_on(host, 870));
    ASSERT_TRUE(work && working);
    Claimant second(planner, keep(host, 628, 500));
    EXPECT_FALSE(second.granted()) << "it fits beside the work, but not beside the key";
    first.release();
    EXPECT_TRUE(second.granted_soon());
    second.give_back();
}

TEST(MemoryPlanner, PriorityGoesFirst) {
    MemoryPlanner planner;
    const SpaceId host = planner.add_space("host", 100);
    Reservation all = planner.acquire(start(host, 100));
    Claimant low(planner, start(host, 60, Priority::kLow));
    Claimant normal(planner, start(host, 60, Priority::kNormal));
    Claimant high(planner, start(host, 60, Priority::kHigh));
    all.release();
    EXPECT_TRUE(high.granted_soon());
    EXPECT_FALSE(normal.granted());
    high.give_back();
    EXPECT_TRUE(normal.granted_soon());
    EXPECT_FALSE(low.granted());
    normal.give_back();
    EXPECT_TRUE(low.granted_soon());
    low.give_back();
}

TEST(MemoryPlanner, StartedWorkCanAlwaysGoOn) {
    MemoryPlanner planner;
    const SpaceId host = planner.add_space("host", 100);
    // Two partitions wait for the device, each will need 40 more.
    Reservation first = planner.acquire(start(host, 25, Priority::kNormal, 40));
    Reservation second = planner.acquire(start(host, 25, Priority::kNormal, 40));
    EXPECT_FALSE(planner.try_acquire(start(host, 25, Priority::kNormal, 10)));  // would leave 25 of the 40
    Reservation proving = planner.acquire(go_on(host, 40));
    // What the running proof uses comes back on its own, and does not count against starting.
    EXPECT_TRUE(planner.try_acquire(start(host, 10, Priority::kNormal, 40)));
    Claimant next(planner, go_on(host, 40));
    EXPECT_FALSE(next.granted());
    EXPECT_FALSE(planner.try_acquire(start(host, 1)));  // nothing is started while started work waits
    EXPECT_TRUE(planner.try_acquire(start(host, 1, Priority::kCritical)));
    proving.release();
    EXPECT_TRUE(next.granted_soon());
    next.give_back();
}

TEST(MemoryPlanner, CriticalWorkHasItsReserve) {
    MemoryPlanner planner;
    const SpaceId host = planner.add_space("host", 100, 20);
    const Reservation ordinary = planner.acquire(start(host, 80));
    EXPECT_FALSE(planner.try_acquire(start(host, 1, Priority::kHigh)));
    const Reservation critical = planner.try_acquire(start(host, 20, Priority::kCritical));
    EXPECT_TRUE(critical);
}

TEST(MemoryPlanner, CachesGoWhenMemoryIsWanted) {
    MemoryPlanner planner;
    const SpaceId host = planner.add_space("host", 100);
    Reservation cache = planner.acquire(start(host, 90));
    std::atomic<bool> idle = false, asked = false;
    planner.set_evictor([&](SpaceId, u64 wanted, bool) -> u64 {
        asked = true;
        if (!idle) return 0;
        EXPECT_LE(wanted, 90u);
        cache.release();
        return 90;
    });
    EXPECT_FALSE(planner.try_acquire(start(host, 50)));
    Claimant claimant(planner, start(host, 50));
    EXPECT_TRUE(eventually([&] { return asked.load(); }));
    EXPECT_FALSE(claimant.granted());
    idle = true;
    planner.retry_waiting();
    EXPECT_TRUE(claimant.granted_soon());
    claimant.give_back();
}

TEST(MemoryPlanner, ACancelledClaimLetsOthersPass) {
    MemoryPlanner planner;
    const SpaceId host = planner.add_space("host", 100);
    Reservation half = planner.acquire(start(host, 50));
    Claimant large(planner, start(host, 80));
    Claimant small(planner, start(host, 30));
    EXPECT_FALSE(small.granted());
    large.cancel();
    EXPECT_FALSE(large.granted());
    EXPECT_TRUE(small.granted_soon());
    small.give_back();
}

// Random claims of all kinds from many threads: budgets hold at every moment, everybody is served in the end.
TEST(MemoryPlanner, RandomStress) {
    constexpr u64 kHost = 1000, kPinned = 400, kDevice = 500;
    MemoryPlanner planner;
    const SpaceId host = planner.add_space("host", kHost, 100);
    const SpaceId pinned = planner.add_space("pinned", kPinned, 0, host);
    const SpaceId device = planner.add_space("device", kDevice);
    std::atomic<i64> used_host = 0, used_pinned = 0, used_device = 0;
    std::atomic<int> finished = 0, cancelled = 0;
    const auto held = [&](SpaceId space, i64 bytes) {
        if (space != device) {
            EXPECT_LE(used_host += bytes, static_cast<i64>(kHost));
        }
        if (space == pinned) {
            EXPECT_LE(used_pinned += bytes, static_cast<i64>(kPinned));
        }
        if (space == device) {
            EXPECT_LE(used_device += bytes, static_cast<i64>(kDevice));
        }
    };
    {
        std::vector<std::jthread> threads;
        for (unsigned t = 0; t < 12; ++t)
            threads.emplace_back([&, t] {
                std::mt19937 random(t);
                const auto below = [&](u64 n) { return random() % n; };
                for (int i = 0; i < 150; ++i) {
                    const SpaceId space = below(4) == 0 ? pinned : host;
                    const auto priority = static_cast<Priority>(1 + below(4));
                    const u64 bytes = 1 + below(200), more = below(200);
                    if (below(10) == 0) {  // impatient
                        std::stop_source stop;
                        const std::jthread impatience([&] {
                            std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
                            stop.request_stop();
                        });
                        if (!planner.acquire(start(space, bytes, priority, more), stop.get_token()))
                            ++cancelled;
                        continue;
                    }
                    Reservation work = planner.acquire(start(space, bytes, priority, more));
                    held(space, static_cast<i64>(bytes));
                    if (below(3) == 0) std::this_thread::sleep_for(std::chrono::microseconds(below(200)));
                    const Reservation on_device =
                        planner.acquire(go_on(device, 1 + below(kDevice), priority));
                    held(device, static_cast<i64>(on_device.bytes()));
                    const Reservation on_host = planner.acquire(go_on(space, more, priority));
                    held(space, static_cast<i64>(more));
                    held(space, -static_cast<i64>(bytes / 2));
                    work.shrink(bytes - bytes / 2);
                    held(space, -static_cast<i64>(more));
                    held(device, -static_cast<i64>(on_device.bytes()));
                    held(space, -static_cast<i64>(bytes - bytes / 2));
                    ++finished;
                }
            });
    }
    EXPECT_EQ(used_host + used_pinned + used_device, 0);
    EXPECT_GT(finished, 1000);
    for (const MemoryStatus& s : planner.status()) {
        EXPECT_EQ(s.used, 0u) << s.space;
        EXPECT_EQ(s.waiting, 0u) << s.space;
        EXPECT_LE(s.peak, s.budget) << s.space;
    }
}

TEST(HostMemory, TakesTheLeastOfMachineAndCgroups) {
    const fakes::TemporaryFolder root;
    const auto write = [&](const std::string& path, const std::string& content) {
        const std::filesystem::path full = root.path() + path;
        std::filesystem::create_directories(full.parent_path());
        std::ofstream(full) << content;
    };
    write("/proc/meminfo", "MemTotal:       2000 kB\nMemFree: 10 kB\nMemAvailable:   1000 kB\n");
    EXPECT_EQ(available_host_memory(24, root.path()), 1000u * 1024 - 24);

    write("/proc/self/cgroup", "0::/a/b\n");
    write("/sys/fs/cgroup/a/memory.max", "600000\n");
    write("/sys/fs/cgroup/a/memory.current", "300000\n");
    write("/sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 100000\n");
    write("/sys/fs/cgroup/a/b/memory.max", "max\n");
    write("/sys/fs/cgroup/a/b/memory.current", "1\n");
    EXPECT_EQ(available_host_memory(0, root.path()), 400'000u);
    EXPECT_THROW(available_host_memory(400'000, root.path()), Error);

    write("/proc/self/cgroup", "5:cpu:/x\n4:memory,other:/x\n");
    write("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "100000\n");
    write("/sys/fs/cgroup/memory/x/memory.usage_in_bytes", "40000\n");
    EXPECT_EQ(available_host_memory(0, root.path()), 60'000u);

    write("/proc/meminfo", "nothing\n");
    EXPECT_THROW(available_host_memory(0, root.path()), Error);
}

TEST(HostMemory, ThisMachineHasSome) {
    EXPECT_GT(available_host_memory(0), u64{1} << 20);
}

}  // namespace
}  // namespace cuzk::engine
