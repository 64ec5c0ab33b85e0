// Devices, arenas, streams and how their failures are reported.
#include "base/error.hpp"
#include "gpu/check.hpp"
#include "gpu/device_test.hpp"

namespace cuzk::gpu {
namespace {

using MemoryDeviceTest = testing_gpu::DeviceTest;

TEST_F(MemoryDeviceTest, DevicesAreFoundByUuid) {
    for (const DeviceInfo& device : list_devices()) {
        EXPECT_EQ(device.uuid.size(), 40u);
        EXPECT_EQ(find_device(device.uuid).index, device.index);
        EXPECT_GT(device.multiprocessors, 0);
        EXPECT_GT(device.memory, std::size_t{1} << 30);
    }
    EXPECT_THROW(find_device("GPU-none"), Error);
}

TEST_F(MemoryDeviceTest, ScopesGiveMemoryBack) {
    const std::size_t before = arena_->used();
    {
        const Arena::Scope scope(*arena_);
        const auto first = arena_->take<u32>(1000, "first");
        const auto second = arena_->take<u32>(1, "second");
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(second.data) % 512, 0u);
        EXPECT_GE(second.data, first.data + 1000);
    }
    EXPECT_EQ(arena_->used(), before);
    EXPECT_GE(arena_->peak(), before + 4096);
}

TEST_F(MemoryDeviceTest, ArenaNamesWhatDoesNotFit) {
    for (const std::size_t count : {kArenaBytes / 4 + 1, std::size_t{1} << 62, ~std::size_t{0}}) {
        try {
            arena_->take<u32>(count, "the big table");
            FAIL() << "no error for " << count;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
            EXPECT_NE(std::string(error.what()).find("the big table"), std::string::npos);
        }
    }
    EXPECT_EQ(arena_->take<u8>(16, "the rest").size, 16u);
}

TEST_F(MemoryDeviceTest, OutOfMemoryIsAnErrorAndPasses) {
    EXPECT_THROW(Arena(arena_->device(), std::size_t{1} << 46), Error);
    EXPECT_NO_THROW(check_launch("after a failed allocation"));
    EXPECT_NO_THROW(Arena(arena_->device(), 1 << 20));
}

TEST_F(MemoryDeviceTest, FailingCallsAreNamed) {
    try {
        check(cudaSetDevice(-1), "cudaSetDevice");
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kEnvironment);
        EXPECT_NE(std::string(error.what()).find("cudaSetDevice"), std::string::npos);
    }
}

TEST_F(MemoryDeviceTest, EventsOrderStreams) {
    const Stream other;
    Event start, end;
    const auto words = arena_->take<u32>(1 << 20, "words");
    start.record(*stream_);
    check(cudaMemsetAsync(words.data, 7, words.size * 4, stream_->get()), "cudaMemsetAsync");
    end.record(*stream_);
    end.block(other);
    std::vector<u32> copy(words.size);
    copy_to_host(copy.data(), words.data, words.size * 4, other);
    other.synchronize();
    EXPECT_EQ(copy.front(), 0x07070707u);
    EXPECT_EQ(copy.back(), 0x07070707u);
    end.synchronize();
    EXPECT_GE(end.milliseconds_since(start), 0.0f);
}

}  // namespace
}  // namespace cuzk::gpu
