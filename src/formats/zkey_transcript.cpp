#include "formats/zkey_transcript.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "curve/affine.hpp"

namespace cuzk {

namespace {

// delta after the contribution, s and s*x in G1, the proof of knowledge of x in G2.
template <class C>
constexpr std::size_t kPointBytes = 3 * sizeof(Affine<typename C::G1>) + sizeof(Affine<typename C::G2>);
constexpr std::size_t kHashBytes = 64;

enum class Parameter : u8 { kName = 1, kIterations = 2, kBeaconHash = 3 };

ZkeyContribution read_parameters(ByteReader& reader, u64 size) {
    ZkeyContribution contribution;
    const u64 end = reader.offset() + size;
    int last = 0;
    while (reader.offset() < end) {
        const u8 kind = reader.read_u8("a parameter's kind");
        if (kind <= last) reader.fail("the parameters of a contribution are not in ascending order");
        last = kind;
        if (kind == static_cast<u8>(Parameter::kName)) {
            const u8 length = reader.read_u8("the length of a contributor's name");
            const auto name = reader.take(length, "a contributor's name");
            contribution.name.assign(name.begin(), name.end());
        } else if (kind == static_cast<u8>(Parameter::kIterations)) {
            contribution.beacon_iterations = reader.read_u8("the beacon's iteration exponent");
        } else if (kind == static_cast<u8>(Parameter::kBeaconHash)) {
            const u8 length = reader.read_u8("the length of a beacon hash");
            const auto hash = reader.take(length, "a beacon hash");
            contribution.beacon_hash.assign(hash.begin(), hash.end());
        } else {
            reader.fail(fmt::format("unknown contribution parameter {}", kind));
        }
    }
    if (reader.offset() != end)
        reader.fail("a contribution's parameters are longer than their stated length");
    return contribution;
}

void append_u32(std::vector<u8>& out, u32 value) {
    for (int i = 0; i < 4; ++i) out.push_back(static_cast<u8>(value >> (8 * i)));
}

template <class T>
void append_raw(std::vector<u8>& out, const T& value) {
    const auto* bytes = reinterpret_cast<const u8*>(&value);
    out.insert(out.end(), bytes, bytes + sizeof(T));
}

}  // namespace

template <class C>
ZkeyTranscript read_zkey_transcript(ByteReader reader) {
    ZkeyTranscript transcript;
    const auto hash = reader.take(kHashBytes, "the circuit hash");
    std::copy(hash.begin(), hash.end(), transcript.circuit_hash.begin());
    const u32 count = reader.read_u32_le("the contribution count");
    reader.require_items(count, kPointBytes<C> + kHashBytes + 8, "contributions");
    transcript.contributions.reserve(count);
    for (u32 i = 0; i < count; ++i) {
        reader.skip(kPointBytes<C>, "a contribution's points");
        reader.skip(kHashBytes, "a contribution's transcript hash");
        const u32 type = reader.read_u32_le("a contribution's type");
        if (type > 1) reader.fail(fmt::format("contribution {} has the unknown type {}", i, type));
        const u32 size = reader.read_u32_le("the length of a contribution's parameters");
        if (size > reader.remaining())
            reader.fail(fmt::format("contribution {} claims {} bytes of parameters, {} are left", i, size,
                                    reader.remaining()));
        auto contribution = read_parameters(reader, size);
        contribution.beacon = type == 1;
        transcript.contributions.push_back(std::move(contribution));
    }
    reader.expect_end("the last contribution");
    return transcript;
}

template <class C>
std::vector<u8> make_zkey_transcript(const std::array<u8, 64>& circuit_hash, const std::string& notice) {
    std::vector<u8> out(circuit_hash.begin(), circuit_hash.end());
    append_u32(out, notice.empty() ? 0 : 1);
    if (notice.empty()) return out;
    using G1 = Affine<typename C::G1>;
    for (int i = 0; i < 3; ++i) append_raw(out, G1::generator());
    append_raw(out, Affine<typename C::G2>::generator());
    out.insert(out.end(), kHashBytes, 0);
    append_u32(out, 0);
    const std::size_t length = std::min<std::size_t>(notice.size(), 255);
    append_u32(out, static_cast<u32>(length + 2));
    out.push_back(static_cast<u8>(Parameter::kName));
    out.push_back(static_cast<u8>(length));
    out.insert(out.end(), notice.begin(), notice.begin() + static_cast<std::ptrdiff_t>(length));
    return out;
}

template ZkeyTranscript read_zkey_transcript<Bn254>(ByteReader);
template ZkeyTranscript read_zkey_transcript<Bls12_381>(ByteReader);
template std::vector<u8> make_zkey_transcript<Bn254>(const std::array<u8, 64>&, const std::string&);
template std::vector<u8> make_zkey_transcript<Bls12_381>(const std::array<u8, 64>&, const std::string&);

}  // namespace cuzk
