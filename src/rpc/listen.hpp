// Addresses to listen on and to call, and what has to be true of them before a server may.
#pragma once

#include <string>

#include "base/types.hpp"

namespace cuzk::rpc {

// One address of the configuration or of a command line.
struct Address {
    enum class Kind { kUnix, kTcp };
    Kind kind = Kind::kTcp;
    std::string host;  // of TCP: a name or a number, without brackets
    u16 port = 0;      // of TCP; 0: any free one
    std::string path;  // of a Unix socket

    // Reachable from this machine alone: a Unix socket, 127.0.0.0/8, ::1 or "localhost".
    bool is_local() const;
    // As gRPC takes it: "unix:/path", "127.0.0.1:9820", "[::1]:9820".
    std::string text() const;
};

// "unix:///run/cuzk.sock", "unix:relative.sock", "127.0.0.1:9820", "[::1]:9820", ":9820" (all interfaces), and for clients also
// "http://host:port". Throws Error(kUsage) saying what is wrong.
Address parse_address(const std::string& text);

// Makes way for a server on a Unix socket: creates the parent folder, and removes the socket of a server that is gone. Throws
// Error(kEnvironment) if a live server answers there, or if the path is something else than a socket.
void prepare_socket(const std::string& path);

}  // namespace cuzk::rpc
