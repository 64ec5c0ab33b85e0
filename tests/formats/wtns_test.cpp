#include "formats/wtns.hpp"

#include <random>

#include "formats/r1cs_file.hpp"
#include "formats/snarkjs_json.hpp"
#include "iden3_editor.hpp"

namespace cuzk::test {
namespace {

template <class C>
std::string fixture(const std::string& circuit, const std::string& file) {
    return circuit + "-" + C::kName + "/" + file;
}

template <class C>
class Wtns : public testing::Test {};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(Wtns, Curves);

TYPED_TEST(Wtns, SatisfiesItsCircuitAndHoldsThePublicInputs) {
    for (const auto& circuit : circuits()) {
        const auto source = data_file(fixture<TypeParam>(circuit, "witness.wtns"));
        const auto z = read_wtns<TypeParam>(source);
        EXPECT_EQ(wtns_size(source), z.size());
        EXPECT_EQ(wtns_curve(source), curve_id<TypeParam>());
        const auto r1cs = read_r1cs<TypeParam>(data_file(fixture<TypeParam>(circuit, "circuit.r1cs"))).system;
        EXPECT_FALSE(r1cs.first_violation(z)) << circuit;
        const auto inputs =
            read_public_json<TypeParam>(data_file(fixture<TypeParam>(circuit, "public.json")));
        ASSERT_EQ(inputs.size(), r1cs.public_inputs);
        for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_EQ(inputs[i], z[i + 1]);
    }
}

TYPED_TEST(Wtns, RoundTripsByteForByte) {
    const TemporaryFolder folder;
    for (const auto& circuit : circuits()) {
        const auto original = data_path(fixture<TypeParam>(circuit, "witness.wtns"));
        write_wtns<TypeParam>(folder.file("w"), read_wtns<TypeParam>(ByteSource::open(original.string())));
        EXPECT_EQ(read_bytes(folder.file("w")), read_bytes(original)) << circuit;
    }
}

TEST(WtnsBad, EveryTruncation) {
    const Bytes file = read_bytes(data_path("chain30-bn128/witness.wtns"));
    for (std::size_t cut = 0; cut < file.size(); ++cut)
        expect_refused(
            [&] {
                read_wtns<Bn254>(
                    in_memory(Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(cut))));
            },
            {"mutated: ", "offset"});
}

TEST(WtnsBad, CountAndBodyDisagree) {
    const Bytes file = read_bytes(data_path("multiplier-bn128/witness.wtns"));  // 4 values
    for (const u32 count : {0u, 3u, 5u, 0xffffffffu}) {
        Iden3Editor editor(file);
        store_le(editor.section(1).data() + 36, 4, count);
        expect_refused([&] { read_wtns<Bn254>(editor.source()); },
                       {"section 2 (values)", std::to_string(count) + " values", "128 bytes"});
        expect_refused([&] { wtns_size(editor.source()); });
    }
    // The header is right, the body holds one value: what must never be read past its end.
    Iden3Editor one(file);
    one.section(2).resize(32);
    expect_refused([&] { read_wtns<Bn254>(one.source()); }, {"4 values (128 bytes)", "32 bytes"});
    Iden3Editor none(file);
    none.section(2).clear();
    store_le(none.section(1).data() + 36, 4, 0);
    expect_refused([&] { read_wtns<Bn254>(none.source()); }, {"empty"});
}

TEST(WtnsBad, Values) {
    const Bytes file = read_bytes(data_path("multiplier-bn128/witness.wtns"));
    Iden3Editor large(file);
    std::fill_n(large.section(2).begin() + 64, 32, u8{0xff});
    expect_refused([&] { read_wtns<Bn254>(large.source()); }, {"variable 2", "modulus"});
    // r itself, which is zero modulo r
    Iden3Editor modulus(file);
    std::copy_n(modulus.section(1).begin() + 4, 32, modulus.section(2).begin() + 32);
    expect_refused([&] { read_wtns<Bn254>(modulus.source()); }, {"variable 1", "modulus"});
    Iden3Editor two(file);
    two.section(2)[0] = 2;
    expect_refused([&] { read_wtns<Bn254>(two.source()); }, {"constant one"});
}

TEST(WtnsBad, OtherFilesAndFields) {
    const Bytes file = read_bytes(data_path("multiplier-bn128/witness.wtns"));
    expect_refused([&] { read_wtns<Bls12_381>(in_memory(file)); }, {"bn128", "bls12381"},
                   ErrorKind::kUnsupported);
    Iden3Editor field(file);
    field.section(1)[10] ^= 1;
    expect_refused([&] { read_wtns<Bn254>(field.source()); }, {"section 1 (header)", "field"},
                   ErrorKind::kUnsupported);
    expect_refused([] { read_wtns<Bn254>(data_file("multiplier-bn128/circuit.zkey")); },
                   {"this is a .zkey file, a .wtns file is wanted"});
    Bytes version = file;
    version[4] = 1;
    expect_refused([&] { read_wtns<Bn254>(in_memory(version)); }, {"version 1"}, ErrorKind::kUnsupported);
    for (const u32 id : {1u, 2u}) {
        Iden3Editor missing(file);
        missing.erase(id);
        expect_refused([&] { read_wtns<Bn254>(missing.source()); }, {"is missing"});
        Iden3Editor twice(file);
        twice.sections.push_back({id, twice.section(id)});
        expect_refused([&] { read_wtns<Bn254>(twice.source()); }, {"occurs twice"});
    }
    Iden3Editor reversed(file);
    std::reverse(reversed.sections.begin(), reversed.sections.end());
    EXPECT_EQ(read_wtns<Bn254>(reversed.source()), read_wtns<Bn254>(in_memory(file)));
}

}  // namespace
}  // namespace cuzk::test
