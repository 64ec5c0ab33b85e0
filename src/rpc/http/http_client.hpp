// Reads the daemon's HTTP pages, for commands that show what only these tell.
#pragma once

#include <string>

#include "rpc/listen.hpp"

namespace cuzk::rpc {

// The body of GET `path`. Throws Error(kEnvironment) where nothing answers or the answer is no success.
std::string http_get(const Address& address, const std::string& path, const std::string& token = "");

}  // namespace cuzk::rpc
