// Bytes that came from somewhere: what every parser takes. A file is mapped; tests and fuzzers hand in memory.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace cuzk {

// Immutable bytes with the name that error messages call them by. Copying is cheap: copies share the owner. Views into
// bytes() stay valid while any copy of `owner` lives.
struct ByteSource {
    std::string name;
    std::span<const u8> bytes;
    std::shared_ptr<const void> owner;
    bool mapped = false;  // `bytes` is a whole mapped file

    // Maps the file (base/mapped_file.hpp); throws Error(kEnvironment) if it cannot be read.
    static ByteSource open(const std::string& path);
    // Takes over a buffer.
    static ByteSource from_vector(std::string name, std::vector<u8> content);
    // Borrows: the caller keeps the bytes alive for as long as anything parsed from them.
    static ByteSource borrow(std::string name, std::span<const u8> bytes) {
        return {std::move(name), bytes, nullptr};
    }

    // Says that a part has been read and will hardly be again: its whole pages leave the process's memory where the bytes are a
    // mapped file's, and come back from the file if they are touched.
    void release(std::span<const u8> part) const;
};

}  // namespace cuzk
