#include <algorithm>
#include <optional>
#include <string_view>

#include "filecoin/chain/claim.hpp"
#include "filecoin/vanilla/base64.hpp"
#include "filecoin/vanilla/registered.hpp"
#include "formats/json_text.hpp"

namespace cuzk::filecoin {

namespace {

std::optional<std::vector<u8>> decode_hex(std::string_view text) {
    const auto digit = [](char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    };
    std::vector<u8> out;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        const int high = digit(text[i]);
        const int low = digit(text[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        out.push_back(static_cast<u8>(high << 4 | low));
    }
    return out;
}

// RFC 4648 base32 in lower case without padding, as CIDs use it behind their "b".
std::optional<std::vector<u8>> decode_base32(std::string_view text) {
    std::vector<u8> out;
    u32 pending = 0;
    unsigned bits = 0;
    for (const char c : text) {
        const bool letter = c >= 'a' && c <= 'z';
        if (!letter && (c < '2' || c > '7')) return std::nullopt;
        pending = (pending << 5 | static_cast<u32>(letter ? c - 'a' : c - '2' + 26)) & 0xfff;
        bits += 5;
        if (bits < 8) continue;
        bits -= 8;
        out.push_back(static_cast<u8>(pending >> bits));
    }
    return out;
}

// CIDs of commitments: version 1, the codec of an unsealed or a sealed commitment, the hash function, and 32 bytes.
constexpr std::array<u8, 7> kUnsealedCid{0x01, 0x81, 0xe2, 0x03, 0x92, 0x20, 0x20};
constexpr std::array<u8, 8> kSealedCid{0x01, 0x82, 0xe2, 0x03, 0x81, 0xe8, 0x02, 0x20};

std::optional<std::vector<u8>> decode_cid(std::string_view text) {
    if (text.empty() || text[0] != 'b') return std::nullopt;
    const auto bytes = decode_base32(text.substr(1));
    if (!bytes) return std::nullopt;
    for (const std::span<const u8> prefix :
         {std::span<const u8>(kUnsealedCid), std::span<const u8>(kSealedCid)})
        if (bytes->size() == prefix.size() + 32 && std::equal(prefix.begin(), prefix.end(), bytes->begin()))
            return std::vector<u8>(bytes->end() - 32, bytes->end());
    return std::nullopt;
}

std::optional<std::vector<u8>> try_base64(std::string_view text) {
    try {
        return decode_base64(text, "");
    } catch (const Error&) {
        return std::nullopt;
    }
}

constexpr std::size_t kHexLength = 64;
constexpr std::size_t kBase64Length = 44;

Bytes32 bytes32(const JsonPlace& place) {
    std::string_view text = place.text();
    // CIDs first: one of an unsealed commitment is as long as hexadecimal digits.
    auto bytes = decode_cid(text);
    if (!bytes && text.substr(0, 2) == "0x") text.remove_prefix(2);
    if (!bytes && text.size() == kHexLength) bytes = decode_hex(text);
    if (!bytes && text.size() == kBase64Length) bytes = try_base64(text);
    if (!bytes || bytes->size() != 32)
        place.fail("is neither 32 bytes in hexadecimal or base64 nor the CID of a commitment");
    Bytes32 out{};
    std::copy(bytes->begin(), bytes->end(), out.begin());
    return out;
}

Fr commitment(const JsonPlace& place) {
    const auto x = Fr::from_bytes_le(bytes32(place));
    if (!x) place.fail("is no canonical element of the scalar field");
    return *x;
}

void expect_members(const JsonPlace& object, std::initializer_list<std::string_view> required,
                    std::initializer_list<std::string_view> optional) {
    if (!object.value().is_object()) object.fail("is no object");
    for (const std::string_view name : required) object.member(std::string(name).c_str());
    const auto in = [](const auto& list, const std::string& name) {
        return std::find(list.begin(), list.end(), name) != list.end();
    };
    for (const auto& [name, value] : object.value().items())
        if (!in(required, name) && !in(optional, name)) object.fail("unknown field '" + name + "'");
}

PorepClaim porep(const JsonPlace& top, const SectorShape& shape, u64 registered) {
    PorepClaim claim;
    claim.shape = shape;
    constexpr u64 kForms = 4;
    if (registered / kRegisteredSizes >= kForms)
        top.member("registered_proof").fail("is no registered PoRep");
    // Versions 1 and 1.1 of the interactive form, then the synthetic and the non-interactive one.
    const u64 group = registered / kRegisteredSizes;
    claim.version_1_0 = group == 0;
    claim.form = group == 2   ? PorepClaim::Form::kSynthetic
                 : group == 3 ? PorepClaim::Form::kNonInteractive
                              : PorepClaim::Form::kInteractive;
    expect_members(
        top, {"proof_kind", "registered_proof", "miner_id", "sector_number", "ticket", "comm_d", "comm_r"},
        {"sector_size", "seed", "porep_id"});
    claim.miner_id = top.member("miner_id").unsigned_number();
    claim.sector_number = top.member("sector_number").unsigned_number();
    claim.ticket = bytes32(top.member("ticket"));
    if (claim.form != PorepClaim::Form::kNonInteractive) claim.seed = bytes32(top.member("seed"));
    claim.comm_d = commitment(top.member("comm_d"));
    claim.comm_r = commitment(top.member("comm_r"));
    if (top.has("porep_id"))
        claim.porep_id = bytes32(top.member("porep_id"));
    else
        for (std::size_t i = 0; i < 8; ++i) claim.porep_id[i] = static_cast<u8>(registered >> (8 * i));
    return claim;
}

UpdateClaim update(const JsonPlace& top, const SectorShape& shape) {
    expect_members(top, {"proof_kind", "registered_proof", "comm_r_old", "comm_r_new", "comm_d_new"},
                   {"sector_size"});
    return {shape, commitment(top.member("comm_r_old")), commitment(top.member("comm_d_new")),
            commitment(top.member("comm_r_new"))};
}

PostClaim post(const JsonPlace& top, const SectorShape& shape, bool winning, u64 registered) {
    expect_members(top, {"proof_kind", "registered_proof", "randomness", "sectors"},
                   {"sector_size", "partition_index"});
    PostClaim claim;
    claim.shape = shape;
    claim.winning = winning;
    claim.running_challenges = has_running_challenges(registered);
    claim.randomness = bytes32(top.member("randomness"));
    claim.randomness[31] &= 0x3f;
    if (top.has("partition_index")) {
        const u64 index = top.member("partition_index").unsigned_number();
        if (index > 0xffffffff) top.member("partition_index").fail("is no 32-bit number");
        claim.partition_index = static_cast<u32>(index);
    }
    const JsonPlace sectors = top.member("sectors");
    const std::size_t count = sectors.array_size();
    if (count == 0) sectors.fail("is empty");
    if (winning && count != 1) sectors.fail("has more than the one sector of a WinningPoSt");
    for (std::size_t i = 0; i < count; ++i) {
        const JsonPlace sector = sectors.element(i, count);
        expect_members(sector, {"sector_number", "comm_r"}, {});
        claim.sectors.push_back(
            {sector.member("sector_number").unsigned_number(), commitment(sector.member("comm_r"))});
    }
    return claim;
}

}  // namespace

Claim parse_claim(const ByteSource& json) {
    const auto document = parse_json(json);
    const JsonPlace top(document, json.name);
    if (!document.is_object()) top.fail("is no object");
    const JsonPlace kind_place = top.member("proof_kind");
    const auto kind = proof_kind(kind_place.text());
    if (!kind) kind_place.fail("names no kind of proof");
    const u64 registered = top.member("registered_proof").unsigned_number();
    const SectorShape shape =
        sector_shape(top.has("sector_size") ? top.member("sector_size").unsigned_number()
                                            : size_of_registered(registered));
    switch (*kind) {
        case ProofKind::kPorepSealCommit: return porep(top, shape, registered);
        case ProofKind::kSnapDealsUpdate: return update(top, shape);
        case ProofKind::kWindowPost: return post(top, shape, false, registered);
        case ProofKind::kWinningPost: break;
    }
    return post(top, shape, true, registered);
}

}  // namespace cuzk::filecoin
