// Where things stand in a key cache file; shared by its reader and its writer. formats/key_cache.hpp describes the whole.
#pragma once

#include <array>
#include <bit>

#include "curve/affine.hpp"

namespace cuzk::key_cache {

static_assert(std::endian::native == std::endian::little, "points are stored as they lie in memory");

using G1 = Bls12_381G1;
using G2 = Bls12_381G2;

inline constexpr std::size_t kMagicBytes = 8;
inline constexpr std::array<u8, kMagicBytes> kMagic{'c', 'u', 'z', 'k', '-', 'k', 'e', 'y'};
inline constexpr u32 kVersion = 1;
inline constexpr u32 kCurveBls12_381 = 1;
inline constexpr u32 kFamilyBellman = 1;

// Every query begins on a page, so that it can be mapped, page-locked and read past the page cache.
inline constexpr u64 kPage = 4096;
constexpr u64 page_up(u64 bytes) {
    return (bytes + kPage - 1) / kPage * kPage;
}

inline constexpr std::size_t kQueries = 5;
// As in a .params file.
inline constexpr std::array<const char*, kQueries> kNames{"h", "l", "a", "b_g1", "b_g2"};
inline constexpr std::array<u64, kQueries> kPointBytes{
    sizeof(Affine<G1>), sizeof(Affine<G1>), sizeof(Affine<G1>), sizeof(Affine<G1>), sizeof(Affine<G2>)};
static_assert(sizeof(Affine<G1>) == 96 && sizeof(Affine<G2>) == 192);

// Numbers before the name of the circuit, and the longest name.
inline constexpr u64 kFixedBytes = 120;
inline constexpr u64 kLongestCircuit = 1024;
inline constexpr u64 kVkBytes = 3 * sizeof(Affine<G1>) + 3 * sizeof(Affine<G2>);

inline constexpr std::size_t kSha256Bytes = 32, kBlake2bBytes = 64;
inline constexpr u64 kTrailerBytes = kQueries * kSha256Bytes + kBlake2bBytes + kSha256Bytes;
// A query's digest is over the digests of its chunks, so that many threads can make it.
inline constexpr std::size_t kChunk = std::size_t{1} << 20;

}  // namespace cuzk::key_cache
