// Device memory, allocated once and handed out in stack order.
#pragma once

#include "base/types.hpp"
#include "gpu/device.hpp"

namespace cuzk::gpu {

// `size` objects of T in device memory. Does not own; the host must not dereference it.
template <class T>
struct DeviceSpan {
    T* data = nullptr;
    std::size_t size = 0;

    DeviceSpan first(std::size_t count) const { return {data, count}; }
    DeviceSpan subspan(std::size_t begin, std::size_t count) const { return {data + begin, count}; }
};

// Queued copies. Host memory must stay as it is until the stream has passed them.
void copy_to_device(void* device, const void* host, std::size_t bytes, const Stream& stream);
void copy_to_host(void* host, const void* device, std::size_t bytes, const Stream& stream);
// A queued copy from one device's memory to another's, or within one. It goes by the host where the link does not allow it directly.
void copy_between(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                  const Stream& stream);
// Lets copies from another device to the current one go directly, where the link allows it.
void allow_copies_from(int device);

// One allocation on one device, made at construction: afterwards nothing allocates. Not thread-safe. What it hands out is
// aligned to 512 bytes and uninitialised.
class Arena {
public:
    // OutOfDeviceMemory if the device has not that much.
    Arena(int device, std::size_t bytes);
    // A part of another arena, taken from it now, for work beside its owner's: it may be used by another thread. Must not outlive
    // the scope of the parent that it was made in.
    Arena(Arena& parent, std::size_t bytes);
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    // OutOfDeviceMemory that names `what` if the arena is too small.
    template <class T>
    DeviceSpan<T> take(std::size_t count, const char* what) {
        return {static_cast<T*>(take_bytes(count, sizeof(T), what)), count};
    }

    // Gives back all but the first `count` objects of what was taken last.
    template <class T>
    DeviceSpan<T> keep_first(DeviceSpan<T> last, std::size_t count) {
        used_ =
            static_cast<std::size_t>(reinterpret_cast<u8*>(last.data) - data_) + rounded(count * sizeof(T));
        return last.first(count);
    }

    // Bytes that taking so many costs.
    static constexpr std::size_t rounded(std::size_t bytes) {
        return (bytes + kAlignment - 1) / kAlignment * kAlignment;
    }

    int device() const { return device_; }
    std::size_t size() const { return size_; }
    std::size_t used() const { return used_; }
    std::size_t peak() const { return peak_; }

    // Returns what was taken during its life. The caller sees to it that no queued work uses it any more, or that later
    // users are queued on the same stream.
    class Scope {
    public:
        explicit Scope(Arena& arena) : arena_(arena), mark_(arena.used_) {}
        ~Scope() { arena_.used_ = mark_; }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        Arena& arena_;
        std::size_t mark_;
    };

private:
    static constexpr std::size_t kAlignment = 512;

    void* take_bytes(std::size_t count, std::size_t size, const char* what);

    int device_;
    bool is_part_ = false;
    u8* data_ = nullptr;
    std::size_t size_;
    std::size_t used_ = 0;
    std::size_t peak_ = 0;
};

}  // namespace cuzk::gpu
