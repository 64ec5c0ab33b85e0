#include "base/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace cuzk {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
    throw Error(ErrorKind::kEnvironment, path + ": " + what);
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
}

MappedFile::~MappedFile() {
    if (data_ != nullptr) munmap(const_cast<u8*>(data_), size_);
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
