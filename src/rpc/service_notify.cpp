#include "rpc/service_notify.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "base/types.hpp"

namespace cuzk::rpc {

namespace {

std::optional<u64> number_of(const char* variable) {
    const char* text = std::getenv(variable);
    if (text == nullptr) return std::nullopt;
    u64 value = 0;
    const char* end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
}

}  // namespace

ServiceNotify::ServiceNotify() {
    const char* socket = std::getenv("NOTIFY_SOCKET");
    if (socket == nullptr || (socket[0] != '/' && socket[0] != '@')) return;
    path_ = socket;
    if (path_[0] == '@') path_[0] = '\0';
    const auto pid = number_of("WATCHDOG_PID");
    const auto period = number_of("WATCHDOG_USEC");
    if (period && *period > 0 && (!pid || *pid == static_cast<u64>(getpid())))
        watchdog_ = std::chrono::milliseconds(*period / 2000 + 1);
}

void ServiceNotify::send(const std::string& message) const {
    sockaddr_un name{};
    if (path_.empty() || path_.size() >= sizeof(name.sun_path)) return;
    name.sun_family = AF_UNIX;
    std::memcpy(name.sun_path, path_.data(), path_.size());
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return;
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_.size());
    // Not to wait: a manager whose queue is full hears the next message.
    (void)sendto(fd, message.data(), message.size(), MSG_NOSIGNAL | MSG_DONTWAIT,
                 reinterpret_cast<const sockaddr*>(&name), size);
    close(fd);
}

}  // namespace cuzk::rpc
