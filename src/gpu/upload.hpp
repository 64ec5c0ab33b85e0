// Copies from ordinary host memory at the speed of the bus.
#pragma once

#include <array>
#include <functional>

#include "gpu/arena.hpp"

namespace cuzk::gpu {

// Host memory that the device reads by itself, allocated at construction.
class PinnedBuffer {
public:
    // Error(kEnvironment) if the host has not that much.
    explicit PinnedBuffer(std::size_t bytes);
    ~PinnedBuffer();
    PinnedBuffer(const PinnedBuffer&) = delete;
    PinnedBuffer& operator=(const PinnedBuffer&) = delete;

    u8* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    u8* data_ = nullptr;
    std::size_t size_;
};

// Copies by way of pinned pieces, which all threads fill while earlier ones are under way: the driver's own copy of pageable
// memory runs on one thread, at an eighth of the bus. For one thread at a time and one device.
class Uploader {
public:
    static constexpr std::size_t kPiece = std::size_t{8} << 20;
    static constexpr std::size_t kPieces = 4;

    Uploader();

    // Copies `bytes` from the host. The host's memory may change when it returns; the device's part is queued.
    void copy(void* device, const void* host, std::size_t bytes, const Stream& stream);
    // The same where the bytes are made piece by piece: fill(out, first, count) makes bytes [first, first + count).
    void fill(void* device, std::size_t bytes, const std::function<void(u8*, std::size_t, std::size_t)>& fill,
              const Stream& stream);

private:
    PinnedBuffer buffer_;
    std::array<Event, kPieces> done_;
    std::size_t next_ = 0;
};

}  // namespace cuzk::gpu
