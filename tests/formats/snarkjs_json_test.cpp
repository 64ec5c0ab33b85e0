#include "formats/snarkjs_json.hpp"

#include <nlohmann/json.hpp>

#include "fixtures.hpp"
#include "formats/decimal.hpp"
#include "formats/zkey.hpp"
#include "groth16/verifier.hpp"

namespace cuzk::test {
namespace {

using Json = nlohmann::ordered_json;

template <class C>
std::string fixture(const std::string& circuit, const std::string& file) {
    return circuit + "-" + C::kName + "/" + file;
}
ByteSource json_source(const Json& document) {
    const std::string text = document.dump();
    return in_memory(Bytes(text.begin(), text.end()), "doc.json");
}
ByteSource text_source(const std::string& text) {
    return in_memory(Bytes(text.begin(), text.end()), "doc.json");
}
Json load(const std::string& name) {
    return Json::parse(read_text(data_path(name)));
}

template <class C>
class SnarkjsJson : public testing::Test {};
using Curves = testing::Types<Bn254, Bls12_381>;
TYPED_TEST_SUITE(SnarkjsJson, Curves);

TYPED_TEST(SnarkjsJson, WritesWhatSnarkjsWrites) {
    for (const auto& circuit : circuits()) {
        const auto path = [&](const char* file) { return fixture<TypeParam>(circuit, file); };
        const auto proof = read_proof_json<TypeParam>(data_file(path("proof.json")));
        const auto inputs = read_public_json<TypeParam>(data_file(path("public.json")));
        const auto vk = read_vk_json<TypeParam>(data_file(path("vkey.json")));
        EXPECT_EQ(proof_to_json(proof), read_text(data_path(path("proof.json")))) << circuit;
        EXPECT_EQ(public_to_json<TypeParam>(inputs), read_text(data_path(path("public.json")))) << circuit;
        EXPECT_EQ(vk_to_json(vk), read_text(data_path(path("vkey.json")))) << circuit;
        EXPECT_EQ(vk_to_json(ZkeyFile<TypeParam>(data_file(path("circuit.zkey"))).vk()),
                  read_text(data_path(path("vkey.json"))));
        EXPECT_EQ(vk_json_alphabeta_matches<TypeParam>(data_file(path("vkey.json")), vk), true);
        EXPECT_EQ(solidity_calldata<TypeParam>(proof, inputs), read_text(data_path(path("calldata.txt"))))
            << circuit;
        EXPECT_TRUE(Verifier<TypeParam>(vk).verify(proof, inputs)) << circuit;
    }
}

TYPED_TEST(SnarkjsJson, RefusesBadProofs) {
    const Json good = load(fixture<TypeParam>("chain30", "proof.json"));
    const auto refused = [&](const char* where, const Json& value, const char* reason) {
        Json bad = good;
        bad[Json::json_pointer(where)] = value;
        expect_refused([&] { read_proof_json<TypeParam>(json_source(bad)); }, {"doc.json: ", reason});
    };
    refused("/pi_a/0", "12x", "pi_a[0]: is not a decimal number");
    refused("/pi_a/0", "", "is not a decimal number");
    refused("/pi_a/0", "-1", "is not a decimal number");
    refused("/pi_a/0", "0x12", "is not a decimal number");
    refused("/pi_a/0", "007", "leading zeros");
    refused("/pi_a/0", 7, "is not a string");
    refused("/pi_a/0", std::string(10000, '9'), "modulus");
    refused("/pi_a/0", "5", "pi_a: is not on the curve");
    refused("/pi_a/2", "2", "third coordinate");
    refused("/pi_a/2", "0", "third coordinate");
    refused("/pi_a", Json::array(), "pi_a: has 0 elements, 3 are wanted");
    refused("/pi_a", Json::array({"0", "1", "0"}), "is the point at infinity");
    refused("/pi_a", Json::array({"0", "0", "1"}), "is not on the curve");
    refused("/pi_a", nullptr, "is not an array");
    refused("/pi_b/0", "1", "pi_b[0]: is not an array");
    refused("/pi_b/1", Json::array({"1"}), "pi_b[1]: has 1 elements, 2 are wanted");
    Json swapped = good;
    std::swap(swapped["pi_b"][0][0], swapped["pi_b"][0][1]);
    std::swap(swapped["pi_b"][1][0], swapped["pi_b"][1][1]);
    expect_refused([&] { read_proof_json<TypeParam>(json_source(swapped)); },
                   {"pi_b", "two halves", "swapped"});
    Json missing = good;
    missing.erase("pi_c");
    expect_refused([&] { read_proof_json<TypeParam>(json_source(missing)); }, {"\"pi_c\" is missing"});
    // x + p is the same coordinate modulo p
    using Fp = typename TypeParam::Fp;
    auto alias = from_decimal<Fp::kLimbs>(good["pi_a"][0].get<std::string>());
    ASSERT_TRUE(alias);
    ASSERT_EQ(alias->add(Fp::Constants::kModulus), 0u);
    refused("/pi_a/0", to_decimal(*alias), "pi_a[0]: is not below the modulus");
}

TYPED_TEST(SnarkjsJson, RefusesOtherCurvesAndProtocols) {
    Json proof = load(fixture<TypeParam>("chain30", "proof.json"));
    proof["curve"] = std::is_same_v<TypeParam, Bn254> ? "bls12381" : "bn128";
    expect_refused([&] { read_proof_json<TypeParam>(json_source(proof)); }, {"curve"},
                   ErrorKind::kUnsupported);
    proof["curve"] = "secp256k1";
    expect_refused([&] { read_proof_json<TypeParam>(json_source(proof)); }, {"secp256k1"},
                   ErrorKind::kUnsupported);
    proof.erase("curve");  // as older tools write it
    EXPECT_NO_THROW(read_proof_json<TypeParam>(json_source(proof)));
    EXPECT_FALSE(json_curve(json_source(proof)));
    proof["protocol"] = "plonk";
    expect_refused([&] { read_proof_json<TypeParam>(json_source(proof)); }, {"plonk"},
                   ErrorKind::kUnsupported);
}

// The modulus itself stands for zero, and one more for one: each input has one spelling.
TYPED_TEST(SnarkjsJson, RefusesAliasedPublicInputs) {
    const bool bn = std::is_same_v<TypeParam, Bn254>;
    const std::string r =
        bn ? "21888242871839275222246405745257275088548364400416034343698204186575808495617"
           : "52435875175126190479447740508185965837690552500527637822603658699938581184513";
    const std::string below = r.substr(0, r.size() - 1) + std::to_string(r.back() - '0' - 1);
    EXPECT_EQ(read_public_json<TypeParam>(text_source("[\"" + below + "\"]"))[0], -TypeParam::Fr::one());
    expect_refused([&] { read_public_json<TypeParam>(text_source("[\"1\",\"" + r + "\"]")); },
                   {"[1]", "modulus"});
    expect_refused([&] { read_public_json<TypeParam>(text_source("[33]")); }, {"[0]", "is not a string"});
    expect_refused([&] { read_public_json<TypeParam>(text_source("{}")); }, {"is not an array"});
    EXPECT_TRUE(read_public_json<TypeParam>(text_source(" [ ] ")).empty());
}

TYPED_TEST(SnarkjsJson, RefusesBadKeys) {
    const Json good = load(fixture<TypeParam>("chain30", "vkey.json"));
    const auto refused = [&](const char* where, const Json& value, const char* reason) {
        Json bad = good;
        bad[Json::json_pointer(where)] = value;
        expect_refused([&] { read_vk_json<TypeParam>(json_source(bad)); }, {"doc.json: ", reason});
    };
    refused("/nPublic", 1, "IC: has 3 points; 1 public inputs");
    refused("/nPublic", -1, "nPublic");
    refused("/nPublic", "2", "nPublic");
    refused("/nPublic", ~u64{0}, "IC: has 3 points");
    refused("/IC", Json::array(), "IC: has 0 points");
    refused("/IC/1/0", "5", "IC[1]: is not on the curve");
    refused("/vk_gamma_2", Json::parse(R"([["0","0"],["1","0"],["0","0"]])"),
            "vk_gamma_2: is the point at infinity");
    Json changed = good;
    changed["vk_alphabeta_12"][0][0][0] = "1";
    const auto vk = read_vk_json<TypeParam>(json_source(changed));
    EXPECT_EQ(vk_json_alphabeta_matches<TypeParam>(json_source(changed), vk), false);
}

TEST(SnarkjsJsonText, RefusesWhatIsNoJson) {
    for (const char* text : {"", "{", "[\"1\"", "nonsense", "[\"1\"] x", "{\"a\":1,}"})
        expect_refused([&] { read_public_json<Bn254>(text_source(text)); }, {"doc.json", "not valid JSON"});
    expect_refused([] { read_proof_json<Bn254>(text_source(R"({"pi_a":1,"pi_a":2})")); }, {"pi_a", "twice"});
    expect_refused([] { read_public_json<Bn254>(text_source(std::string(200000, '['))); },
                   {"not valid JSON"});
    const std::string text = read_text(data_path("chain30-bn128/proof.json"));
    for (std::size_t cut = 0; cut + 2 < text.size(); ++cut)
        expect_refused([&] { read_proof_json<Bn254>(text_source(text.substr(0, cut))); }, {"doc.json"});
}

TEST(SnarkjsJsonText, PointsOutsideTheSubgroupAreRefused) {
    // From the vectors of an independent implementation.
    const auto vectors = Json::parse(read_text(data_path("vectors/bls12_381.json")));
    const auto& point = vectors["off_subgroup"]["g1"][0];
    const Json proof = load("chain30-bls12381/proof.json");
    Proof<Bls12_381> forged = read_proof_json<Bls12_381>(json_source(proof));
    const auto coordinate = [&](int i) {
        return Bls12_381Fp::from_int(Bls12_381Fp::Int::from_hex(point[i].get<std::string>()));
    };
    forged.a = {coordinate(0), coordinate(1)};
    expect_refused([&] { read_proof_json<Bls12_381>(text_source(proof_to_json(forged))); },
                   {"pi_a", "outside the prime-order subgroup"});
}

}  // namespace
}  // namespace cuzk::test
