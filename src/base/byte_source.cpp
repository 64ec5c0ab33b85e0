#include "base/byte_source.hpp"

#include "base/mapped_file.hpp"

namespace cuzk {

ByteSource ByteSource::open(const std::string& path) {
    auto file = std::make_shared<const MappedFile>(path);
    const std::span<const u8> bytes = file->bytes();
    return {path, bytes, std::move(file), true};
}

ByteSource ByteSource::from_vector(std::string name, std::vector<u8> content) {
    auto owner = std::make_shared<const std::vector<u8>>(std::move(content));
    const std::span<const u8> bytes(*owner);
    return {std::move(name), bytes, std::move(owner)};
}

void ByteSource::release(std::span<const u8> part) const {
    if (mapped) MappedFile::release(part);
}

}  // namespace cuzk
