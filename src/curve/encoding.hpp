// Byte encodings of curve points, with strict decoding: every point has one encoding, and nothing else decodes.
//
// BLS12-381, "Zcash" (the encoding of bellman, of Filecoin and of draft-irtf-cfrg-pairing-friendly-curves appendix C):
//   coordinates are big-endian canonical numbers; of an Fp2 element, c1 comes before c0.
//   uncompressed: x, y (96 bytes in G1, 192 in G2); compressed: x (48, 96). The top three bits of the first byte are flags:
//     0x80 the encoding is compressed; 0x40 infinity, all other bits but 0x80 are zero;
//     0x20 compressed and finite: y is the lexicographically larger of the two roots (for Fp2 by c1, then c0).
// BN254, EIP-196/197 (Ethereum call data): uncompressed alone, x, y (64, 128 bytes), without flags; infinity is all zeros.
// Both curves, "raw" (.zkey files and our memory): x, y as little-endian Montgomery limbs, infinity is all zeros.
//
// Thread-safe. Decoding never throws on account of the bytes; the caller knows file and offset and makes the message.
#pragma once

#include <optional>
#include <span>

#include "curve/affine.hpp"

namespace cuzk {

// Why bytes are no point.
enum class PointError : u8 {
    kNone,
    kFlags,          // a flag is set that must be clear, or the reverse
    kInfinityBits,   // the infinity flag, together with the sign flag or a coordinate
    kNotCanonical,   // a coordinate is not below p
    kNotOnCurve,     // y^2 != x^3 + b, or no y for this x
    kNotInSubgroup,  // on the curve, but not in the subgroup of order r
};

// "is not on the curve" and the like, to follow the name of the point.
const char* describe(PointError error);

// How far a decoded point is checked. Flags and ranges always are; a compressed point is on the curve in any case.
enum class DecodeChecks : u8 {
    kEncoding,  // no more than that: for bytes whose digest is known to be good
    kCurve,
    kSubgroup,
};

template <class G>
inline constexpr std::size_t kCompressedBytes = G::Field::kBytes;
template <class G>
inline constexpr std::size_t kUncompressedBytes = 2 * G::Field::kBytes;
template <class G>
inline constexpr std::size_t kRawBytes = sizeof(Affine<G>);

// The point must be on the curve. BLS12-381 alone.
template <class G>
void encode_compressed(const Affine<G>& p, std::span<u8, kCompressedBytes<G>> out);
template <class G>
void encode_uncompressed(const Affine<G>& p, std::span<u8, kUncompressedBytes<G>> out);

// `out` is written on success alone.
template <class G>
[[nodiscard]] PointError decode_compressed(std::span<const u8, kCompressedBytes<G>> bytes, Affine<G>& out,
                                           DecodeChecks checks = DecodeChecks::kSubgroup);
template <class G>
[[nodiscard]] PointError decode_uncompressed(std::span<const u8, kUncompressedBytes<G>> bytes, Affine<G>& out,
                                             DecodeChecks checks = DecodeChecks::kSubgroup);
template <class G>
[[nodiscard]] PointError load_affine_checked(std::span<const u8, kRawBytes<G>> bytes, Affine<G>& out,
                                             DecodeChecks checks = DecodeChecks::kSubgroup);

// The first bad point of an array of encodings.
struct BatchPointError {
    std::size_t index;
    PointError error;
};

// bytes.size() is out.size() times the size of one encoding, else Error(kInternal). In parallel. On failure the content
// of `out` is unspecified.
template <class G>
[[nodiscard]] std::optional<BatchPointError> decode_compressed_batch(
    std::span<const u8> bytes, std::span<Affine<G>> out, DecodeChecks checks = DecodeChecks::kSubgroup);
template <class G>
[[nodiscard]] std::optional<BatchPointError> decode_uncompressed_batch(
    std::span<const u8> bytes, std::span<Affine<G>> out, DecodeChecks checks = DecodeChecks::kSubgroup);

#define CUZK_ENCODING(PREFIX, G)                                                                           \
    PREFIX template void encode_uncompressed(const Affine<G>&, std::span<u8, kUncompressedBytes<G>>);      \
    PREFIX template PointError decode_uncompressed(std::span<const u8, kUncompressedBytes<G>>, Affine<G>&, \
                                                   DecodeChecks);                                          \
    PREFIX template PointError load_affine_checked(std::span<const u8, kRawBytes<G>>, Affine<G>&,          \
                                                   DecodeChecks);                                          \
    PREFIX template std::optional<BatchPointError> decode_uncompressed_batch(                              \
        std::span<const u8>, std::span<Affine<G>>, DecodeChecks)
#define CUZK_COMPRESSED_ENCODING(PREFIX, G)                                                            \
    PREFIX template void encode_compressed(const Affine<G>&, std::span<u8, kCompressedBytes<G>>);      \
    PREFIX template PointError decode_compressed(std::span<const u8, kCompressedBytes<G>>, Affine<G>&, \
                                                 DecodeChecks);                                        \
    PREFIX template std::optional<BatchPointError> decode_compressed_batch(                            \
        std::span<const u8>, std::span<Affine<G>>, DecodeChecks)
CUZK_ENCODING(extern, Bls12_381G1);
CUZK_ENCODING(extern, Bls12_381G2);
CUZK_ENCODING(extern, Bn254G1);
CUZK_ENCODING(extern, Bn254G2);
CUZK_COMPRESSED_ENCODING(extern, Bls12_381G1);
CUZK_COMPRESSED_ENCODING(extern, Bls12_381G2);

}  // namespace cuzk
