#include "engine/request_content.hpp"

#include "base/byte_reader.hpp"
#include "base/output_file.hpp"
#include "formats/digest.hpp"

namespace cuzk::engine {

using filecoin::ProofKind;
using filecoin::ProofRequest;

namespace {

constexpr char kMagic[] = "CUZKREQ1";

// put(span of bytes) receives the encoding piece by piece, so that nothing large is copied.
template <class Put>
void encode(const ProofRequest& r, const Put& put) {
    const auto number = [&](u64 value, std::size_t bytes) {
        std::array<u8, 8> b{};
        for (std::size_t i = 0; i < bytes; ++i) b[i] = static_cast<u8>(value >> (8 * i));
        put(std::span<const u8>(b).first(bytes));
    };
    const auto blob = [&](const std::vector<u8>& bytes) {
        number(bytes.size(), 8);
        put(std::span<const u8>(bytes));
    };
    put(std::span<const u8>(reinterpret_cast<const u8*>(kMagic), 8));
    number(static_cast<u32>(r.kind), 4);
    for (const u64 value : {r.sector_size, r.registered_proof, r.sector_number, r.miner_id}) number(value, 8);
    number(r.partition_index, 4);
    for (const auto* bytes : {&r.vanilla_proof, &r.randomness, &r.comm_r_old, &r.comm_r_new, &r.comm_d_new})
        blob(*bytes);
    number(r.vanilla_proofs.size(), 8);
    for (const auto& bytes : r.vanilla_proofs) blob(bytes);
}

}  // namespace

ContentDigest content_digest(const ProofRequest& request) {
    Hasher hasher(Hasher::Algorithm::kSha256);
    encode(request, [&](std::span<const u8> bytes) { hasher.update(bytes); });
    ContentDigest digest{};
    hasher.finish(digest);
    return digest;
}

u64 content_bytes(const ProofRequest& r) {
    u64 bytes = r.vanilla_proof.size() + r.randomness.size() + r.comm_r_old.size() + r.comm_r_new.size() +
                r.comm_d_new.size();
    for (const auto& proof : r.vanilla_proofs) bytes += proof.size();
    return bytes;
}

void write_content(const ProofRequest& request, const std::string& path) {
    OutputFile file(path);
    encode(request, [&](std::span<const u8> bytes) { file.write(bytes); });
    file.commit();
}

ProofRequest read_content(const ByteSource& source) {
    ByteReader in(source.name, "request", source.bytes);
    const auto magic = in.take(8, "the magic bytes");
    if (!std::equal(magic.begin(), magic.end(), kMagic)) in.fail_at(0, "is no spooled request");
    const auto blob = [&](const char* what) {
        const auto bytes = in.take(in.read_u64_le(what), what);
        return std::vector<u8>(bytes.begin(), bytes.end());
    };
    ProofRequest r;
    const u32 kind = in.read_u32_le("the kind");
    if (kind < 1 || kind > 4) in.fail("unknown kind " + std::to_string(kind));
    r.kind = static_cast<ProofKind>(kind);
    for (u64* value : {&r.sector_size, &r.registered_proof, &r.sector_number, &r.miner_id})
        *value = in.read_u64_le("a number");
    r.partition_index = in.read_u32_le("the partition index");
    r.vanilla_proof = blob("vanilla_proof");
    r.randomness = blob("randomness");
    r.comm_r_old = blob("comm_r_old");
    r.comm_r_new = blob("comm_r_new");
    r.comm_d_new = blob("comm_d_new");
    const u64 count = in.read_u64_le("the number of vanilla_proofs");
    in.require_items(count, 8, "vanilla_proofs");
    for (u64 i = 0; i < count; ++i) r.vanilla_proofs.push_back(blob("vanilla_proofs"));
    in.expect_end("the request");
    return r;
}

}  // namespace cuzk::engine
