#include "formats/convert.hpp"

#include "formats/circuit_hash.hpp"
#include "formats/inspect.hpp"
#include "formats/proof_bytes.hpp"
#include "formats/snarkjs_json.hpp"
#include "formats/zkey.hpp"
#include "formats/zkey_writer.hpp"
#include "groth16/basis_change.hpp"
#include "groth16/cpu_backend.hpp"
#include "groth16/family_change.hpp"
#include "groth16/prover.hpp"
#include "iden3_editor.hpp"
#include "key_fixtures.hpp"

namespace cuzk::test {
namespace {

template <class C>
class CircuitHash : public testing::Test {};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(CircuitHash, Curves);

// snarkjs computed the hash from the powers of tau; we have only their Lagrange combination. Equality says that the
// change of basis is exact.
TYPED_TEST(CircuitHash, IsTheOneThatSnarkjsWrote) {
    const ZkeyFile<TypeParam> file(data_file(std::string("insecure-") + TypeParam::kName + "/circuit.zkey"));
    EXPECT_EQ(circuit_hash(file.proving_key()), file.transcript()->circuit_hash);
}

TEST(BasisChange, ThereAndBackAgreeOnQuotients) {
    using G1 = Bls12_381G1;
    const ZkeyFile<Bls12_381> file(data_file("chain30-bls12381/circuit.zkey"));
    const auto powers = lagrange_to_powers(file.h());
    const auto lagrange = powers_to_lagrange<G1>(std::span<const Affine<G1>>(powers));
    const auto again = lagrange_to_powers<G1>(std::span<const Affine<G1>>(lagrange));
    EXPECT_EQ(again, powers);
}

void prove_with_zkey(const std::string& path, const std::string& circuit) {
    const auto key =
        std::make_shared<const ProvingKey<Bls12_381>>(read_zkey<Bls12_381>(ByteSource::open(path)));
    const auto z = read_wtns<Bls12_381>(data_file(circuit + "-bls12381/witness.wtns"));
    CpuBackend<Bls12_381> backend;
    EXPECT_NO_THROW(Prover<Bls12_381>(backend, key).prove(z)) << circuit;
}

TEST(Convert, ParamsToZkeyProves) {
    const TemporaryFolder folder;
    for (const char* circuit : {"multiplier", "factor33", "linear", "chain30", "mimc_merkle"}) {
        make_params(circuit, folder.file("k.params"));
        ConvertOptions options;
        options.r1cs = data_file(std::string(circuit) + "-bls12381/circuit.r1cs");
        const auto source = ByteSource::open(folder.file("k.params"));
        convert(source, FileKind::kZkey, folder.file("k.zkey"), options);
        prove_with_zkey(folder.file("k.zkey"), circuit);
        // and back: the same bytes, since the powers of H survive
        convert(ByteSource::open(folder.file("k.zkey")), FileKind::kParams, folder.file("back.params"));
        const Bytes before = read_bytes(folder.file("k.params"));
        Bytes after = read_bytes(folder.file("back.params"));
        ASSERT_EQ(after.size(), before.size() + 68);  // the .zkey's empty transcript
        after.resize(before.size());
        EXPECT_TRUE(after == before) << circuit;
    }
    ConvertOptions wrong;
    wrong.r1cs = data_file("bits-bls12381/circuit.r1cs");
    const auto source = ByteSource::open(folder.file("k.params"));
    expect_refused([&] { convert(source, FileKind::kZkey, folder.file("x"), wrong); },
                   {"not the key of this circuit"});
    expect_refused([&] { convert(source, FileKind::kZkey, folder.file("x")); }, {".r1cs"}, ErrorKind::kUsage);
    EXPECT_FALSE(std::filesystem::exists(folder.file("x")));
}

TEST(Convert, ZkeyToParamsProves) {
    const TemporaryFolder folder;
    for (const char* name : {"multiplier", "factor33", "chain30", "bits", "mimc_merkle"}) {
        const std::string circuit = name;
        convert(data_file(circuit + "-bls12381/circuit.zkey"), FileKind::kParams, folder.file("k.params"));
        const ParamsFile file(ByteSource::open(folder.file("k.params")));
        EXPECT_EQ(file.contributions(), 1u);
        const auto key = std::make_shared<const ProvingKey<Bls12_381>>(file.proving_key());
        const auto r1cs = bls_circuit(circuit).system;
        const auto z = read_wtns<Bls12_381>(data_file(circuit + "-bls12381/witness.wtns"));
        const std::size_t stride = row_stride<Bls12_381Fr>(key->log_domain);
        const auto assignment = make_assignment(
            r1cs, z, key->domain(), [&](std::size_t i) { return (i * stride) & (key->domain() - 1); });
        CpuBackend<Bls12_381> backend;
        const auto proof = Prover<Bls12_381>(backend, key).prove(assignment);
        const auto vk = read_vk_json<Bls12_381>(data_file(circuit + "-bls12381/vkey.json"));
        EXPECT_TRUE(Verifier<Bls12_381>(vk).verify(proof, std::span(z).subspan(1, r1cs.public_inputs)))
            << circuit;
    }
    expect_refused(
        [&] { convert(data_file("chain30-bn128/circuit.zkey"), FileKind::kParams, folder.file("x")); },
        {"bn128"}, ErrorKind::kUnsupported);
}

TEST(Convert, TranscriptsSurviveBothWays) {
    const TemporaryFolder folder;
    const auto original = data_file("chain30-bls12381/circuit.zkey");
    convert(original, FileKind::kParams, folder.file("k.params"));
    ConvertOptions options;
    options.r1cs = data_file("chain30-bls12381/circuit.r1cs");
    const ParamsFile params(ByteSource::open(folder.file("k.params")));
    convert(params.source(), FileKind::kZkey, folder.file("k.zkey"), options);
    const auto before = ZkeyFile<Bls12_381>(original).transcript();
    const auto after = ZkeyFile<Bls12_381>(ByteSource::open(folder.file("k.zkey"))).transcript();
    EXPECT_EQ(after->circuit_hash, before->circuit_hash);
    EXPECT_EQ(after->contributions.size(), before->contributions.size());
    convert(ByteSource::open(folder.file("k.zkey")), FileKind::kParams, folder.file("again.params"));
    EXPECT_TRUE(read_bytes(folder.file("again.params")) == read_bytes(folder.file("k.params")));
}

TEST(Convert, ParamsAreRewrittenByteForByte) {
    const TemporaryFolder folder;
    convert(data_file("chain30-bls12381/circuit.zkey"), FileKind::kParams, folder.file("k.params"));
    convert(ByteSource::open(folder.file("k.params")), FileKind::kParams, folder.file("copy.params"));
    EXPECT_TRUE(read_bytes(folder.file("copy.params")) == read_bytes(folder.file("k.params")));
}

TEST(Convert, VerifyingKeysAndProofs) {
    const TemporaryFolder folder;
    const auto vkey = data_path("chain30-bls12381/vkey.json");
    convert(data_file("chain30-bls12381/circuit.zkey"), FileKind::kBellmanVk, folder.file("k.vk"));
    convert(ByteSource::open(folder.file("k.vk")), FileKind::kVkJson, folder.file("k.json"));
    EXPECT_EQ(read_text(folder.file("k.json")), read_text(vkey));
    convert(data_file("chain30-bls12381/vkey.json"), FileKind::kBellmanVk, folder.file("k2.vk"));
    convert(ByteSource::open(folder.file("k2.vk")), FileKind::kVkJson, folder.file("k.json"));
    EXPECT_EQ(read_text(folder.file("k.json")), read_text(vkey));
    convert(data_file("chain30-bn128/circuit.zkey"), FileKind::kVkJson, folder.file("bn.json"));
    EXPECT_EQ(read_text(folder.file("bn.json")), read_text(data_path("chain30-bn128/vkey.json")));

    const auto proof = data_path("chain30-bls12381/proof.json");
    convert(data_file("chain30-bls12381/proof.json"), FileKind::kProofBytes, folder.file("p.bin"));
    EXPECT_EQ(std::filesystem::file_size(folder.file("p.bin")), kProofBytes);
    convert(ByteSource::open(folder.file("p.bin")), FileKind::kProofJson, folder.file("p.json"));
    EXPECT_EQ(read_text(folder.file("p.json")), read_text(proof));
    ConvertOptions second;
    second.proof_index = 1;
    expect_refused(
        [&] {
            convert(ByteSource::open(folder.file("p.bin")), FileKind::kProofJson, folder.file("x"), second);
        },
        {"no proof 1"}, ErrorKind::kUsage);
    expect_refused(
        [&] { convert(data_file("chain30-bn128/proof.json"), FileKind::kProofBytes, folder.file("x")); },
        {"bn128"}, ErrorKind::kUnsupported);
    expect_refused(
        [&] { convert(data_file("chain30-bn128/witness.wtns"), FileKind::kZkey, folder.file("x")); },
        {"witness"}, ErrorKind::kUsage);
    EXPECT_FALSE(std::filesystem::exists(folder.file("x")));
}

TEST(Setup, WritesZkeysThatProve) {
    const TemporaryFolder folder;
    for (const auto& circuit : circuits()) {
        SeededRandom random(3);
        {
            ZkeySink<Bls12_381> sink(folder.file("k.zkey"));
            setup<Bls12_381>(KeyFamily::kSnarkjs, bls_circuit(circuit).system, random, sink);
        }
        prove_with_zkey(folder.file("k.zkey"), circuit);
        const auto transcript = ZkeyFile<Bls12_381>(ByteSource::open(folder.file("k.zkey"))).transcript();
        ASSERT_TRUE(transcript);
    }
    EXPECT_EQ(folder.files(), 1u);  // no temporary files left
}

TEST(Detect, TellsKindAndCurveByContent) {
    const TemporaryFolder folder;
    const auto is = [](const ByteSource& source, FileKind kind, std::optional<CurveId> curve) {
        const auto detected = detect(source);
        EXPECT_STREQ(kind_name(detected.kind), kind_name(kind)) << source.name;
        EXPECT_EQ(detected.curve, curve) << source.name;
    };
    for (const char* curve : {"bn128", "bls12381"}) {
        const auto id = curve_from_name(curve);
        const std::string base = std::string("chain30-") + curve + "/";
        is(data_file(base + "circuit.zkey"), FileKind::kZkey, id);
        is(data_file(base + "circuit.r1cs"), FileKind::kR1cs, id);
        is(data_file(base + "witness.wtns"), FileKind::kWtns, id);
        is(data_file(base + "proof.json"), FileKind::kProofJson, id);
        is(data_file(base + "vkey.json"), FileKind::kVkJson, id);
        is(data_file(base + "public.json"), FileKind::kPublicJson, std::nullopt);
    }
    make_params("chain30", folder.file("p"));
    is(ByteSource::open(folder.file("p")), FileKind::kParams, CurveId::kBls12_381);
    convert(ByteSource::open(folder.file("p")), FileKind::kBellmanVk, folder.file("v"));
    is(ByteSource::open(folder.file("v")), FileKind::kBellmanVk, CurveId::kBls12_381);
    convert(data_file("chain30-bls12381/proof.json"), FileKind::kProofBytes, folder.file("b"));
    is(ByteSource::open(folder.file("b")), FileKind::kProofBytes, CurveId::kBls12_381);
    is(in_memory({}), FileKind::kUnknown, std::nullopt);
    is(in_memory(Bytes(1000, 0x11)), FileKind::kUnknown, std::nullopt);
    is(in_memory({'p', 't', 'a', 'u'}), FileKind::kPtau, std::nullopt);
    is(in_memory({'{', '}'}), FileKind::kUnknown, std::nullopt);
}

TEST(Inspect, WarnsOfKeysThatAnyoneCanForgeUnder) {
    for (const char* curve : {"bn128", "bls12381"}) {
        for (const char* file : {"circuit.zkey", "vkey.json"}) {
            const auto bad = inspect(data_file(std::string("insecure-") + curve + "/" + file));
            EXPECT_TRUE(bad.has_danger()) << file;
            EXPECT_NE(to_text(bad).find("anyone can forge"), std::string::npos);
            const auto good = inspect(data_file(std::string("multiplier-") + curve + "/" + file));
            EXPECT_FALSE(good.has_danger()) << file;
        }
    }
}

TEST(Inspect, DescribesEveryKind) {
    const TemporaryFolder folder;
    make_params("chain30", folder.file("p"));
    convert(ByteSource::open(folder.file("p")), FileKind::kBellmanVk, folder.file("v"));
    convert(data_file("chain30-bls12381/proof.json"), FileKind::kProofBytes, folder.file("b"));
    std::vector<ByteSource> sources;
    for (const char* name : {"circuit.zkey", "circuit-old-order.zkey", "circuit.r1cs", "witness.wtns",
                             "proof.json", "vkey.json", "public.json"})
        sources.push_back(data_file(std::string("chain30-bls12381/") + name));
    for (const char* name : {"p", "v", "b"}) sources.push_back(ByteSource::open(folder.file(name)));
    for (const auto& source : sources) {
        const auto report = inspect(source, {true, nullptr});
        EXPECT_FALSE(report.has_danger()) << to_text(report);
        const auto json = nlohmann::json::parse(to_json(report));
        EXPECT_EQ(json["kind"], kind_name(report.kind));
        EXPECT_EQ(json["size"], source.bytes.size());
        EXPECT_EQ(report.sha256.size(), 64u);
        EXPECT_NE(to_text(report).find(report.blake2b), std::string::npos);
    }
    const auto report = inspect(sources[1]);
    EXPECT_EQ(report.facts["sections_ascending"], false);
    EXPECT_EQ(report.facts["log2_domain"], 6);
    EXPECT_EQ(report.facts["contributions"], 1);
    EXPECT_EQ(report.sections.size(), 10u);
}

TEST(Inspect, ADeepLookFindsBadPoints) {
    Iden3Editor editor(read_bytes(data_path("chain30-bn128/circuit.zkey")));
    editor.section(9)[64] ^= 1;
    EXPECT_FALSE(inspect(editor.source()).has_danger());
    const auto deep = inspect(editor.source(), {true, nullptr});
    EXPECT_TRUE(deep.has_danger());
    EXPECT_NE(to_text(deep).find("section 9 (H query)"), std::string::npos);
}

}  // namespace
}  // namespace cuzk::test
