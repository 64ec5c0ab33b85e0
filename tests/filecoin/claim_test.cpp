// Verification from what a chain records: challenges, parents, public inputs, claims.
#include <gtest/gtest.h>

#include <numeric>

#include "filecoin/chain/claim.hpp"
#include "filecoin/chain/parents.hpp"
#include "filecoin/native/chacha.hpp"
#include "filecoin/native/hash.hpp"
#include "filecoin/params/store.hpp"
#include "filecoin/prove/prove.hpp"
#include "filecoin/vanilla/challenges.hpp"
#include "oracle.hpp"

namespace cuzk::filecoin {
namespace {

using Json = nlohmann::json;

Claim claim_of(const Json& json) {
    const std::string text = json.dump();
    return parse_claim(ByteSource::from_vector("claim.json", {text.begin(), text.end()}));
}

std::string refusal(const Json& json) {
    try {
        claim_of(json);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kMalformed);
        return error.what();
    }
    return "accepted";
}

// The public part of a case's meta.json as a claim. Sizes that the network has no number for take the first of their form.
Json claim_json(const Json& meta) {
    Json claim{{"sector_size", meta["sector_size"]}};
    const std::string kind = meta["kind"];
    const bool v1 = meta.value("api_version", "") == "1.0.0";
    if (kind == "porep") {
        claim["proof_kind"] = "POREP_SEAL_COMMIT";
        claim["registered_proof"] = meta["synthetic"] ? 10 : meta["ni"] ? 15 : v1 ? 0 : 5;
        claim["sector_number"] = meta["sector_id"];
        for (const char* key : {"miner_id", "ticket", "seed", "comm_d", "comm_r", "porep_id"})
            claim[key] = meta[key];
    } else if (kind == "snap") {
        claim["proof_kind"] = "SNAP_DEALS_UPDATE";
        claim["registered_proof"] = 0;
        for (const char* key : {"comm_r_old", "comm_r_new", "comm_d_new"}) claim[key] = meta[key];
    } else {
        claim["proof_kind"] = kind == "Winning" ? "WINNING_POST" : "WINDOW_POST_PARTITION";
        claim["registered_proof"] = kind == "Winning" ? 0 : v1 ? 5 : 10;
        claim["randomness"] = meta["randomness"];
        for (const Json& s : meta["sectors"])
            claim["sectors"].push_back({{"sector_number", s["sector_id"]}, {"comm_r", s["comm_r"]}});
    }
    return claim;
}

TEST(ChaCha, Rfc8439) {
    std::array<u8, 32> key{};
    std::iota(key.begin(), key.end(), u8{0});
    EXPECT_EQ(chacha_block(key, {1, 0x09000000, 0x4a000000, 0}, 20),
              (std::array<u32, 16>{0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3, 0xc7f4d1c7, 0x0368c033,
                                   0x9aaa2204, 0x4e6cd4c3, 0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9,
                                   0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2}));
}

TEST(Challenges, Synthetic) {
    const Fr replica_id = Fr::from_u64(55);
    const Fr comm_r = Fr::from_u64(101);
    std::array<u8, 32> seed{};
    seed.fill(1);
    const std::vector<u64> expected = {176, 781, 801, 986, 290, 211, 692, 856, 986, 332};
    for (u32 j = 0; j < expected.size(); ++j)
        EXPECT_EQ(synthetic_challenge(replica_id, comm_r, seed, j, 1 << 10, 21), expected[j]) << j;
}

TEST(ParentGraph, FirstNodesHaveNoOthers) {
    const ParentGraph graph(64, Bytes32{5}, false);
    for (const u32 node : {0U, 1U})
        for (u32 i = 0; i < kDrgParents; ++i) EXPECT_EQ(graph(node)[i], 0U);
    for (u32 node = 2; node < 64; ++node) {
        EXPECT_EQ(graph(node)[0], node - 1);
        for (u32 i = 0; i < kDrgParents; ++i) EXPECT_LT(graph(node)[i], node);
        for (const u32 parent : graph(node)) EXPECT_LT(parent, 64U);
    }
}

// The permutation of edges leaves each node with as many uses as a parent as it has expander parents.
TEST(ParentGraph, ExpanderEdgesAreAPermutation) {
    constexpr u32 kNodes = 100;  // no power of two: the permutation must walk
    const ParentGraph graph(kNodes, Bytes32{5}, false);
    std::vector<u32> uses(kNodes);
    for (u32 node = 0; node < kNodes; ++node)
        for (u32 i = 0; i < kExpanderParents; ++i) ++uses[graph(node)[kDrgParents + i]];
    EXPECT_EQ(uses, std::vector<u32>(kNodes, kExpanderParents));
}

// Parents, challenges, replica ids and all else that goes into the inputs of the network's own circuits.
TEST(Claims, ImplyTheNetworksPublicInputs) {
    CUZK_NEED_ORACLE();
    std::size_t cases = 0;
    for (const auto& entry : std::filesystem::directory_iterator(oracle::folder())) {
        const auto name = entry.path().filename();
        if (!std::filesystem::exists(entry.path() / "circuit.json")) continue;
        const Json meta = oracle::load(name / "meta.json");
        const Json partitions = oracle::load(name / "circuit.json")["partitions_recorded"];
        const auto inputs = public_inputs(claim_of(claim_json(meta)));
        ASSERT_GE(inputs.size(), partitions.size()) << name;
        for (std::size_t k = 0; k < partitions.size(); ++k) {
            std::vector<Fr> expected;
            for (const Json& x : partitions[k]["inputs"]) expected.push_back(oracle::scalar(x));
            expected.erase(expected.begin());  // the constant one
            EXPECT_TRUE(inputs[k] == expected) << name << ", partition " << k;
        }
        ++cases;
    }
    EXPECT_GE(cases, 18U);
}

// From chain data and a verifying key to a verdict on the network's proofs.
TEST(Claims, VerifyTheNetworksProofs) {
    CUZK_NEED_ORACLE();
    const auto params = (oracle::folder() / "params").string();
    const std::pair<const char*, const char*> cases[] = {{"porep-2KiB", "seed"},
                                                         {"snap-2KiB", "comm_r_old"},
                                                         {"wpost-2KiB-3sectors", "randomness"},
                                                         {"winning-2KiB", "randomness"}};
    for (const auto& [folder, field] : cases) {
        Json json = claim_json(oracle::load(std::filesystem::path(folder) / "meta.json"));
        const Claim claim = claim_of(json);
        const Verifier<Bls12_381> verifier(load_vk(params, circuit_of(claim), shape_of(claim)));
        const auto proof = oracle::read_file(oracle::folder() / folder / "proof.bin");
        EXPECT_TRUE(verify_partitions(public_inputs(claim), verifier, proof, "proof.bin")) << folder;
        std::string value = json[field];
        value[0] = value[0] == '0' ? '1' : '0';
        json[field] = value;
        EXPECT_FALSE(verify_partitions(public_inputs(claim_of(json)), verifier, proof, "proof.bin"))
            << folder;
    }
}

const Json kPost = {{"proof_kind", "WINNING_POST"},
                    {"registered_proof", 0},
                    {"randomness", std::string(64, '1')},
                    {"sectors", {{{"sector_number", 3}, {"comm_r", std::string(64, '2')}}}}};

TEST(Claims, NameWhatIsWrong) {
    EXPECT_EQ(refusal(kPost), "accepted");
    const auto changed = [](const char* path, const Json& value) {
        Json json = kPost;
        json[Json::json_pointer(path)] = value;
        return refusal(json);
    };
    EXPECT_NE(changed("/proof_kind", "LOOSING_POST").find("proof_kind: names no kind"), std::string::npos);
    EXPECT_NE(changed("/randomness", "12").find("randomness: is neither 32 bytes"), std::string::npos);
    EXPECT_NE(changed("/sectors/0/comm_r", std::string(64, 'f')).find("no canonical element"),
              std::string::npos);
    EXPECT_NE(changed("/sectors/0/extra", 1).find("unknown field 'extra'"), std::string::npos);
    EXPECT_NE(changed("/sectors/1", kPost["sectors"][0]).find("more than the one sector"), std::string::npos);
    EXPECT_NE(changed("/sectors", Json::array()).find("is empty"), std::string::npos);
    EXPECT_NE(changed("/ticket", std::string(64, '1')).find("unknown field 'ticket'"), std::string::npos);
    EXPECT_NE(changed("/partition_index", u64{1} << 32).find("no 32-bit number"), std::string::npos);
    Json missing = kPost;
    missing.erase("randomness");
    EXPECT_NE(refusal(missing).find("randomness"), std::string::npos);
}

// The commitment of 2 KiB of zeros: as its CID, in hexadecimal and in base64.
TEST(Claims, TakeBytesInThreeForms) {
    Fr zero_tree;
    for (int level = 0; level < 6; ++level) zero_tree = native_sha256_pair(zero_tree, zero_tree);
    Json json = {{"proof_kind", "SNAP_DEALS_UPDATE"},
                 {"registered_proof", 0},
                 {"comm_r_old", "fc7e928296e516faade986b28f92d44a4f24b935485223376a799027bc18f833"},
                 {"comm_r_new", "/H6SgpblFvqt6Yayj5LUSk8kuTVIUiM3anmQJ7wY+DM="},
                 {"comm_d_new", "baga6ea4seaqpy7usqklokfx2vxuynmupslkeutzexe2uqurdg5vhtebhxqmpqmy"}};
    const auto claim = std::get<UpdateClaim>(claim_of(json));
    EXPECT_EQ(claim.comm_r_old, zero_tree);
    EXPECT_EQ(claim.comm_r_new, zero_tree);
    EXPECT_EQ(claim.comm_d_new, zero_tree);
    // A CID of another kind of content.
    json["comm_d_new"] = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
    EXPECT_NE(refusal(json).find("comm_d_new"), std::string::npos);
}

TEST(Claims, AreToldFromRequests) {
    const auto is = [](std::string_view text) {
        return is_claim({reinterpret_cast<const u8*>(text.data()), text.size()});
    };
    EXPECT_TRUE(is(kPost.dump()));
    EXPECT_FALSE(is(R"({"proof_kind": 1, "vanilla_proof": ""})"));
    EXPECT_FALSE(is(R"({"Phase1Out": ""})"));
    EXPECT_FALSE(is(R"({"vanilla_proofs": {}})"));
}

}  // namespace
}  // namespace cuzk::filecoin
