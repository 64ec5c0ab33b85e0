#include "base/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.hpp"

namespace cuzk {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
    throw Error(ErrorKind::kEnvironment, path + ": " + what);
}

// The mappings that are there: start, size. Files are mapped rarely.
struct Mappings {
    std::mutex mutex;
    std::map<std::uintptr_t, std::size_t> sizes;
};
Mappings& mappings() {
    static Mappings instance;
    return instance;
}

std::uintptr_t address(const u8* p) {
    return reinterpret_cast<std::uintptr_t>(p);
}

struct Descriptor {
    int fd;
    ~Descriptor() {
        if (fd >= 0) close(fd);
    }
};

}  // namespace

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {
    // O_NONBLOCK: opening a pipe without a writer must end in an error, not in waiting.
    const Descriptor file{open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.fd < 0) fail(path_, std::string("cannot be opened: ") + std::strerror(errno));
    struct stat info {};
    if (fstat(file.fd, &info) != 0) fail(path_, std::string("cannot be examined: ") + std::strerror(errno));
    if (S_ISDIR(info.st_mode)) fail(path_, "is a directory, not a file");
    if (!S_ISREG(info.st_mode)) fail(path_, "is not a regular file");
    size_ = static_cast<std::size_t>(info.st_size);
    if (size_ == 0) return;
    void* memory = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.fd, 0);
    if (memory == MAP_FAILED) fail(path_, std::string("cannot be mapped: ") + std::strerror(errno));
    data_ = static_cast<const u8*>(memory);
    const std::lock_guard lock(mappings().mutex);
    mappings().sizes.emplace(address(data_), size_);
}

MappedFile::~MappedFile() {
    if (data_ == nullptr) return;
    const std::lock_guard lock(mappings().mutex);
    mappings().sizes.erase(address(data_));
    munmap(const_cast<u8*>(data_), size_);
}

void MappedFile::release(std::span<const u8> part) {
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t begin = (address(part.data()) + page - 1) / page * page;
    const std::uintptr_t end = address(part.data() + part.size()) / page * page;
    if (begin >= end) return;
    // Held until the kernel has done it: else the file might be unmapped, and something else be mapped there.
    const std::lock_guard lock(mappings().mutex);
    const auto after = mappings().sizes.upper_bound(begin);
    if (after == mappings().sizes.begin()) return;
    const auto& [start, size] = *std::prev(after);
    if (end <= start + (size + page - 1) / page * page)
        madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    std::swap(path_, other.path_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
}

}  // namespace cuzk
