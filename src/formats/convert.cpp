#include "formats/convert.hpp"

#include <fmt/format.h>

#include <type_traits>

#include "base/output_file.hpp"
#include "formats/bellman.hpp"
#include "formats/proof_bytes.hpp"
#include "formats/r1cs_file.hpp"
#include "formats/snarkjs_json.hpp"
#include "formats/transcript_change.hpp"
#include "formats/zkey.hpp"
#include "formats/zkey_sections.hpp"
#include "formats/zkey_writer.hpp"
#include "groth16/family_change.hpp"

namespace cuzk {

namespace {

[[noreturn]] void no_such_conversion(const ByteSource& source, FileKind from, FileKind to) {
    throw Error(ErrorKind::kUsage, fmt::format("{}: a {} cannot be converted to {}", source.name,
                                               kind_description(from), kind_name(to)));
}

void require_bls(const ByteSource& source, std::optional<CurveId> curve) {
    if (curve && *curve != CurveId::kBls12_381)
        throw Error(ErrorKind::kUnsupported, fmt::format("{}: is for {}; bellman's files are for bls12381",
                                                         source.name, curve_name(*curve)));
}

void zkey_to_params(const ByteSource& source, const std::string& path, const ConvertOptions& options) {
    require_bls(source, zkey_curve(source));
    const ZkeyFile<Bls12_381> file(source);
    const auto key =
        bellman_from_snarkjs(file.proving_key({PointChecks::kSubgroup, options.progress}), options.progress);
    std::vector<u8> transcript;
    if (!file.transcript_bytes().empty())
        transcript = params_transcript_from_zkey(file.container().open(zkey::kTranscript));
    write_params(path, key, transcript);
}

void params_to_zkey(const ByteSource& source, const std::string& path, const ConvertOptions& options) {
    if (!options.r1cs)
        throw Error(ErrorKind::kUsage,
                    fmt::format("{}: a .zkey needs the circuit's matrices, which a .params file lacks: "
                                "give the .r1cs as well",
                                source.name));
    const ParamsFile file(source);
    const auto circuit = read_r1cs<Bls12_381>(*options.r1cs, options.progress);
    const auto key = snarkjs_from_bellman(file.proving_key({PointChecks::kSubgroup, options.progress}),
                                          circuit.system, options.progress);
    std::vector<u8> transcript;
    if (const auto bytes = file.transcript(); !bytes.empty())
        transcript = zkey_transcript_from_params(
            ByteReader(source.name, "setup transcript", bytes, source.bytes.size() - bytes.size()));
    write_zkey(path, key, std::move(transcript));
}

// Decodes and checks everything, and writes it anew: the same bytes, if the file is sound.
void params_to_params(const ByteSource& source, const std::string& path, const ConvertOptions& options) {
    const ParamsFile file(source);
    write_params(path, file.proving_key({PointChecks::kSubgroup, options.progress}), file.transcript());
}

// The curve of whatever holds a verifying key; files that name none are snarkjs' BN254.
CurveId vk_curve(const ByteSource& source, const DetectedFile& detected) {
    if (detected.kind == FileKind::kZkey) return zkey_curve(source);
    if (detected.kind == FileKind::kVkJson) return json_curve(source).value_or(CurveId::kBn254);
    return CurveId::kBls12_381;
}

bool holds_vk(FileKind kind) {
    return kind == FileKind::kZkey || kind == FileKind::kParams || kind == FileKind::kBellmanVk ||
           kind == FileKind::kVkJson;
}

void bytes_to_proof_json(const ByteSource& source, const std::string& path, std::size_t index) {
    const auto proofs = read_proof_bytes(source);
    if (index >= proofs.size())
        throw Error(ErrorKind::kUsage, fmt::format("{}: holds {} proofs, there is no proof {}", source.name,
                                                   proofs.size(), index));
    write_file(path, proof_to_json(proofs[index]));
}

bool ends_with(const std::string& text, std::string_view ending) {
    return text.size() >= ending.size() &&
           std::string_view(text).substr(text.size() - ending.size()) == ending;
}

}  // namespace

template <class C>
VerifyingKey<C> read_any_vk(const ByteSource& source) {
    const DetectedFile detected = detect(source);
    if (detected.kind == FileKind::kZkey) return ZkeyFile<C>(source).vk();
    if (detected.kind == FileKind::kVkJson) return read_vk_json<C>(source);
    if constexpr (std::is_same_v<C, Bls12_381>) {
        if (detected.kind == FileKind::kParams) return ParamsFile(source).vk();
        if (detected.kind == FileKind::kBellmanVk) return read_bellman_vk(source);
    }
    throw Error(ErrorKind::kMalformed,
                fmt::format("{}: {} ({}) holds no verifying key for {}", source.name,
                            kind_description(detected.kind), kind_name(detected.kind), C::kName));
}

template <class C>
Proof<C> read_any_proof(const ByteSource& source) {
    const DetectedFile file = expect_kind(source, {FileKind::kProofJson, FileKind::kProofBytes});
    if (file.curve && *file.curve != curve_id<C>())
        throw Error(ErrorKind::kMalformed, fmt::format("{}: a proof over {}, but the verifying key is for {}",
                                                       source.name, curve_name(*file.curve), C::kName));
    if (file.kind == FileKind::kProofJson) return read_proof_json<C>(source);
    if constexpr (std::is_same_v<C, Bls12_381>) {
        const std::vector<Proof<C>> proofs = read_proof_bytes(source);
        if (proofs.size() == 1) return proofs[0];
        throw Error(ErrorKind::kUnsupported, fmt::format("{}: {} proofs in one file; verify them one by one",
                                                         source.name, proofs.size()));
    }
    throw Error(ErrorKind::kMalformed, source.name + ": 192-byte proofs are for bls12381");
}

void convert(const ByteSource& source, FileKind target, const std::string& path,
             const ConvertOptions& options) {
    const DetectedFile from = detect(source);
    if (from.kind == FileKind::kUnknown)
        throw Error(ErrorKind::kMalformed, fmt::format("{}: no known kind of file", source.name));
    switch (target) {
        case FileKind::kParams:
            if (from.kind == FileKind::kZkey) return zkey_to_params(source, path, options);
            if (from.kind == FileKind::kParams) return params_to_params(source, path, options);
            break;
        case FileKind::kZkey:
            if (from.kind == FileKind::kParams) return params_to_zkey(source, path, options);
            break;
        case FileKind::kVkJson:
            if (holds_vk(from.kind))
                return with_curve(vk_curve(source, from),
                                  [&]<class C>(C) { write_file(path, vk_to_json(read_any_vk<C>(source))); });
            break;
        case FileKind::kBellmanVk:
            if (holds_vk(from.kind)) {
                require_bls(source, vk_curve(source, from));
                return write_bellman_vk(path, read_any_vk<Bls12_381>(source));
            }
            break;
        case FileKind::kProofJson:
            if (from.kind == FileKind::kProofBytes)
                return bytes_to_proof_json(source, path, options.proof_index);
            break;
        case FileKind::kProofBytes:
            if (from.kind == FileKind::kProofJson) {
                require_bls(source, json_curve(source));
                return write_file(path, proof_to_bytes(read_proof_json<Bls12_381>(source)));
            }
            break;
        default: break;
    }
    no_such_conversion(source, from.kind, target);
}

std::optional<FileKind> target_from_name(const std::string& path, FileKind source) {
    if (ends_with(path, ".zkey")) return FileKind::kZkey;
    if (ends_with(path, ".params")) return FileKind::kParams;
    if (ends_with(path, ".vk")) return FileKind::kBellmanVk;
    if (ends_with(path, ".bin") || ends_with(path, ".proof")) return FileKind::kProofBytes;
    if (ends_with(path, ".json"))
        return source == FileKind::kProofBytes ? FileKind::kProofJson : FileKind::kVkJson;
    return std::nullopt;
}

template VerifyingKey<Bn254> read_any_vk<Bn254>(const ByteSource&);
template VerifyingKey<Bls12_381> read_any_vk<Bls12_381>(const ByteSource&);
template Proof<Bn254> read_any_proof<Bn254>(const ByteSource&);
template Proof<Bls12_381> read_any_proof<Bls12_381>(const ByteSource&);

}  // namespace cuzk
