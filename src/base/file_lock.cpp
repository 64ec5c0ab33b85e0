#include "base/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace cuzk {

std::optional<FileLock> FileLock::try_acquire(std::string path) {
    for (;;) {
        const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0)
            throw Error(ErrorKind::kEnvironment, path + ": cannot be created: " + std::strerror(errno));
        if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
            close(fd);
            return std::nullopt;
        }
        // The holder before may have removed the name after this open: then the lock is on a file that nobody else will meet.
        struct stat held {};
        struct stat named {};
        if (fstat(fd, &held) == 0 && stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
            held.st_dev == named.st_dev)
            return FileLock(std::move(path), fd);
        close(fd);
    }
}

FileLock::FileLock(FileLock&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

FileLock::~FileLock() {
    if (fd_ < 0) return;
    unlink(path_.c_str());
    close(fd_);
}

}  // namespace cuzk
