#include "formats/transcript_change.hpp"

#include <fmt/format.h>

#include <cstring>

#include "curve/encoding.hpp"

namespace cuzk {

namespace {

using G1 = Bls12_381G1;
using G2 = Bls12_381G2;
constexpr std::size_t kHashBytes = 64;
constexpr std::size_t kContributionBytes = 3 * kRawBytes<G1> + kRawBytes<G2> + kHashBytes;

void append(std::vector<u8>& out, std::span<const u8> bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}

void append_u32(std::vector<u8>& out, u32 value, bool big_endian) {
    for (int i = 0; i < 4; ++i) out.push_back(static_cast<u8>(value >> (8 * (big_endian ? 3 - i : i))));
}

// The raw and the uncompressed encoding have the same size.
template <class G>
void convert_point(ByteReader& reader, std::vector<u8>& out, bool from_raw) {
    static_assert(kRawBytes<G> == kUncompressedBytes<G>);
    constexpr std::size_t kBytes = kRawBytes<G>;
    const u64 at = reader.offset();
    const auto bytes = reader.take(kBytes, "a contribution's point").template first<kBytes>();
    Affine<G> point;
    const auto error = from_raw ? load_affine_checked<G>(bytes, point, DecodeChecks::kCurve)
                                : decode_uncompressed<G>(bytes, point, DecodeChecks::kCurve);
    if (error != PointError::kNone)
        reader.fail_at(at, fmt::format("a contribution's point {}", describe(error)));
    std::array<u8, kBytes> encoded{};
    if (from_raw)
        encode_uncompressed<G>(point, encoded);
    else
        std::memcpy(encoded.data(), &point, kBytes);
    append(out, encoded);
}

void convert_contribution(ByteReader& reader, std::vector<u8>& out, bool from_raw) {
    for (int i = 0; i < 3; ++i) convert_point<G1>(reader, out, from_raw);
    convert_point<G2>(reader, out, from_raw);
    append(out, reader.take(kHashBytes, "a contribution's transcript hash"));
}

}  // namespace

std::vector<u8> params_transcript_from_zkey(ByteReader reader) {
    std::vector<u8> out;
    append(out, reader.take(kHashBytes, "the circuit hash"));
    const u32 count = reader.read_u32_le("the contribution count");
    reader.require_items(count, kContributionBytes + 8, "contributions");
    append_u32(out, count, true);
    for (u32 i = 0; i < count; ++i) {
        convert_contribution(reader, out, true);
        reader.read_u32_le("a contribution's type");
        reader.skip(reader.read_u32_le("the length of a contribution's parameters"),
                    "a contribution's parameters");
    }
    reader.expect_end("the last contribution");
    return out;
}

std::vector<u8> zkey_transcript_from_params(ByteReader reader) {
    std::vector<u8> out;
    append(out, reader.take(kHashBytes, "the circuit hash"));
    const u32 count = reader.read_u32_be("the contribution count");
    reader.require_items(count, kContributionBytes, "contributions");
    append_u32(out, count, false);
    for (u32 i = 0; i < count; ++i) {
        convert_contribution(reader, out, false);
        append_u32(out, 0, false);  // type: a person
        append_u32(out, 0, false);  // no parameters
    }
    reader.expect_end("the last contribution");
    return out;
}

}  // namespace cuzk
