#include "formats/proof_bytes.hpp"

#include <fmt/format.h>

#include "base/byte_reader.hpp"
#include "curve/encoding.hpp"

namespace cuzk {

namespace {

template <class G>
Affine<G> checked(ByteReader& reader, u64 at, const char* name, PointError error, const Affine<G>& point) {
    if (error != PointError::kNone) reader.fail_at(at, fmt::format("{} {}", name, describe(error)));
    if (point.is_infinity()) reader.fail_at(at, fmt::format("{} is the point at infinity", name));
    return point;
}

template <class G>
Affine<G> read_compressed(ByteReader& reader, const char* name) {
    const u64 at = reader.offset();
    Affine<G> point;
    const auto bytes = reader.take(kCompressedBytes<G>, name);
    const auto error = decode_compressed<G>(bytes.template first<kCompressedBytes<G>>(), point);
    return checked(reader, at, name, error, point);
}

template <class G>
Affine<G> read_uncompressed(ByteReader& reader, const char* name) {
    const u64 at = reader.offset();
    Affine<G> point;
    const auto bytes = reader.take(kUncompressedBytes<G>, name);
    const auto error = decode_uncompressed<G>(bytes.template first<kUncompressedBytes<G>>(), point);
    return checked(reader, at, name, error, point);
}

}  // namespace

std::vector<Proof<Bls12_381>> read_proof_bytes(const ByteSource& source) {
    ByteReader reader(source.name, "", source.bytes);
    if (source.bytes.empty() || source.bytes.size() % kProofBytes != 0)
        reader.fail(
            fmt::format("{} bytes are not one or more proofs of {} bytes", source.bytes.size(), kProofBytes));
    std::vector<Proof<Bls12_381>> proofs(source.bytes.size() / kProofBytes);
    for (std::size_t i = 0; i < proofs.size(); ++i) {
        reader.set_section(fmt::format("proof {}", i));
        proofs[i].a = read_compressed<Bls12_381G1>(reader, "A");
        proofs[i].b = read_compressed<Bls12_381G2>(reader, "B");
        proofs[i].c = read_compressed<Bls12_381G1>(reader, "C");
    }
    return proofs;
}

std::array<u8, kProofBytes> proof_to_bytes(const Proof<Bls12_381>& proof) {
    std::array<u8, kProofBytes> out{};
    const std::span<u8, kProofBytes> all(out);
    encode_compressed<Bls12_381G1>(proof.a, all.subspan<0, 48>());
    encode_compressed<Bls12_381G2>(proof.b, all.subspan<48, 96>());
    encode_compressed<Bls12_381G1>(proof.c, all.subspan<144, 48>());
    return out;
}

Proof<Bn254> read_bn254_proof_bytes(const ByteSource& source) {
    ByteReader reader(source.name, "", source.bytes);
    Proof<Bn254> proof;
    proof.a = read_uncompressed<Bn254G1>(reader, "A");
    proof.b = read_uncompressed<Bn254G2>(reader, "B");
    proof.c = read_uncompressed<Bn254G1>(reader, "C");
    reader.expect_end("the proof");
    return proof;
}

std::array<u8, kBn254ProofBytes> proof_to_bytes(const Proof<Bn254>& proof) {
    std::array<u8, kBn254ProofBytes> out{};
    const std::span<u8, kBn254ProofBytes> all(out);
    encode_uncompressed<Bn254G1>(proof.a, all.subspan<0, 64>());
    encode_uncompressed<Bn254G2>(proof.b, all.subspan<64, 128>());
    encode_uncompressed<Bn254G1>(proof.c, all.subspan<192, 64>());
    return out;
}

}  // namespace cuzk
