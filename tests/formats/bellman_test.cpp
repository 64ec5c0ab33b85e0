#include "formats/bellman.hpp"

#include <nlohmann/json.hpp>

#include <random>

#include "formats/assignment.hpp"
#include "formats/proof_bytes.hpp"
#include "formats/snarkjs_json.hpp"
#include "groth16/cpu_backend.hpp"
#include "groth16/prover.hpp"
#include "iden3_editor.hpp"
#include "key_fixtures.hpp"

namespace cuzk::test {
namespace {

constexpr std::size_t kIcCount = 864;  // offset of the ic count

void store_be32(Bytes& bytes, std::size_t at, u32 value) {
    for (int i = 0; i < 4; ++i)
        bytes[at + static_cast<std::size_t>(i)] = static_cast<u8>(value >> (24 - 8 * i));
}
Bytes head(const Bytes& bytes, std::size_t size) {
    return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)};
}

Bytes params_of(const std::string& circuit) {
    const TemporaryFolder folder;
    make_params(circuit, folder.file("p"));
    return read_bytes(folder.file("p"));
}

// Offsets of the counts and ends of all parts.
std::vector<std::size_t> boundaries(const Bytes& params) {
    const ParamsFile file(in_memory(params));
    std::vector<std::size_t> out{96, 192, 384, 576, 672, kIcCount, kIcCount + 4};
    for (const auto& query : file.queries()) {
        out.push_back(query.offset - 4);
        out.push_back(query.offset);
    }
    return out;
}

TEST(Params, RoundTripByteForByte) {
    const TemporaryFolder folder;
    for (const char* circuit : {"multiplier", "factor33", "linear", "chain30", "mimc_merkle"}) {
        const Bytes original = params_of(circuit);
        const ParamsFile file(in_memory(original));
        EXPECT_TRUE(file.transcript().empty());
        write_params(folder.file("q"), file.proving_key());
        EXPECT_EQ(read_bytes(folder.file("q")), original) << circuit;
    }
}

TEST(Params, KeepTheTranscript) {
    const TemporaryFolder folder;
    Bytes original = params_of("chain30");
    original.insert(original.end(), 64, 0xab);
    original.insert(original.end(), {0, 0, 0, 2});
    original.insert(original.end(), 2 * ParamsFile::kContributionBytes, 0xcd);
    const ParamsFile file(in_memory(original));
    EXPECT_EQ(file.contributions(), 2u);
    write_params(folder.file("q"), file.proving_key(), file.transcript());
    EXPECT_EQ(read_bytes(folder.file("q")), original);

    for (const u32 count : {0u, 1u, 3u, 0xffffffffu}) {
        Bytes lying = original;
        store_be32(lying, original.size() - 2 * ParamsFile::kContributionBytes - 4, count);
        expect_refused([&] { ParamsFile{in_memory(lying)}; }, {"setup transcript", "contributions need"});
    }
}

TEST(Params, RefuseEveryTruncation) {
    const Bytes file = params_of("chain30");
    std::vector<std::size_t> cuts;
    for (const std::size_t b : boundaries(file))
        for (const std::size_t cut : {b - 1, b, b + 1}) cuts.push_back(cut);
    std::mt19937 random(5);
    for (int i = 0; i < 100; ++i) cuts.push_back(random() % file.size());
    cuts.push_back(file.size() - 1);
    for (const std::size_t cut : cuts)
        expect_refused([&] { ParamsFile{in_memory(head(file, cut))}; }, {"mutated: ", "offset"});
    Bytes longer = file;
    longer.push_back(0);
    expect_refused([&] { ParamsFile{in_memory(longer)}; },
                   {"setup transcript", "the circuit hash needs 64 bytes"});
}

TEST(Params, RefuseLyingCounts) {
    const Bytes file = params_of("chain30");
    const ParamsFile good(in_memory(file));
    for (std::size_t q = 0; q < 5; ++q) {
        for (const u64 count :
             {u64{0}, good.queries()[q].count - 1, good.queries()[q].count + 1, u64{0xffffffff}}) {
            Bytes lying = file;
            store_be32(lying, good.queries()[q].offset - 4, static_cast<u32>(count));
            expect_refused([&] { ParamsFile{in_memory(lying)}.proving_key(); }, {"mutated: "});
        }
    }
    for (const u32 count : {0u, 1u, 0x10000000u, 0xffffffffu}) {
        Bytes lying = file;
        store_be32(lying, kIcCount, count);
        expect_refused([&] { ParamsFile{in_memory(lying)}.proving_key(); }, {"mutated: "});
    }
}

