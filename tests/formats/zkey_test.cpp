#include "formats/zkey.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <random>

#include "curve/subgroup.hpp"
#include "formats/curve_id.hpp"
#include "formats/r1cs_file.hpp"
#include "formats/snarkjs_json.hpp"
#include "formats/zkey_writer.hpp"
#include "iden3_editor.hpp"
#include "r1cs/matrix.hpp"

namespace cuzk::test {
namespace {

constexpr std::size_t kHeaderVariables = 4 + 32 + 4 + 32;  // offset in section 2, BN254

template <class C>
std::string fixture(const std::string& circuit, const std::string& file) {
    return circuit + "-" + C::kName + "/" + file;
}

template <class C>
class Zkey : public testing::Test {};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(Zkey, Curves);

TYPED_TEST(Zkey, AgreesWithTheVerificationKeyThatSnarkjsExported) {
    for (const auto& circuit : circuits()) {
        const ZkeyFile<TypeParam> file(data_file(fixture<TypeParam>(circuit, "circuit.zkey")));
        auto vk = file.vk();
        EXPECT_TRUE(vk.has_prover_points());
        vk.beta_g1 = vk.delta_g1 = Affine<typename TypeParam::G1>::infinity();
        EXPECT_EQ(vk, read_vk_json<TypeParam>(data_file(fixture<TypeParam>(circuit, "vkey.json"))))
            << circuit;
    }
}

TYPED_TEST(Zkey, MatricesAreThoseOfTheConstraintSystem) {
    using Fr = typename TypeParam::Fr;
    for (const auto& circuit : circuits()) {
        const auto key = read_zkey<TypeParam>(data_file(fixture<TypeParam>(circuit, "circuit.zkey")));
        const auto r1cs = read_r1cs<TypeParam>(data_file(fixture<TypeParam>(circuit, "circuit.r1cs"))).system;
        ASSERT_EQ(key.variables, r1cs.variables);
        ASSERT_EQ(key.public_inputs(), r1cs.public_inputs);
        ASSERT_EQ(key.a_matrix->rows(), r1cs.constraints() + r1cs.public_inputs + 1);
        const auto row = [](const SparseMatrix<Fr>& m, std::size_t i) {
            std::vector<std::pair<u32, Fr>> terms;
            m.for_each_term(i, [&](u32 column, const Fr& value) { terms.emplace_back(column, value); });
            return terms;
        };
        for (std::size_t i = 0; i < r1cs.constraints(); ++i) {
            ASSERT_EQ(row(*key.a_matrix, i), row(r1cs.a, i)) << circuit << " row " << i;
            ASSERT_EQ(row(*key.b_matrix, i), row(r1cs.b, i)) << circuit << " row " << i;
        }
        for (u32 i = 0; i <= r1cs.public_inputs; ++i) {
            const std::vector<std::pair<u32, Fr>> wanted{{i, Fr::one()}};
            ASSERT_EQ(row(*key.a_matrix, r1cs.constraints() + i), wanted);
        }
    }
}

TYPED_TEST(Zkey, RoundTripsByteForByte) {
    const TemporaryFolder folder;
    for (const auto& circuit : circuits()) {
        const auto original = data_path(fixture<TypeParam>(circuit, "circuit.zkey"));
        const ZkeyFile<TypeParam> file(ByteSource::open(original.string()));
        const auto transcript = file.transcript_bytes();
        const std::string copy = folder.file(circuit);
        write_zkey(copy, file.proving_key(), {transcript.begin(), transcript.end()});
        if (circuit == "mimc_merkle") continue;  // circom did not sort the terms of its rows; we do
        EXPECT_EQ(read_bytes(copy), read_bytes(original)) << circuit;
    }
    // Everything but the order of the terms
    Iden3Editor original(read_bytes(data_path(fixture<TypeParam>("mimc_merkle", "circuit.zkey"))));
    Iden3Editor copy(read_bytes(folder.file("mimc_merkle")));
    for (u32 id = 1; id <= 10; ++id)
        if (id != 4) {
            EXPECT_EQ(copy.section(id), original.section(id)) << id;
        }
    const auto entries = [](const Bytes& section) {
        std::vector<std::string> out;
        for (std::size_t at = 4; at < section.size(); at += 44)
            out.emplace_back(section.begin() + static_cast<std::ptrdiff_t>(at),
                             section.begin() + static_cast<std::ptrdiff_t>(at + 44));
        std::sort(out.begin(), out.end());
        return out;
    };
    EXPECT_EQ(entries(copy.section(4)), entries(original.section(4)));
}

TYPED_TEST(Zkey, SectionOrderDoesNotMatter) {
    const auto one = read_zkey<TypeParam>(data_file(fixture<TypeParam>("chain30", "circuit.zkey")));
    const auto other =
        read_zkey<TypeParam>(data_file(fixture<TypeParam>("chain30", "circuit-old-order.zkey")));
    EXPECT_EQ(one.vk, other.vk);
    EXPECT_EQ(*one.a_matrix, *other.a_matrix);
    EXPECT_EQ(*one.b_matrix, *other.b_matrix);
    EXPECT_EQ(std::memcmp(one.h.data(), other.h.data(), one.h.size() * sizeof(one.h[0])), 0);

    Iden3Editor editor(read_bytes(data_path(fixture<TypeParam>("chain30", "circuit.zkey"))));
    std::reverse(editor.sections.begin(), editor.sections.end());
    editor.sections.insert(editor.sections.begin() + 3, {77, Bytes(1000, 0xaa)});
    EXPECT_EQ(read_zkey<TypeParam>(editor.source()).vk, one.vk);
}

TYPED_TEST(Zkey, TellsWhoContributed) {
    const ZkeyFile<TypeParam> file(data_file(fixture<TypeParam>("chain30", "circuit.zkey")));
    const auto transcript = file.transcript();
    ASSERT_TRUE(transcript);
    EXPECT_EQ(transcript->contributions.size(), 1u);
    const ZkeyFile<TypeParam> fresh(data_file(fixture<TypeParam>("insecure", "circuit.zkey")));
    EXPECT_TRUE(fresh.transcript()->contributions.empty());

    Iden3Editor editor(read_bytes(data_path(fixture<TypeParam>("chain30", "circuit.zkey"))));
    editor.erase(10);
    const ZkeyFile<TypeParam> without(editor.source());
    EXPECT_FALSE(without.transcript());
    EXPECT_EQ(without.proving_key().vk, file.vk());
}

TYPED_TEST(Zkey, RefusesEveryTruncation) {
    for (const char* name : {"circuit.zkey", "circuit-old-order.zkey"}) {
        const Bytes file = read_bytes(data_path(fixture<TypeParam>("chain30", name)));
        std::vector<std::size_t> cuts;
        for (const std::size_t b : Iden3Editor(file).boundaries())
            for (const std::size_t cut : {b - 1, b, b + 1}) cuts.push_back(cut);
        std::mt19937 random(1);
        for (int i = 0; i < 300; ++i) cuts.push_back(random() % file.size());
        for (const std::size_t cut : cuts) {
            if (cut >= file.size()) continue;
            expect_refused(
                [&] {
                    read_zkey<TypeParam>(
                        in_memory(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(cut))));
                },
                {"mutated: ", "offset"});
        }
    }
}

TYPED_TEST(Zkey, RefusesMissingAndDuplicateSections) {
    const Bytes file = read_bytes(data_path(fixture<TypeParam>("multiplier", "circuit.zkey")));
    for (u32 id = 1; id <= 9; ++id) {
        Iden3Editor missing(file);
        missing.erase(id);
        expect_refused([&] { read_zkey<TypeParam>(missing.source()); },
                       {"section " + std::to_string(id) + " (", "is missing"});
        Iden3Editor twice(file);
        twice.sections.push_back({id, twice.section(id)});
        expect_refused([&] { read_zkey<TypeParam>(twice.source()); },
                       {"section " + std::to_string(id) + " (", "occurs twice"});
    }
}

TYPED_TEST(Zkey, RefusesSectionsOfTheWrongLength) {
    const Bytes file = read_bytes(data_path(fixture<TypeParam>("multiplier", "circuit.zkey")));
    for (u32 id = 1; id <= 10; ++id) {
        Iden3Editor longer(file);
        longer.section(id).push_back(0);
        expect_refused([&] { ZkeyFile<TypeParam>(longer.source()).transcript(); },
                       {"section " + std::to_string(id) + " ("});
        Iden3Editor shorter(file);
        shorter.section(id).pop_back();
        expect_refused([&] { ZkeyFile<TypeParam>(shorter.source()).transcript(); },
                       {"section " + std::to_string(id) + " ("});
    }
}

TYPED_TEST(Zkey, RefusesBadPoints) {
    using G1 = typename TypeParam::G1;
    const Bytes file = read_bytes(data_path(fixture<TypeParam>("chain30", "circuit.zkey")));
    constexpr std::size_t kPoint = sizeof(Affine<G1>);
    for (const u32 id : {3u, 5u, 6u, 8u, 9u}) {
        Iden3Editor off(file);
        off.section(id)[kPoint] ^= 1;  // x of point 1
        expect_refused([&] { read_zkey<TypeParam>(off.source()); }, {"point 1 is not on the curve"});
        Iden3Editor large(file);
        std::fill_n(large.section(id).begin() + kPoint, kPoint / 2, u8{0xff});
        expect_refused([&] { read_zkey<TypeParam>(large.source()); },
                       {"point 1 has a coordinate", "modulus"});
        if (id == 3) continue;  // part of the verifying key, which is always checked
        EXPECT_NO_THROW(read_zkey<TypeParam>(large.source(), {PointChecks::kNone, nullptr}));
    }
    Iden3Editor infinity(file);
    auto& header = infinity.section(2);
    std::fill(header.end() - 2 * static_cast<std::ptrdiff_t>(kPoint), header.end(), u8{0});
    expect_refused([&] { read_zkey<TypeParam>(infinity.source()); },
                   {"delta in G2 is the point at infinity"});
}

TEST(ZkeyBls, RefusesPointsOutsideTheSubgroupWhenAsked) {
    // (x, y) on y^2 = x^3 + 4 with the cofactor's order in it: the first x that gives a point
    using G1 = Bls12_381G1;
    Affine<G1> outside;
    for (u64 x = 1;; ++x) {
        outside.x = Bls12_381Fp::from_u64(x);
        const auto y = (outside.x.square() * outside.x + G1::b()).sqrt();
        if (!y) continue;
        outside.y = *y;
        if (!in_subgroup(outside)) break;
    }
    Iden3Editor editor(read_bytes(data_path("chain30-bls12381/circuit.zkey")));
    std::memcpy(editor.section(9).data() + 5 * sizeof outside, &outside, sizeof outside);
    EXPECT_NO_THROW(read_zkey<Bls12_381>(editor.source()));
    expect_refused(
        [&] {
            read_zkey<Bls12_381>(editor.source(), {PointChecks::kSubgroup, nullptr});
        },
        {"section 9 (H query)", "point 5", "outside the prime-order subgroup"});
    std::memcpy(editor.section(3).data() + sizeof outside, &outside, sizeof outside);
    expect_refused([&] { ZkeyFile<Bls12_381>(editor.source()); }, {"section 3 (IC)", "subgroup"});
}

TEST(ZkeyBn, RefusesLyingHeaders) {
    const Bytes file = read_bytes(data_path("chain30-bn128/circuit.zkey"));
    const auto with_u32 = [&](std::size_t offset, u32 value) {
        Iden3Editor editor(file);
        store_le(editor.section(2).data() + offset, 4, value);
        return editor.source();
    };
    expect_refused([&] { read_zkey<Bn254>(with_u32(kHeaderVariables, 0xffffffff)); }, {"the header implies"});
    expect_refused([&] { read_zkey<Bn254>(with_u32(kHeaderVariables, 0)); }, {"public inputs do not fit"});
    expect_refused([&] { read_zkey<Bn254>(with_u32(kHeaderVariables + 4, 32)); },
                   {"32 public inputs do not fit"});
    expect_refused([&] { read_zkey<Bn254>(with_u32(kHeaderVariables + 4, 3)); },
                   {"section 3 (IC)", "implies"});
    for (const u32 domain : {0u, 3u, 65u, 0xffffffffu})
        expect_refused([&] { read_zkey<Bn254>(with_u32(kHeaderVariables + 8, domain)); },
                       {"no power of two"});
    expect_refused([&] { read_zkey<Bn254>(with_u32(kHeaderVariables + 8, 1u << 31)); }, {"2^31", "beyond"});
    expect_refused([&] { read_zkey<Bn254>(with_u32(kHeaderVariables + 8, 128)); }, {"section 9 (H query)"});
    expect_refused([&] { read_zkey<Bn254>(with_u32(0, 33)); }, {"base field"}, ErrorKind::kUnsupported);
    expect_refused([&] { read_zkey<Bls12_381>(in_memory(file)); }, {"bn128", "bls12381"},
                   ErrorKind::kUnsupported);

    Iden3Editor plonk(file);
    plonk.section(1)[0] = 2;
    expect_refused([&] { read_zkey<Bn254>(plonk.source()); }, {"PLONK"}, ErrorKind::kUnsupported);
    Bytes version = file;
    version[4] = 2;
    expect_refused([&] { read_zkey<Bn254>(in_memory(version)); }, {"version 2"}, ErrorKind::kUnsupported);
}

TEST(ZkeyBn, RefusesBadCoefficients) {
    const Bytes file = read_bytes(data_path("chain30-bn128/circuit.zkey"));
    const auto with = [&](std::size_t field, std::size_t size, u64 value) {
        Iden3Editor editor(file);
        store_le(editor.section(4).data() + 4 + 7 * 44 + field, size, value);
        return editor.source();
    };
    expect_refused([&] { read_zkey<Bn254>(with(0, 4, 2)); },
                   {"section 4 (coefficients)", "entry 7", "matrix"});
    expect_refused([&] { read_zkey<Bn254>(with(4, 4, 64)); }, {"entry 7", "row 64 of 64"});
    expect_refused([&] { read_zkey<Bn254>(with(8, 4, 32)); }, {"entry 7", "variable 32 of 32"});
    expect_refused([&] { read_zkey<Bn254>(with(36, 8, ~u64{0})); }, {"entry 7", "coefficient", "modulus"});
    Iden3Editor count(file);
    store_le(count.section(4).data(), 4, 0x80000000);
    expect_refused([&] { read_zkey<Bn254>(count.source()); }, {"2147483648 coefficients need"});
}

TEST(ZkeyBn, RefusesOtherFiles) {
    expect_refused([] { read_zkey<Bn254>(data_file("chain30-bn128/circuit.r1cs")); },
                   {"this is a .r1cs file, a .zkey file is wanted"});
    expect_refused([] { read_zkey<Bn254>(data_file("chain30-bn128/proof.json")); }, {"not a .zkey file"});
    expect_refused([] { read_zkey<Bn254>(in_memory({})); }, {"0 are left"});
    expect_refused([] { ByteSource::open("/nonexistent/x.zkey"); }, {"/nonexistent/x.zkey", "No such file"},
                   ErrorKind::kEnvironment);
    expect_refused([] { ByteSource::open("/tmp"); }, {"directory"}, ErrorKind::kEnvironment);
}

// A section header may lie about 2^64 bytes; the sum of offset and length must not wrap.
TEST(ZkeyBn, RefusesSectionLengthsThatOverflow) {
    const Bytes file = read_bytes(data_path("multiplier-bn128/circuit.zkey"));
    for (const u64 length : {~u64{0}, ~u64{0} - 11, u64{1} << 63, u64{1} << 32}) {
        Bytes lying = file;
        store_le(lying.data() + 16, 8, length);
        expect_refused([&] { read_zkey<Bn254>(in_memory(lying)); }, {"section table", "claims"});
    }
    Bytes many = file;
    store_le(many.data() + 8, 4, 0xffffffff);
    expect_refused([&] { read_zkey<Bn254>(in_memory(many)); }, {"4294967295 sections"});
}

TEST(ZkeyBn, ReadsBeyondFourGibibytes) {
    const TemporaryFolder folder;
    const std::string path = folder.file("large.zkey");
    const Bytes file = read_bytes(data_path("chain30-bn128/circuit.zkey"));
    constexpr u64 kHole = (u64{1} << 32) + 4097;
    Bytes start(file.begin(), file.begin() + 12);
    store_le(start.data() + 8, 4, 11);
    start.resize(24);
    store_le(start.data() + 12, 4, 999);
    store_le(start.data() + 16, 8, kHole);
    const int fd = open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    ASSERT_GE(fd, 0);
    const bool written = pwrite(fd, start.data(), start.size(), 0) == static_cast<ssize_t>(start.size()) &&
                         pwrite(fd, file.data() + 12, file.size() - 12, static_cast<off_t>(24 + kHole)) ==
                             static_cast<ssize_t>(file.size() - 12);
    close(fd);
    if (!written) GTEST_SKIP() << "this file system takes no sparse files of over 4 GiB";
    const auto large = read_zkey<Bn254>(ByteSource::open(path));
    const auto small = read_zkey<Bn254>(data_file("chain30-bn128/circuit.zkey"));
    EXPECT_EQ(large.vk, small.vk);
    EXPECT_EQ(*large.a_matrix, *small.a_matrix);
    EXPECT_EQ(std::memcmp(large.h.data(), small.h.data(), small.h.size() * sizeof(small.h[0])), 0);
}

TEST(ZkeyBn, ARealKeyReads) {
    const auto source = data_file("darkforest_whitelist-bn128/circuit.zkey");
    EXPECT_EQ(zkey_curve(source), CurveId::kBn254);
    const auto key = read_zkey<Bn254>(source, {PointChecks::kSubgroup, nullptr});
    EXPECT_EQ(key.variables, 664u);
    EXPECT_EQ(key.domain(), 1024u);
    const auto transcript = ZkeyFile<Bn254>(source).transcript();
    ASSERT_TRUE(transcript);
    EXPECT_EQ(transcript->contributions.size(), 1u);
}

TEST(ZkeyBn, RandomDamageNeverCrashes) {
    const Bytes file = read_bytes(data_path("multiplier-bn128/circuit.zkey"));
    std::mt19937 random(7);
    for (int i = 0; i < 2000; ++i) {
        Bytes damaged = file;
        for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = static_cast<u8>(random());
        expect_no_crash([&] {
            const auto source = in_memory(damaged);
            const auto key = read_zkey<Bn254>(source);
            ZkeyFile<Bn254>(source).transcript();
        });
    }
}

}  // namespace
}  // namespace cuzk::test
