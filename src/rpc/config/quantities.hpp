// Sizes and durations as people write them.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/types.hpp"

namespace cuzk::rpc {

// "64GiB", "1.5 GiB", "500MB", "1024": a number, and B, KiB, MiB, GiB, TiB, KB, MB, GB or TB. Null if it is none, or beyond 64 bits.
std::optional<u64> parse_size(const std::string& text);
// The shortest exact text: "5GiB", "1536MiB", "1000".
std::string size_text(u64 bytes);

// "5m", "90s", "250ms", "2h", "30" (seconds). Null if it is none, or longer than a century.
std::optional<std::chrono::milliseconds> parse_duration(const std::string& text);
std::string duration_text(std::chrono::milliseconds duration);

}  // namespace cuzk::rpc