TEST(Params, RefuseBadPoints) {
    const Bytes file = params_of("chain30");
    const ParamsFile good(in_memory(file));
    for (const auto& query : good.queries()) {
        const std::size_t at = query.offset + query.point_bytes;  // point 1
        const auto section = std::string(query.name) + " query";
        const auto refused = [&](Bytes bad, const char* reason) {
            expect_refused([&] { read_params(in_memory(std::move(bad))); }, {section, "point 1", reason});
        };
        Bytes off = file;
        off[at + query.point_bytes - 1] ^= 1;
        refused(off, "on the curve");
        EXPECT_NO_THROW(read_params(in_memory(off), {PointChecks::kNone, nullptr}));
        Bytes large = file;
        std::fill_n(large.begin() + static_cast<std::ptrdiff_t>(at), 48, u8{0x1f});
        refused(large, "below");
        Bytes infinity = file;
        std::fill_n(infinity.begin() + static_cast<std::ptrdiff_t>(at), query.point_bytes, u8{0});
        infinity[at] = 0x40;
        refused(infinity, "is the point at infinity");
        Bytes compressed = file;
        compressed[at] |= 0x80;
        refused(compressed, "");
    }
    Bytes delta = file;
    std::fill_n(delta.begin() + 672, 192, u8{0});
    delta[672] = 0x40;
    expect_refused([&] { ParamsFile{in_memory(delta)}; },
                   {"verifying key", "delta in G2 is the point at infinity"});
}

TEST(Params, RefusePointsOutsideTheSubgroup) {
    const auto vectors = nlohmann::json::parse(read_text(data_path("vectors/bls12_381.json")));
    const auto& point = vectors["off_subgroup"]["g1"][0];
    Bytes file = params_of("chain30");
    const ParamsFile good(in_memory(file));
    std::size_t at = good.queries()[2].offset + 96;
    for (int i = 0; i < 2; ++i) {
        const auto x = Bls12_381Fp::from_int(Bls12_381Fp::Int::from_hex(point[i].get<std::string>()));
        x.to_bytes_be(std::span<u8, 48>(file.data() + at, 48));
        at += 48;
    }
    expect_refused([&] { read_params(in_memory(file)); }, {"a query", "point 1", "subgroup"});
    EXPECT_NO_THROW(read_params(in_memory(file), {PointChecks::kCurve, nullptr}));
}

TEST(Params, ProveFromAReadyAssignment) {
    const TemporaryFolder folder;
    for (const char* circuit : {"multiplier", "factor33", "chain30"}) {
        make_params(circuit, folder.file("p"));
        const auto key =
            std::make_shared<const ProvingKey<Bls12_381>>(read_params(ByteSource::open(folder.file("p"))));
        const auto r1cs = bls_circuit(circuit).system;
        const auto z = read_wtns<Bls12_381>(data_file(std::string(circuit) + "-bls12381/witness.wtns"));
        const auto made = make_assignment(r1cs, z, r1cs.constraints() + r1cs.public_inputs + 1,
                                          [](std::size_t i) { return i; });
        write_assignment(folder.file("a"), made);
        const auto assignment = read_assignment(ByteSource::open(folder.file("a")));
        const Bytes first = read_bytes(folder.file("a"));
        write_assignment(folder.file("a"), assignment);
        EXPECT_EQ(read_bytes(folder.file("a")), first);
        CpuBackend<Bls12_381> backend;
        Prover<Bls12_381> prover(backend, key);
        const auto proof = prover.prove(assignment);  // verifies
        const auto bytes = proof_to_bytes(proof);
        EXPECT_EQ(read_proof_bytes(in_memory({bytes.begin(), bytes.end()}))[0], proof);
    }
}

TEST(BellmanVk, RoundTripAndDamage) {
    const TemporaryFolder folder;
    const Bytes params = params_of("chain30");
    const ParamsFile file(in_memory(params));
    write_bellman_vk(folder.file("vk"), file.vk());
    const Bytes vk = read_bytes(folder.file("vk"));
    EXPECT_EQ(vk, head(params, kIcCount + 4 + 3 * 96));  // a .vk is the start of its .params
    EXPECT_EQ(read_bellman_vk(in_memory(vk)), file.vk());
    for (std::size_t cut = 0; cut < vk.size(); cut += 7)
        expect_refused([&] { read_bellman_vk(in_memory(head(vk, cut))); }, {"verifying key"});
    Bytes longer = vk;
    longer.push_back(1);
    expect_refused([&] { read_bellman_vk(in_memory(longer)); }, {"1 bytes follow"});
    // A key from vk.json lacks two points that verifiers do not use.
    auto partial = file.vk();
    partial.beta_g1 = partial.delta_g1 = Affine<Bls12_381G1>::infinity();
    write_bellman_vk(folder.file("vk"), partial);
    EXPECT_EQ(read_bellman_vk(ByteSource::open(folder.file("vk"))), partial);
}

