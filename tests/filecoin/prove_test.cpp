// Whole proofs of the four kinds, against the network's proofs and keys.
#include <gtest/gtest.h>

#include "filecoin/params/store.hpp"
#include "filecoin/prove/prove.hpp"
#include "formats/bellman.hpp"
#include "groth16/cpu_backend.hpp"
#include "groth16/memory_sink.hpp"
#include "groth16/setup.hpp"
#include "oracle.hpp"

namespace cuzk::filecoin {
namespace {

ProofJob job_of(const char* folder) {
    return prepare(
        parse_request(oracle::read_file(oracle::folder() / folder / "request.json"), "request.json"),
        "request.json");
}

TEST(ParameterNames, EqualTheNetworks) {
    const std::tuple<CircuitKind, const char*, const char*> cases[] = {
        {CircuitKind::kPorep, "2KiB",
         "stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-"
         "032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f"},
        {CircuitKind::kPorep, "32GiB",
         "stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-0-sha256_hasher-"
         "82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820"},
        {CircuitKind::kPorep, "64GiB",
         "stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-2-sha256_hasher-"
         "96f1b4a04c5c51e4759bbf224bbc2ef5a42c7100f16ec0637123f16a845ddfb2"},
        {CircuitKind::kWindowPost, "32GiB",
         "proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-8-0-"
         "0377ded656c6f524f1618760bffe4e0a1c51d5a70c4509eedae8a27555733edc"},
        {CircuitKind::kWindowPost, "64GiB",
         "proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-8-2-"
         "2627e4006b67f99cef990c0a47d5426cb7ab0a0ad58fc1061547bf2d28b09def"},
        {CircuitKind::kWinningPost, "512MiB",
         "proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-"
         "7d739b8cf60f1b0709eeebee7730e297683552e4b69cab6984ec0285663c5781"},
        {CircuitKind::kUpdate, "8MiB",
         "empty-sector-update-merkletree-poseidon_hasher-8-0-0-"
         "92180959e1918d26350b8e6cfe217bbdd0a2d8de51ebec269078b364b715ad63"},
        {CircuitKind::kUpdate, "64GiB",
         "empty-sector-update-merkletree-poseidon_hasher-8-8-2-"
         "102e1444a7e9a97ebf1e3d6855dcc77e66c011ea66f936d9b2c508f87f2f83a7"}};
    for (const auto& [kind, size, name] : cases)
        EXPECT_EQ(parameter_name(kind, sector_shape(parse_sector_size(size))), std::string("v28-") + name);
}

// The network's own proofs, under its verifying keys, for the public inputs that we compute.
TEST(FilecoinVerify, AcceptsTheNetworksProofsAndRefusesTamperedOnes) {
    CUZK_NEED_ORACLE();
    const auto params = (oracle::folder() / "params").string();
    for (const char* folder :
         {"porep-2KiB", "snap-2KiB", "wpost-2KiB", "wpost-2KiB-3sectors", "winning-2KiB"}) {
        const ProofJob job = job_of(folder);
        const Verifier<Bls12_381> verifier(load_vk(params, job.circuit, job.shape));
        const std::vector<u8> proof = oracle::read_file(oracle::folder() / folder / "proof.bin");
        EXPECT_TRUE(verify_job(job, verifier, proof, "proof.bin")) << folder;
        std::vector<u8> fixed = oracle::read_file(oracle::folder() / folder / "proof-fixed.bin");
        if (job.partitions.size() == 1) {
            EXPECT_TRUE(verify_job(job, verifier, fixed, "proof-fixed.bin")) << folder;
        }
        // Another valid point in place of A: C.
        std::copy_n(fixed.begin() + 144, 48, fixed.begin());
        if (job.partitions.size() == 1) {
            EXPECT_FALSE(verify_job(job, verifier, fixed, "tampered")) << folder;
        }
        std::vector<u8> broken = proof;
        broken[50] ^= 1;
        EXPECT_THROW(verify_job(job, verifier, broken, "broken"), Error) << folder;
        EXPECT_THROW(verify_job(job, verifier, std::span(proof).first(100), "short"), Error) << folder;
    }
}

TEST(FilecoinProve, WindowProofEqualsTheNetworksUnderItsParameters) {
    CUZK_NEED_ORACLE();
    const ProofJob job = job_of("wpost-2KiB");
    const auto key = std::make_shared<ProvingKey<Bls12_381>>(
        load_params((oracle::folder() / "params").string(), job.circuit, job.shape));
    key->circuit = std::make_shared<const CompiledCircuit>(job.circuit, job.shape);
    CpuBackend<Bls12_381> backend;
    Prover<Bls12_381> prover(backend, key);

    const nlohmann::json fixed = oracle::load("wpost-2KiB/meta.json")["fixed"];
    ProveOptions<Fr> options;
    options.fixed = FixedBlinding<Fr>{
        {}, oracle::scalar(fixed["r"].get<std::string>()), oracle::scalar(fixed["s"].get<std::string>())};
    EXPECT_EQ(prove_job(job, prover, options),
              oracle::read_file(oracle::folder() / "wpost-2KiB" / "proof-fixed.bin"));

    const std::vector<u8> random = prove_job(job, prover);
    EXPECT_EQ(random.size(), 192u);
    EXPECT_TRUE(verify_job(job, prover.verifier(), random, "proof"));

    const ProofJob padded = job_of("wpost-2KiB-3sectors");
    const std::vector<u8> two = prove_job(padded, prover);
    EXPECT_EQ(two.size(), 384u);
    EXPECT_TRUE(verify_job(padded, prover.verifier(), two, "proof"));
    EXPECT_FALSE(verify_job(job, prover.verifier(), std::span(two).last(192), "another statement"));
}

TEST(FilecoinProve, WinningProofUnderDevelopmentParameters) {
    CUZK_NEED_ORACLE();
    const ProofJob job = job_of("winning-2KiB");
    const auto circuit = std::make_shared<const CompiledCircuit>(job.circuit, job.shape);
    MemoryKeySink<Bls12_381> sink;
    SeededRandom random(42);
    setup<Bls12_381>(KeyFamily::kBellman, to_r1cs(circuit->r1cs), random, sink);
    CpuBackend<Bls12_381> backend;
    const auto key = std::make_shared<ProvingKey<Bls12_381>>(*sink.key());
    key->circuit = circuit;
    Prover<Bls12_381> prover(backend, key);
    const std::vector<u8> proof = prove_job(job, prover);
    EXPECT_TRUE(verify_job(job, prover.verifier(), proof, "proof"));
}

TEST(FilecoinRequest, BadRequestsNameTheField) {
    CUZK_NEED_ORACLE();
    const auto message = [](const std::string& json) -> std::string {
        try {
            prepare(parse_request(std::span(reinterpret_cast<const u8*>(json.data()), json.size()), "r.json"),
                    "r.json");
        } catch (const Error& e) {
            return e.what();
        }
        return "accepted";
    };
    nlohmann::json request = oracle::load("wpost-2KiB/request.json");
    const auto with = [&](const char* key, const nlohmann::json& value) {
        nlohmann::json changed = request;
        changed[key] = value;
        return message(changed.dump());
    };
    EXPECT_EQ(message(request.dump()), "accepted");
    EXPECT_NE(message("{").find("r.json"), std::string::npos);
    EXPECT_NE(message("[]").find("no JSON object"), std::string::npos);
    EXPECT_NE(message("{}").find("proof_kind is missing"), std::string::npos);
    EXPECT_NE(with("bogus", 1).find("unknown field 'bogus'"), std::string::npos);
    EXPECT_NE(with("randomness", "AAAA").find("randomness"), std::string::npos);
    EXPECT_NE(with("randomness", "////////////////////////////////////////////").find("randomness"),
              std::string::npos);
    EXPECT_NE(with("sector_size", 4096).find("Merkle path"), std::string::npos);
    EXPECT_NE(with("vanilla_proofs", nlohmann::json::array()).find("vanilla_proofs is empty"),
              std::string::npos);
    EXPECT_NE(with("vanilla_proofs", {"AAAA"}).find("vanilla proof 0"), std::string::npos);
    EXPECT_NE(with("vanilla_proofs", {"A"}).find("base64"), std::string::npos);
    EXPECT_NE(with("proof_kind", "NONSENSE").find("NONSENSE"), std::string::npos);
    EXPECT_NE(with("sector_size", 12345).find("12345"), std::string::npos);
}

// camelCase names, numbers as strings, a bare C1 and Curio's wrapper are all the same request.
TEST(FilecoinRequest, AcceptsEveryFormOfJson) {
    CUZK_NEED_ORACLE();
    const std::vector<u8> c1 = oracle::read_file(oracle::folder() / "porep-2KiB" / "c1.json");
    const ProofJob bare = prepare(parse_request(c1, "c1.json"), "c1.json");
    const ProofJob full = job_of("porep-2KiB");
    EXPECT_EQ(bare.witness(0).inputs, full.witness(0).inputs);
    const ProofRequest request =
        parse_request(oracle::read_file(oracle::folder() / "porep-2KiB" / "request.json"), "r");
    const ProofJob wrapped = prepare(parse_request(request.vanilla_proof, "wrapper"), "wrapper");
    EXPECT_EQ(wrapped.witness(0).inputs, full.witness(0).inputs);

    nlohmann::json camel = oracle::load("winning-2KiB/request.json");
    camel["sectorSize"] = "2048";
    camel.erase("sector_size");
    camel["vanillaProofs"] = camel["vanilla_proofs"];
    camel.erase("vanilla_proofs");
    const std::string text = camel.dump();
    const ProofJob job =
        prepare(parse_request(std::span(reinterpret_cast<const u8*>(text.data()), text.size()), "r"), "r");
    EXPECT_EQ(job.shape.bytes, 2048u);
}

}  // namespace
}  // namespace cuzk::filecoin
