#include "rpc/listen.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/error.hpp"

namespace cuzk::rpc {

namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& reason) {
    throw Error(ErrorKind::kUsage, fmt::format("address '{}': {}", text, reason));
}

sockaddr_un socket_name(const std::string& path) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    if (path.size() >= sizeof(name.sun_path))
        throw Error(ErrorKind::kUsage,
                    fmt::format("{}: a socket's path has at most {} bytes", path, sizeof(name.sun_path) - 1));
    std::memcpy(name.sun_path, path.data(), path.size());
    return name;
}

// Whether somebody accepts connections on the socket.
bool answers(const std::string& path) {
    const sockaddr_un name = socket_name(path);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) throw Error(ErrorKind::kEnvironment, fmt::format("socket: {}", std::strerror(errno)));
    const int result = connect(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name);
    // A full backlog (EAGAIN) is a live server too.
    const bool live = result == 0 || errno == EAGAIN || errno == EINPROGRESS;
    close(fd);
    return live;
}

}  // namespace

bool Address::is_local() const {
    if (kind == Kind::kUnix || host == "localhost") return true;
    in_addr v4{};
    if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
    in6_addr v6{};
    return inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

std::string Address::text() const {
    if (kind == Kind::kUnix) return "unix:" + path;
    if (host.find(':') != std::string::npos) return fmt::format("[{}]:{}", host, port);
    return fmt::format("{}:{}", host, port);
}

Address parse_address(const std::string& text) {
    Address address;
    std::string_view rest = text;
    if (rest.starts_with("unix:")) {
        rest.remove_prefix(5);
        if (rest.starts_with("//")) rest.remove_prefix(2);
        if (rest.empty()) refuse(text, "the path of the socket is missing");
        address.kind = Address::Kind::kUnix;
        address.path = rest;
        return address;
    }
    for (const std::string_view scheme : {"http://", "https://", "dns:///"})
        if (rest.starts_with(scheme)) rest.remove_prefix(scheme.size());
    if (rest.ends_with('/')) rest.remove_suffix(1);
    if (rest.find('/') != std::string_view::npos) refuse(text, "is neither HOST:PORT nor unix:///PATH");

    const auto colon = rest.rfind(':');
    if (colon == std::string_view::npos) refuse(text, "the port is missing: HOST:PORT, or unix:///PATH");
    std::string_view host = rest.substr(0, colon);
    const std::string_view port = rest.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (error != std::errc() || end != port.data() + port.size())
        refuse(text, "the port is no number up to 65535");
    if (host.starts_with('[') && host.ends_with(']'))
        host = host.substr(1, host.size() - 2);
    else if (host.find(':') != std::string_view::npos)
        refuse(text, "an IPv6 address stands in brackets: [::1]:9820");
    address.host = host.empty() ? "0.0.0.0" : std::string(host);
    return address;
}

void prepare_socket(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (const fs::path parent = fs::path(path).parent_path(); !parent.empty()) {
        fs::create_directories(parent, error);
        if (error)
            throw Error(ErrorKind::kEnvironment,
                        fmt::format("{}: the folder can not be made: {}", parent.string(), error.message()));
    }
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0) return;
    if (!S_ISSOCK(info.st_mode))
        throw Error(ErrorKind::kEnvironment, path + ": exists, and is no socket: it is left alone");
    if (answers(path))
        throw Error(ErrorKind::kEnvironment, path + ": another server is listening on this socket");
    if (unlink(path.c_str()) != 0 && errno != ENOENT)
        throw Error(ErrorKind::kEnvironment,
                    fmt::format("{}: the socket of an earlier run can not be removed: {}", path,
                                std::strerror(errno)));
}

}  // namespace cuzk::rpc
