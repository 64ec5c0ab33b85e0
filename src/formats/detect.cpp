#include "formats/detect.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/byte_reader.hpp"
#include "formats/assignment.hpp"
#include "formats/bellman_layout.hpp"
#include "formats/iden3_container.hpp"
#include "formats/json_text.hpp"
#include "formats/key_cache_layout.hpp"
#include "formats/proof_bytes.hpp"
#include "formats/r1cs_file.hpp"
#include "formats/snarkjs_json.hpp"
#include "formats/wtns.hpp"
#include "formats/zkey.hpp"

namespace cuzk {

namespace {

bool starts_with(std::span<const u8> bytes, std::string_view text) {
    return bytes.size() >= text.size() && std::equal(text.begin(), text.end(), bytes.begin());
}

// The curve that a header names, or nothing if the header is damaged or of another curve.
template <class Read>
std::optional<CurveId> curve_or_nothing(const Read& read) {
    try {
        return read();
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::optional<FileKind> detect_json(const ByteSource& source) {
    std::size_t first = 0;
    while (first < source.bytes.size() &&
           std::string_view(" \t\r\n").find(static_cast<char>(source.bytes[first])) != std::string_view::npos)
        ++first;
    if (first == source.bytes.size() || (source.bytes[first] != '{' && source.bytes[first] != '['))
        return std::nullopt;
    try {
        const auto document = parse_json(source);
        if (document.is_array()) return FileKind::kPublicJson;
        if (document.contains("pi_a")) return FileKind::kProofJson;
        if (document.contains("vk_alpha_1")) return FileKind::kVkJson;
    } catch (const Error&) {
        return std::nullopt;
    }
    return std::nullopt;
}

// No magic numbers here: the flag bits of the first point, and the ic count against the length.
std::optional<FileKind> detect_bellman(std::span<const u8> bytes) {
    using namespace bellman;
    if (bytes.empty()) return std::nullopt;
    const bool compressed = (bytes[0] & 0x80) != 0;
    if (compressed)
        return bytes.size() % kProofBytes == 0 ? std::optional(FileKind::kProofBytes) : std::nullopt;
    ByteReader reader("", "", bytes);
    if ((bytes[0] & 0xe0) != 0 || bytes.size() < kFixedBytes + 4) return std::nullopt;
    reader.skip(kFixedBytes, "points");
    const u64 ic = reader.read_u32_be("count");
    if (ic == 0 || ic > reader.remaining() / kG1Bytes) return std::nullopt;
    reader.skip(ic * kG1Bytes, "points");
    return reader.at_end() ? FileKind::kBellmanVk : FileKind::kParams;
}

}  // namespace

const char* kind_name(FileKind kind) {
    switch (kind) {
        case FileKind::kZkey: return "zkey";
        case FileKind::kWtns: return "wtns";
        case FileKind::kR1cs: return "r1cs";
        case FileKind::kPtau: return "ptau";
        case FileKind::kParams: return "params";
        case FileKind::kBellmanVk: return "vk";
        case FileKind::kProofBytes: return "proof";
        case FileKind::kAssignment: return "assignment";
        case FileKind::kProofJson: return "proof.json";
        case FileKind::kPublicJson: return "public.json";
        case FileKind::kVkJson: return "vk.json";
        case FileKind::kKeyCache: return "key-cache";
        case FileKind::kUnknown: break;
    }
    return "unknown";
}

const char* kind_description(FileKind kind) {
    switch (kind) {
        case FileKind::kZkey: return "snarkjs proving key";
        case FileKind::kWtns: return "snarkjs witness";
        case FileKind::kR1cs: return "circom constraint system";
        case FileKind::kPtau: return "snarkjs powers of tau";
        case FileKind::kParams: return "bellman proving key";
        case FileKind::kBellmanVk: return "bellman verifying key";
        case FileKind::kProofBytes: return "bellman proof";
        case FileKind::kAssignment: return "ready assignment";
        case FileKind::kProofJson: return "snarkjs proof";
        case FileKind::kPublicJson: return "snarkjs public inputs";
        case FileKind::kVkJson: return "snarkjs verification key";
        case FileKind::kKeyCache: return "key cache of a bellman proving key";
        case FileKind::kUnknown: break;
    }
    return "unknown file";
}

DetectedFile detect(const ByteSource& source) {
    const auto bytes = source.bytes;
    if (starts_with(bytes, "zkey"))
        return {FileKind::kZkey, curve_or_nothing([&] { return zkey_curve(source); })};
    if (starts_with(bytes, "wtns"))
        return {FileKind::kWtns, curve_or_nothing([&] { return wtns_curve(source); })};
    if (starts_with(bytes, "r1cs"))
        return {FileKind::kR1cs, curve_or_nothing([&] { return read_r1cs_header(source).curve; })};
    if (starts_with(bytes, "ptau")) return {FileKind::kPtau, std::nullopt};
    if (starts_with(bytes, kAssignmentMagic)) return {FileKind::kAssignment, CurveId::kBls12_381};
    if (starts_with(bytes, {reinterpret_cast<const char*>(key_cache::kMagic.data()), key_cache::kMagicBytes}))
        return {FileKind::kKeyCache, CurveId::kBls12_381};
    if (const auto kind = detect_json(source)) {
        if (*kind == FileKind::kPublicJson) return {*kind, std::nullopt};
        try {
            return {*kind, json_curve(source)};
        } catch (const Error&) {
            return {*kind, std::nullopt};
        }
    }
    if (const auto kind = detect_bellman(bytes)) return {*kind, CurveId::kBls12_381};
    return {};
}

DetectedFile expect_kind(const ByteSource& source, std::initializer_list<FileKind> wanted) {
    const DetectedFile file = detect(source);
    if (std::find(wanted.begin(), wanted.end(), file.kind) != wanted.end()) return file;
    if (source.bytes.empty()) throw Error(ErrorKind::kMalformed, source.name + ": the file is empty");
    std::string kinds;
    for (const FileKind kind : wanted)
        kinds += (kinds.empty() ? "" : " or ") + std::string(kind_description(kind));
    throw Error(ErrorKind::kMalformed,
                source.name + ": this is not a " + kinds + " but " +
                    (file.kind == FileKind::kUnknown ? "a file of an unknown kind, or a damaged one"
                                                     : std::string("a ") + kind_description(file.kind)));
}

CurveId curve_of(const DetectedFile& file, const std::string& name) {
    if (file.curve) return *file.curve;
    throw Error(ErrorKind::kMalformed, name + ": the file does not say which curve it is for");
}

}  // namespace cuzk
