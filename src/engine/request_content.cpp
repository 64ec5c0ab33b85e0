#include "engine/request_content.hpp"

#include "base/byte_reader.hpp"
#include "base/output_file.hpp"
#include "formats/digest.hpp"

namespace cuzk::engine {

using filecoin::ProofKind;
using filecoin::ProofRequest;

namespace {

constexpr std::string_view kFilecoinMagic = "CUZKREQ1";
constexpr std::string_view kCircuitMagic = "CUZKWIT1";

// Hands an encoding to put(span of bytes) piece by piece, so that nothing large is copied.
template <class Put>
class Encoder {
public:
    explicit Encoder(const Put& put) : put_(put) {}

    void encode(const ProofRequest& r) const {
        text(kFilecoinMagic);
        number(static_cast<u32>(r.kind), 4);
        for (const u64 value : {r.sector_size, r.registered_proof, r.sector_number, r.miner_id})
            number(value, 8);
        number(r.partition_index, 4);
        for (const auto* bytes :
             {&r.vanilla_proof, &r.randomness, &r.comm_r_old, &r.comm_r_new, &r.comm_d_new})
            blob(*bytes);
        number(r.vanilla_proofs.size(), 8);
        for (const auto& bytes : r.vanilla_proofs) blob(bytes);
    }
    void encode(const CircuitRequest& r) const {
        text(kCircuitMagic);
        number(static_cast<u32>(r.encoding), 4);
        number(r.circuit_id.size(), 8);
        text(r.circuit_id);
        blob(r.witness);
    }

private:
    void number(u64 value, std::size_t bytes) const {
        std::array<u8, 8> b{};
        for (std::size_t i = 0; i < bytes; ++i) b[i] = static_cast<u8>(value >> (8 * i));
        put_(std::span<const u8>(b).first(bytes));
    }
    void text(std::string_view s) const {
        put_(std::span<const u8>(reinterpret_cast<const u8*>(s.data()), s.size()));
    }
    void blob(const std::vector<u8>& bytes) const {
        number(bytes.size(), 8);
        put_(std::span<const u8>(bytes));
    }

    const Put& put_;
};

template <class Put>
void encode(const JobContent& content, const Put& put) {
    std::visit([&](const auto& c) { Encoder<Put>(put).encode(c); }, content);
}

std::vector<u8> read_blob(ByteReader& in, const char* what) {
    const auto bytes = in.take(in.read_u64_le(what), what);
    return {bytes.begin(), bytes.end()};
}

ProofRequest read_filecoin(ByteReader& in) {
    ProofRequest r;
    const u32 kind = in.read_u32_le("the kind");
    if (kind < 1 || kind > 4) in.fail("unknown kind " + std::to_string(kind));
    r.kind = static_cast<ProofKind>(kind);
    for (u64* value : {&r.sector_size, &r.registered_proof, &r.sector_number, &r.miner_id})
        *value = in.read_u64_le("a number");
    r.partition_index = in.read_u32_le("the partition index");
    r.vanilla_proof = read_blob(in, "vanilla_proof");
    r.randomness = read_blob(in, "randomness");
    r.comm_r_old = read_blob(in, "comm_r_old");
    r.comm_r_new = read_blob(in, "comm_r_new");
    r.comm_d_new = read_blob(in, "comm_d_new");
    const u64 count = in.read_u64_le("the number of vanilla_proofs");
    in.require_items(count, 8, "vanilla_proofs");
    for (u64 i = 0; i < count; ++i) r.vanilla_proofs.push_back(read_blob(in, "vanilla_proofs"));
    return r;
}

CircuitRequest read_circuit(ByteReader& in) {
    CircuitRequest r;
    const u32 encoding = in.read_u32_le("the encoding");
    if (encoding < 1 || encoding > 2) in.fail("unknown encoding " + std::to_string(encoding));
    r.encoding = static_cast<CircuitRequest::Encoding>(encoding);
    const auto id = in.take(in.read_u64_le("the circuit's id"), "the circuit's id");
    r.circuit_id.assign(id.begin(), id.end());
    r.witness = read_blob(in, "the witness");
    return r;
}

}  // namespace

ContentDigest content_digest(const JobContent& content) {
    Hasher hasher(Hasher::Algorithm::kSha256);
    encode(content, [&](std::span<const u8> bytes) { hasher.update(bytes); });
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

u64 content_bytes(const CircuitRequest& r) {
    return r.witness.size();
}

u64 content_bytes(const JobContent& content) {
    return std::visit([](const auto& c) { return content_bytes(c); }, content);
}

void write_content(const JobContent& content, const std::string& path) {
    OutputFile file(path);
    encode(content, [&](std::span<const u8> bytes) { file.write(bytes); });
    file.commit();
}

JobContent read_content(const ByteSource& source) {
    ByteReader in(source.name, "request", source.bytes);
    const auto bytes = in.take(kFilecoinMagic.size(), "the magic bytes");
    const std::string_view magic(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (magic != kFilecoinMagic && magic != kCircuitMagic) in.fail_at(0, "is no spooled request");
    JobContent content =
        magic == kCircuitMagic ? JobContent(read_circuit(in)) : JobContent(read_filecoin(in));
    in.expect_end("the request");
    return content;
}

}  // namespace cuzk::engine
