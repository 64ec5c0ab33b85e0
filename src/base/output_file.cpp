#include "base/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "base/random.hpp"

namespace cuzk {

namespace {

constexpr std::size_t kBufferSize = std::size_t{1} << 20;

// Where the bytes belong: the end of a chain of links, or the path itself.
std::string resolve(const std::string& path) {
    char* real = realpath(path.c_str(), nullptr);
    if (real == nullptr) return path;
    std::string result(real);
    std::free(real);  // NOLINT(cppcoreguidelines-no-malloc): realpath's contract
    return result;
}

std::string folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

void OutputFile::fail(const char* what) const {
    throw Error(ErrorKind::kEnvironment, fmt::format("{}: {}: {}", path_, what, std::strerror(errno)));
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)), target_(resolve(path_)) {
    buffer_.reserve(kBufferSize);
    struct stat info {};
    if (stat(target_.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
        if (S_ISDIR(info.st_mode)) throw Error(ErrorKind::kEnvironment, path_ + ": is a directory");
        fd_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
        if (fd_ < 0) fail("cannot be opened for writing");
        return;
    }
    std::array<u8, 8> tag{};
    OsRandom().fill(tag);
    temporary_ = fmt::format("{}.tmp-{:02x}", target_, fmt::join(tag, ""));
    fd_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd_ < 0) fail("cannot be created");
}

OutputFile::~OutputFile() {
    if (fd_ < 0) return;
    close(fd_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::flush() {
    const u8* data = buffer_.data();
    std::size_t left = buffer_.size();
    while (left != 0) {
        const ssize_t written = ::write(fd_, data, left);
        if (written < 0) {
            if (errno == EINTR) continue;
            fail("cannot be written");
        }
        data += written;
        left -= static_cast<std::size_t>(written);
    }
    buffer_.clear();
}

void OutputFile::write(std::span<const u8> bytes) {
    position_ += bytes.size();
    while (!bytes.empty()) {
        const std::size_t room = std::min(bytes.size(), kBufferSize - buffer_.size());
        buffer_.insert(buffer_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(room));
        bytes = bytes.subspan(room);
        if (buffer_.size() == kBufferSize) flush();
    }
}

void OutputFile::write(std::string_view text) {
    write(std::span<const u8>(reinterpret_cast<const u8*>(text.data()), text.size()));
}

void OutputFile::write_u32_le(u32 value) {
    const std::array<u8, 4> b{static_cast<u8>(value), static_cast<u8>(value >> 8),
                              static_cast<u8>(value >> 16), static_cast<u8>(value >> 24)};
    write(b);
}

void OutputFile::write_u64_le(u64 value) {
    write_u32_le(static_cast<u32>(value));
    write_u32_le(static_cast<u32>(value >> 32));
}

void OutputFile::write_u32_be(u32 value) {
    const std::array<u8, 4> b{static_cast<u8>(value >> 24), static_cast<u8>(value >> 16),
                              static_cast<u8>(value >> 8), static_cast<u8>(value)};
    write(b);
}

void OutputFile::commit() {
    flush();
    if (!temporary_.empty()) {
        if (fsync(fd_) != 0) fail("cannot be synced to disk");
        struct stat old {};
        // A target that exists keeps its permissions.
        if (stat(target_.c_str(), &old) == 0 && fchmod(fd_, old.st_mode & 07777) != 0)
            fail("cannot be given the permissions of the file that it replaces");
        if (rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot be put in place");
        temporary_.clear();
        const int folder = open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (folder >= 0) {
            fsync(folder);  // makes the rename durable; a file system without it has done all it can
            close(folder);
        }
    }
    const int fd = fd_;
    fd_ = -1;
    if (close(fd) != 0) fail("cannot be closed");
}

void write_file(const std::string& path, std::span<const u8> bytes) {
    OutputFile file(path);
    file.write(bytes);
    file.commit();
}

void write_file(const std::string& path, std::string_view text) {
    OutputFile file(path);
    file.write(text);
    file.commit();
}

}  // namespace cuzk
