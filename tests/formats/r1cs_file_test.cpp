#include "formats/r1cs_file.hpp"

#include <random>

#include "iden3_editor.hpp"

namespace cuzk::test {
namespace {

template <class C>
class R1csFiles : public testing::Test {};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(R1csFiles, Curves);

TYPED_TEST(R1csFiles, RoundTrip) {
    const TemporaryFolder folder;
    for (const auto& circuit : circuits()) {
        const auto path = data_path(circuit + "-" + TypeParam::kName + "/circuit.r1cs");
        const auto file = read_r1cs<TypeParam>(ByteSource::open(path.string()));
        write_r1cs<TypeParam>(folder.file("r"), file);
        const auto again = read_r1cs<TypeParam>(ByteSource::open(folder.file("r")));
        EXPECT_EQ(again.system.a, file.system.a);
        EXPECT_EQ(again.system.b, file.system.b);
        EXPECT_EQ(again.system.c, file.system.c);
        EXPECT_EQ(again.wire_labels, file.wire_labels);
        EXPECT_EQ(std::filesystem::file_size(folder.file("r")), std::filesystem::file_size(path));
        // circom does not sort the terms of this one's rows; we do
        if (circuit == "mimc_merkle") continue;
        EXPECT_EQ(read_bytes(folder.file("r")), read_bytes(path)) << circuit;
    }
}

TEST(R1csFile, HeaderOfARealCircuit) {
    const auto header = read_r1cs_header(data_file("darkforest_whitelist-bn128/circuit.r1cs"));
    EXPECT_EQ(header.curve, CurveId::kBn254);
    EXPECT_EQ(header.constraints, 661u);
    EXPECT_EQ(header.wires, 664u);
    EXPECT_EQ(header.public_outputs + header.public_inputs, 2u);
}

TEST(R1csFileBad, EveryTruncation) {
    const Bytes file = read_bytes(data_path("chain30-bn128/circuit.r1cs"));
    for (std::size_t cut = 0; cut < file.size(); ++cut)
        expect_refused(
            [&] {
                read_r1cs<Bn254>(
                    in_memory(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(cut))));
            },
            {"mutated: ", "offset"});
}

TEST(R1csFileBad, LyingCounts) {
    const Bytes file = read_bytes(data_path("chain30-bn128/circuit.r1cs"));
    const auto with = [&](u32 section, std::size_t offset, u64 value) {
        Iden3Editor editor(file);
        store_le(editor.section(section).data() + offset, 4, value);
        return editor.source();
    };
    expect_refused([&] { read_r1cs<Bn254>(with(1, 60, 0xffffffff)); }, {"4294967295 constraints"});
    expect_refused([&] { read_r1cs<Bn254>(with(1, 60, 29)); }, {"bytes follow the last constraint"});
    expect_refused([&] { read_r1cs<Bn254>(with(1, 60, 31)); }, {"section 2 (constraints)"});
    expect_refused([&] { read_r1cs<Bn254>(with(1, 36, 0)); }, {"cannot hold the constant one"});
    expect_refused([&] { read_r1cs<Bn254>(with(1, 40, 0xffffffff)); }, {"cannot hold"});
    expect_refused([&] { read_r1cs<Bn254>(with(1, 36, 33)); }, {"section 3 (wire labels)"});
    expect_refused([&] { read_r1cs<Bn254>(with(2, 0, 0xffffffff)); }, {"4294967295 terms"});
    expect_refused([&] { read_r1cs<Bn254>(with(2, 4, 32)); }, {"constraint 0 has wire 32, there are 32"});
    expect_refused([&] { read_r1cs<Bn254>(with(2, 8 + 28, 0xffffffff)); },
                   {"constraint 0", "coefficient", "modulus"});
}

TEST(R1csFileBad, CustomGatesAndOtherFiles) {
    const Bytes file = read_bytes(data_path("chain30-bn128/circuit.r1cs"));
    for (const u32 id : {4u, 5u}) {
        Iden3Editor gates(file);
        gates.sections.push_back({id, Bytes{1, 0, 0, 0}});
        expect_refused([&] { read_r1cs<Bn254>(gates.source()); }, {"custom gates"}, ErrorKind::kUnsupported);
        gates.section(id) = Bytes{0, 0, 0, 0};
        EXPECT_NO_THROW(read_r1cs<Bn254>(gates.source()));
    }
    expect_refused([&] { read_r1cs<Bls12_381>(in_memory(file)); }, {"bn128", "bls12381"},
                   ErrorKind::kUnsupported);
    expect_refused([] { read_r1cs<Bn254>(data_file("chain30-bn128/witness.wtns")); },
                   {"this is a .wtns file, a .r1cs file is wanted"});
    for (const u32 id : {1u, 2u}) {
        Iden3Editor missing(file);
        missing.erase(id);
        expect_refused([&] { read_r1cs<Bn254>(missing.source()); }, {"is missing"});
        Iden3Editor twice(file);
        twice.sections.push_back({id, twice.section(id)});
        expect_refused([&] { read_r1cs<Bn254>(twice.source()); }, {"occurs twice"});
    }
    Iden3Editor labels(file);
    labels.erase(3);
    EXPECT_TRUE(read_r1cs<Bn254>(labels.source()).wire_labels.empty());
}

TEST(R1csFileBad, RandomDamageNeverCrashes) {
    const Bytes file = read_bytes(data_path("chain30-bls12381/circuit.r1cs"));
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i) {
        Bytes damaged = file;
        for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = static_cast<u8>(random());
        expect_no_crash([&] { read_r1cs<Bls12_381>(in_memory(damaged)); });
    }
}

}  // namespace
}  // namespace cuzk::test
