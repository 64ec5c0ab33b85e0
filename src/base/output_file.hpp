// A file that appears whole or not at all.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace cuzk {

// Writes to a temporary name in the target's folder; commit() syncs and renames it over the target. Without commit()
// (an exception, an early return) the temporary file is removed and an older target stays as it was. A target that exists
// and is no regular file (a terminal, /dev/null) is written directly. Failures throw Error(kEnvironment). Not thread-safe.
class OutputFile {
public:
    explicit OutputFile(std::string path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::span<const u8> bytes);
    void write(std::string_view text);
    void write_u32_le(u32 value);
    void write_u64_le(u64 value);
    void write_u32_be(u32 value);
    u64 position() const { return position_; }

    void commit();

private:
    void flush();
    [[noreturn]] void fail(const char* what) const;

    std::string path_;       // as the caller named it, for messages
    std::string target_;     // links resolved: a link to a key stays a link
    std::string temporary_;  // empty: writing directly
    std::vector<u8> buffer_;
    u64 position_ = 0;
    int fd_ = -1;
};

// The whole content in one call.
void write_file(const std::string& path, std::span<const u8> bytes);
void write_file(const std::string& path, std::string_view text);

}  // namespace cuzk
