// A bounds-checked cursor over part of a file. Every failure names file, section, offset and reason.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/types.hpp"

namespace cuzk {

// Does not own the bytes. Offsets in messages count from the start of the file. Reading past the end throws
// Error(kMalformed); nothing is ever allocated here.
class ByteReader {
public:
    // `base` is the offset of bytes[0] in the file; `section` may be empty (the file as a whole).
    ByteReader(std::string file, std::string section, std::span<const u8> bytes, u64 base = 0)
        : file_(std::move(file)), section_(std::move(section)), bytes_(bytes), base_(base) {}

    const std::string& file() const { return file_; }
    const std::string& section() const { return section_; }
    u64 offset() const { return base_ + position_; }
    u64 remaining() const { return bytes_.size() - position_; }
    bool at_end() const { return position_ == bytes_.size(); }
    // Names what follows in messages.
    void set_section(std::string section) { section_ = std::move(section); }

    // `what` names the item in the message when the bytes are missing.
    u8 read_u8(std::string_view what);
    u32 read_u32_le(std::string_view what);
    u64 read_u64_le(std::string_view what);
    u32 read_u32_be(std::string_view what);
    std::span<const u8> take(u64 count, std::string_view what);
    // `count` items of `item_size` bytes; the product cannot overflow past the check.
    std::span<const u8> take_items(u64 count, u64 item_size, std::string_view what);
    void skip(u64 count, std::string_view what) { take(count, what); }

    // Checks, before anything is allocated for them, that `count` items of at least `item_size` bytes can follow.
    void require_items(u64 count, u64 item_size, std::string_view what) const;
    void expect_end(std::string_view after) const;

    // "file: section, offset 0x10: reason", at the cursor or at a given offset of the file.
    [[noreturn]] void fail(const std::string& reason, ErrorKind kind = ErrorKind::kMalformed) const {
        fail_at(offset(), reason, kind);
    }
    [[noreturn]] void fail_at(u64 offset, const std::string& reason,
                              ErrorKind kind = ErrorKind::kMalformed) const;

private:
    std::string file_;
    std::string section_;
    std::span<const u8> bytes_;
    u64 base_ = 0;
    std::size_t position_ = 0;
};

// The one shape of a message about foreign bytes.
[[noreturn]] void fail_in_file(std::string_view file, std::string_view section, u64 offset,
                               std::string_view reason, ErrorKind kind = ErrorKind::kMalformed);

}  // namespace cuzk