TEST(ProofBytes, StrictAndConcatenated) {
    const auto proof = read_proof_json<Bls12_381>(data_file("chain30-bls12381/proof.json"));
    const auto one = proof_to_bytes(proof);
    Bytes three;
    for (int i = 0; i < 3; ++i) three.insert(three.end(), one.begin(), one.end());
    EXPECT_EQ(read_proof_bytes(in_memory(three)), (std::vector<Proof<Bls12_381>>(3, proof)));
    for (const std::size_t size : {0u, 1u, 191u, 193u, 383u})
        expect_refused([&] { read_proof_bytes(in_memory(head(three, size))); }, {"192 bytes"});
    for (const std::size_t at : {0u, 48u, 144u}) {
        Bytes infinity = three;
        std::fill_n(infinity.begin() + 192 + static_cast<std::ptrdiff_t>(at), 48, u8{0});
        if (at == 48) std::fill_n(infinity.begin() + 192 + 48, 96, u8{0});
        infinity[192 + at] = 0xc0;
        expect_refused([&] { read_proof_bytes(in_memory(infinity)); }, {"proof 1", "infinity"});
        Bytes flags = three;
        flags[192 + at] &= 0x7f;
        expect_refused([&] { read_proof_bytes(in_memory(flags)); }, {"proof 1"});
        Bytes large = three;
        std::fill_n(large.begin() + 193 + static_cast<std::ptrdiff_t>(at), 47, u8{0xff});
        large[192 + at] |= 0x1f;
        expect_refused([&] { read_proof_bytes(in_memory(large)); }, {"proof 1", "below"});
    }
}

Bytes small_assignment() {
    const TemporaryFolder folder;
    const auto r1cs = bls_circuit("multiplier").system;
    const auto z = read_wtns<Bls12_381>(data_file("multiplier-bls12381/witness.wtns"));
    write_assignment(folder.file("a"), make_assignment(r1cs, z, 3, [](std::size_t i) { return i; }));
    return read_bytes(folder.file("a"));
}

TEST(AssignmentFile, RefusesDamage) {
    const Bytes file = small_assignment();
    for (std::size_t cut = 0; cut < file.size(); ++cut)
        expect_refused([&] { read_assignment(in_memory(head(file, cut))); }, {"mutated: "});
    const auto with = [&](std::size_t at, std::size_t n, u64 value) {
        Bytes bad = file;
        store_le(bad.data() + at, n, value);
        return in_memory(bad);
    };
    for (const std::size_t at : {8u, 16u, 24u})
        for (const u64 count : {u64{0}, ~u64{0}, u64{1} << 59, u64{1} << 61, u64{100}})
            expect_refused([&] { read_assignment(with(at, 8, count)); }, {"mutated: "});
    expect_refused([&] { read_assignment(with(32 + 24, 8, ~u64{0})); }, {"a values", "value 0", "modulus"});
    expect_refused([&] { read_assignment(with(32 + 9 * 32, 8, 2)); }, {"z values", "constant one"});
    expect_refused([&] { read_assignment(with(file.size() - 1, 1, 0xff)); }, {"b_aux density", "beyond"});
    Bytes longer = file;
    longer.push_back(0);
    expect_refused([&] { read_assignment(in_memory(longer)); }, {"1 bytes follow"});
    Bytes magic = file;
    magic[7] = '2';
    expect_refused([&] { read_assignment(in_memory(magic)); }, {"ASSIGN01"});
}

// Keys, proofs and an assignment by the network's own software.
class Oracle : public testing::Test {
protected:
    static std::filesystem::path find(const std::string& folder, const std::string& part,
                                      const std::string& ending) {
        const auto root = shared_path("oracle/" + folder);
        if (!std::filesystem::exists(root)) return {};
        for (const auto& entry : std::filesystem::directory_iterator(root)) {
            const auto name = entry.path().filename().string();
            if (name.find(part) != std::string::npos && name.ends_with(ending)) return entry.path();
        }
        return {};
    }
};

TEST_F(Oracle, WindowParametersRoundTrip) {
    const auto path = find("params", "0170db1f", ".params");
    if (path.empty()) GTEST_SKIP() << "no ../shared/oracle";
    const ParamsFile file(ByteSource::open(path.string()));
    const auto key = file.proving_key();
    EXPECT_EQ(file.vk(), read_bellman_vk(ByteSource::open(find("params", "0170db1f", ".vk").string())));
    const TemporaryFolder folder;
    write_params(folder.file("copy"), key, file.transcript());
    EXPECT_TRUE(read_bytes(folder.file("copy")) == read_bytes(path));
}

TEST_F(Oracle, VerifyingKeysProofsAndAssignmentRoundTrip) {
    const auto path = find("wpost-2KiB", "assignment-0", ".bin");
    if (path.empty()) GTEST_SKIP() << "no ../shared/oracle";
    const TemporaryFolder folder;
    write_assignment(folder.file("copy"), read_assignment(ByteSource::open(path.string())));
    EXPECT_TRUE(read_bytes(folder.file("copy")) == read_bytes(path));
    for (const auto& entry : std::filesystem::directory_iterator(shared_path("oracle/params"))) {
        if (entry.path().extension() != ".vk") continue;
        write_bellman_vk(folder.file("vk"), read_bellman_vk(ByteSource::open(entry.path().string())));
        EXPECT_EQ(read_bytes(folder.file("vk")), read_bytes(entry.path()));
    }
    for (const char* name : {"proof.bin", "proof-fixed.bin"}) {
        const auto proof = shared_path(std::string("oracle/wpost-2KiB/") + name);
        const auto bytes = proof_to_bytes(read_proof_bytes(ByteSource::open(proof.string())).at(0));
        EXPECT_EQ(Bytes(bytes.begin(), bytes.end()), read_bytes(proof));
    }
}

}  // namespace
}  // namespace cuzk::test
