// Sizes in bellman's files, shared by the reader and by file detection.
#pragma once

#include "curve/encoding.hpp"

namespace cuzk::bellman {

inline constexpr std::size_t kG1Bytes = kUncompressedBytes<Bls12_381G1>;
inline constexpr std::size_t kG2Bytes = kUncompressedBytes<Bls12_381G2>;
inline constexpr std::size_t kFixedBytes = 3 * kG1Bytes + 3 * kG2Bytes;  // what stands before the ic count
inline constexpr std::size_t kTranscriptHeaderBytes = 64 + 4;

}  // namespace cuzk::bellman
