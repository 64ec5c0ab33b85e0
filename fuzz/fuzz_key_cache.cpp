#include <cstring>
#include <vector>

#include "formats/digest.hpp"
#include "formats/key_cache.hpp"
#include "formats/key_cache_layout.hpp"
#include "fuzz_input.hpp"

using namespace cuzk;

namespace {

// Mutations hardly ever leave the digest of header and trailer right, and nothing is read behind a wrong one: makes it right.
std::vector<u8> resealed(const std::uint8_t* data, std::size_t size) {
    std::vector<u8> bytes(data, data + size);
    if (size < key_cache::kFixedBytes + key_cache::kTrailerBytes) return bytes;
    u64 header = 0;
    std::memcpy(&header, data + 24, sizeof header);
    if (header > size - key_cache::kTrailerBytes) return bytes;
    const auto trailer = std::span(bytes).last(key_cache::kTrailerBytes);
    Hasher hasher(Hasher::Algorithm::kSha256);
    hasher.update(std::span(bytes).first(static_cast<std::size_t>(header)));
    hasher.update(trailer.first(trailer.size() - key_cache::kSha256Bytes));
    hasher.finish(trailer.last(key_cache::kSha256Bytes));
    return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto parse = [](const ByteSource& source) {
        const KeyCacheFile file(source);
        file.proving_key();
        file.check({PointChecks::kSubgroup, nullptr});
    };
    fuzz::run(data, size, parse);
    const std::vector<u8> bytes = resealed(data, size);
    return fuzz::run(bytes.data(), bytes.size(), parse);
}
