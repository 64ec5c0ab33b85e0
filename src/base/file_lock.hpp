// One process, and one thread in it, at a time.
#pragma once

#include <optional>
#include <string>

namespace cuzk {

// An advisory lock (flock) by the name of a lock file, which is there only while somebody holds it. Move-only; the kernel
// gives it back when the process dies. Thread-safe.
class FileLock {
public:
    // Nothing if somebody else holds it. Throws Error(kEnvironment) if the lock file cannot be made.
    static std::optional<FileLock> try_acquire(std::string path);

    ~FileLock();
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&&) = delete;

private:
    FileLock(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

    std::string path_;
    int fd_;
};

}  // namespace cuzk
