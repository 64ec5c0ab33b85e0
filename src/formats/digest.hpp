// Digests of files and of what goes into them.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/types.hpp"

namespace cuzk {

// Incremental BLAKE2b-512 (RFC 7693) or SHA-256 (FIPS 180-4), by OpenSSL. Not thread-safe.
class Hasher {
public:
    enum class Algorithm { kSha256, kBlake2b512 };
    explicit Hasher(Algorithm algorithm);
    ~Hasher();
    Hasher(Hasher&&) noexcept;
    Hasher& operator=(Hasher&&) noexcept;

    void update(std::span<const u8> bytes);
    void update_u32_be(u32 value);
    // Fills exactly the digest's size: 32 or 64 bytes. Once.
    void finish(std::span<u8> out);

private:
    struct State;
    std::unique_ptr<State> state_;
};

std::array<u8, 64> blake2b_512(std::span<const u8> bytes);
// BLAKE2b with a key and a digest of 32 bytes (RFC 7693 2.9); the key has 1 to 64 bytes.
std::array<u8, 32> keyed_blake2b_256(std::string_view key, std::span<const u8> bytes);
std::array<u8, 32> sha256(std::span<const u8> bytes);

// Lower-case hexadecimal.
std::string hex_text(std::span<const u8> bytes);

}  // namespace cuzk
