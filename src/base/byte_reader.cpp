#include "base/byte_reader.hpp"

#include <fmt/format.h>

namespace cuzk {

namespace {

template <class T>
T little_endian(std::span<const u8> bytes) {
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(static_cast<T>(bytes[i]) << (8 * i));
    return value;
}

}  // namespace

void fail_in_file(std::string_view file, std::string_view section, u64 offset, std::string_view reason,
                  ErrorKind kind) {
    if (section.empty()) throw Error(kind, fmt::format("{}: offset {:#x}: {}", file, offset, reason));
    throw Error(kind, fmt::format("{}: {}, offset {:#x}: {}", file, section, offset, reason));
}

void ByteReader::fail_at(u64 offset, const std::string& reason, ErrorKind kind) const {
    fail_in_file(file_, section_, offset, reason, kind);
}

std::span<const u8> ByteReader::take(u64 count, std::string_view what) {
    if (count > remaining()) fail(fmt::format("{} needs {} bytes, {} are left", what, count, remaining()));
    const auto result = bytes_.subspan(position_, static_cast<std::size_t>(count));
    position_ += static_cast<std::size_t>(count);
    return result;
}

u8 ByteReader::read_u8(std::string_view what) {
    return take(1, what)[0];
}
u32 ByteReader::read_u32_le(std::string_view what) {
    return little_endian<u32>(take(4, what));
}
u64 ByteReader::read_u64_le(std::string_view what) {
    return little_endian<u64>(take(8, what));
}

u32 ByteReader::read_u32_be(std::string_view what) {
    const auto b = take(4, what);
    return u32{b[0]} << 24 | u32{b[1]} << 16 | u32{b[2]} << 8 | u32{b[3]};
}

void ByteReader::require_items(u64 count, u64 item_size, std::string_view what) const {
    if (item_size != 0 && count > remaining() / item_size)
        fail(fmt::format("{} {} of at least {} bytes each cannot fit in the {} bytes left", count, what,
                         item_size, remaining()));
}

std::span<const u8> ByteReader::take_items(u64 count, u64 item_size, std::string_view what) {
    require_items(count, item_size, what);
    return take(count * item_size, what);
}

void ByteReader::expect_end(std::string_view after) const {
    if (!at_end()) fail(fmt::format("{} bytes follow {}", remaining(), after));
}

}  // namespace cuzk
