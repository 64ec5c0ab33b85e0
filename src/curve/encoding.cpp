#include "curve/encoding.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "curve/parallel_search.hpp"
#include "curve/subgroup.hpp"

namespace cuzk {

namespace {

constexpr u8 kCompressedFlag = 0x80;
constexpr u8 kInfinityFlag = 0x40;
constexpr u8 kSignFlag = 0x20;
constexpr u8 kAllFlags = kCompressedFlag | kInfinityFlag | kSignFlag;

template <class G>
constexpr bool kHasFlags = std::is_same_v<G, Bls12_381G1> || std::is_same_v<G, Bls12_381G2>;

template <class P>
bool read_be(const u8* bytes, Fp<P>& out) {
    const auto x = Fp<P>::from_bytes_be(std::span<const u8, Fp<P>::kBytes>(bytes, Fp<P>::kBytes));
    if (x) out = *x;
    return x.has_value();
}

template <class F>
bool read_be(const u8* bytes, Fp2<F>& out) {
    return read_be(bytes, out.c1) && read_be(bytes + F::kBytes, out.c0);
}

template <class P>
void write_be(const Fp<P>& x, u8* out) {
    x.to_bytes_be(std::span<u8, Fp<P>::kBytes>(out, Fp<P>::kBytes));
}

template <class F>
void write_be(const Fp2<F>& x, u8* out) {
    write_be(x.c1, out);
    write_be(x.c0, out + F::kBytes);
}

template <class P>
bool is_reduced(const Fp<P>& x) {
    return x.montgomery() < FieldConstants<P>::kModulus;
}

template <class F>
bool is_reduced(const Fp2<F>& x) {
    return is_reduced(x.c0) && is_reduced(x.c1);
}

bool all_zero(std::span<const u8> bytes) {
    u8 any = 0;
    for (const u8 b : bytes) any |= b;
    return any == 0;
}

template <class G>
PointError check(const Affine<G>& p, DecodeChecks checks) {
    if (checks >= DecodeChecks::kCurve && !p.is_on_curve()) return PointError::kNotOnCurve;
    if (checks >= DecodeChecks::kSubgroup && !in_subgroup(p)) return PointError::kNotInSubgroup;
    return PointError::kNone;
}

// Shared by the batch decoders: checks sizes and decodes blocks of points, the subgroup checks of a block together; then goes
// once more through the first bad block, for the first bad point and its error.
template <class G, class DecodeOne>
std::optional<BatchPointError> decode_batch(std::size_t item, std::span<const u8> bytes,
                                            std::span<Affine<G>> out, DecodeChecks checks,
                                            const DecodeOne& decode_one) {
    if (bytes.size() % item != 0 || bytes.size() / item != out.size()) {
        throw Error(ErrorKind::kInternal, "point decoding: " + std::to_string(bytes.size()) + " bytes for " +
                                              std::to_string(out.size()) + " points of " +
                                              std::to_string(item));
    }
    constexpr std::size_t kBlock = 64;
    const auto end_of = [&](std::size_t block) { return std::min(out.size(), (block + 1) * kBlock); };
    const DecodeChecks single = std::min(checks, DecodeChecks::kCurve);
    const auto bad_block = first_failure((out.size() + kBlock - 1) / kBlock, 1, [&](std::size_t block) {
        const std::size_t begin = block * kBlock;
        for (std::size_t i = begin; i < end_of(block); ++i) {
            if (decode_one(bytes.data() + i * item, out[i], single) != PointError::kNone) return true;
        }
        if (single == checks) return false;
        return first_outside_subgroup(std::span<const Affine<G>>(out.subspan(begin, end_of(block) - begin)))
            .has_value();
    });
    if (!bad_block) return std::nullopt;
    for (std::size_t i = *bad_block * kBlock;; ++i) {
        const PointError error = decode_one(bytes.data() + i * item, out[i], checks);
        if (error != PointError::kNone) return BatchPointError{i, error};
    }
}

}  // namespace

const char* describe(PointError error) {
    switch (error) {
        case PointError::kNone: return "is valid";
        case PointError::kFlags: return "has flag bits that do not fit its encoding";
        case PointError::kInfinityBits: return "is marked as infinity, but has other bits set";
        case PointError::kNotCanonical: return "has a coordinate that is not below the field's modulus";
        case PointError::kNotOnCurve: return "is not on the curve";
        case PointError::kNotInSubgroup: return "is on the curve, but outside the prime-order subgroup";
    }
    return "is invalid";
}

template <class G>
void encode_compressed(const Affine<G>& p, std::span<u8, kCompressedBytes<G>> out) {
    write_be(p.x, out.data());
    out[0] |= kCompressedFlag;
    if (p.is_infinity()) {
        out[0] |= kInfinityFlag;
    } else if (p.y.is_lexicographically_largest()) {
        out[0] |= kSignFlag;
    }
}

template <class G>
void encode_uncompressed(const Affine<G>& p, std::span<u8, kUncompressedBytes<G>> out) {
    write_be(p.x, out.data());
    write_be(p.y, out.data() + G::Field::kBytes);
    if (kHasFlags<G> && p.is_infinity()) out[0] |= kInfinityFlag;
}

template <class G>
PointError decode_compressed(std::span<const u8, kCompressedBytes<G>> bytes, Affine<G>& out,
                             DecodeChecks checks) {
    const u8 flags = bytes[0] & kAllFlags;
    if ((flags & kCompressedFlag) == 0) return PointError::kFlags;
    std::array<u8, kCompressedBytes<G>> plain;
    std::memcpy(plain.data(), bytes.data(), plain.size());
    plain[0] &= static_cast<u8>(~kAllFlags);
    if ((flags & kInfinityFlag) != 0) {
        if ((flags & kSignFlag) != 0 || !all_zero(plain)) return PointError::kInfinityBits;
        out = Affine<G>::infinity();
        return PointError::kNone;
    }
    Affine<G> p;
    if (!read_be(plain.data(), p.x)) return PointError::kNotCanonical;
    const auto y = (p.x.square() * p.x + G::b()).sqrt();
    if (!y) return PointError::kNotOnCurve;
    // y = 0 would be its own negative, under a sign that says nothing; no point of an odd-order curve has it.
    p.y = y->is_lexicographically_largest() == ((flags & kSignFlag) != 0) ? *y : -*y;
    if (checks >= DecodeChecks::kSubgroup && !in_subgroup(p)) return PointError::kNotInSubgroup;
    out = p;
    return PointError::kNone;
}

template <class G>
PointError decode_uncompressed(std::span<const u8, kUncompressedBytes<G>> bytes, Affine<G>& out,
                               DecodeChecks checks) {
    std::array<u8, kUncompressedBytes<G>> plain;
    std::memcpy(plain.data(), bytes.data(), plain.size());
    if constexpr (kHasFlags<G>) {
        const u8 flags = bytes[0] & kAllFlags;
        if ((flags & ~kInfinityFlag) != 0) return PointError::kFlags;
        plain[0] &= static_cast<u8>(~kAllFlags);
        if (flags != 0) {
            if (!all_zero(plain)) return PointError::kInfinityBits;
            out = Affine<G>::infinity();
            return PointError::kNone;
        }
    }
    Affine<G> p;
    if (!read_be(plain.data(), p.x) || !read_be(plain.data() + G::Field::kBytes, p.y))
        return PointError::kNotCanonical;
    // With flags, (0, 0) without the infinity flag is a second encoding of infinity, and refused as the point off the
    // curve that it spells.
    if (kHasFlags<G> && p.is_infinity()) return PointError::kNotOnCurve;
    const PointError error = check(p, checks);
    if (error == PointError::kNone) out = p;
    return error;
}

template <class G>
PointError load_affine_checked(std::span<const u8, kRawBytes<G>> bytes, Affine<G>& out, DecodeChecks checks) {
    const Affine<G> p = AffineView<G>(bytes)[0];
    if (!is_reduced(p.x) || !is_reduced(p.y)) return PointError::kNotCanonical;
    const PointError error = check(p, checks);
    if (error == PointError::kNone) out = p;
    return error;
}

template <class G>
std::optional<BatchPointError> decode_compressed_batch(std::span<const u8> bytes, std::span<Affine<G>> out,
                                                       DecodeChecks checks) {
    constexpr std::size_t kItem = kCompressedBytes<G>;
    return decode_batch<G>(kItem, bytes, out, checks, [](const u8* item, Affine<G>& p, DecodeChecks depth) {
        return decode_compressed<G>(std::span<const u8, kItem>(item, kItem), p, depth);
    });
}

template <class G>
std::optional<BatchPointError> decode_uncompressed_batch(std::span<const u8> bytes, std::span<Affine<G>> out,
                                                         DecodeChecks checks) {
    constexpr std::size_t kItem = kUncompressedBytes<G>;
    return decode_batch<G>(kItem, bytes, out, checks, [](const u8* item, Affine<G>& p, DecodeChecks depth) {
        return decode_uncompressed<G>(std::span<const u8, kItem>(item, kItem), p, depth);
    });
}

CUZK_ENCODING(, Bls12_381G1);
CUZK_ENCODING(, Bls12_381G2);
CUZK_ENCODING(, Bn254G1);
CUZK_ENCODING(, Bn254G2);
CUZK_COMPRESSED_ENCODING(, Bls12_381G1);
CUZK_COMPRESSED_ENCODING(, Bls12_381G2);

}  // namespace cuzk
