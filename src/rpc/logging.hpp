// The daemon's log, on standard error: the service manager keeps and rotates it.
#pragma once

#include <string>

namespace cuzk::rpc {

// Sets up spdlog's default logger. `level`: trace, debug, info, warn, error. `format`: "text", or "json" with one object a line:
// {"time": RFC 3339 in UTC, "level": ..., "message": ...}.
void start_logging(const std::string& level, const std::string& format);

}  // namespace cuzk::rpc
