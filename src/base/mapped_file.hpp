// A whole file as read-only memory, so that keys larger than memory can be read and their points used in place.
#pragma once

#include <span>
#include <string>

#include "base/types.hpp"

namespace cuzk {

// Owns the mapping; move-only. Thread-safe to read. The file must not be shortened while it is mapped: the kernel
// answers a read beyond the new end with SIGBUS.
class MappedFile {
public:
    // Throws Error(kEnvironment) with the system's reason; anything but a regular file is refused by name.
    explicit MappedFile(std::string path);
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    const std::string& path() const { return path_; }
    std::span<const u8> bytes() const { return {data_, size_}; }

    // Says that this memory has been read and will hardly be again soon: the whole pages in it that lie in one of the process's
    // mapped files leave its memory, and come back from the file when they are touched. Without effect on any other memory, so
    // that who reads bytes need not know where they are.
    static void release(std::span<const u8> part);

private:
    std::string path_;
    const u8* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace cuzk
