// `cuzk prove` and `cuzk verify` on the files of other programs.
#include "command.hpp"

namespace cuzk::test {
namespace {

const std::vector<std::string> kCircuits = {"multiplier", "factor33", "linear",
                                            "chain30",    "bits",     "mimc_merkle"};
const std::vector<std::string> kCurves = {"bn128", "bls12381"};

std::vector<std::string> fixtures() {
    std::vector<std::string> names = {"darkforest_whitelist-bn128"};
    for (const std::string& circuit : kCircuits)
        for (const std::string& curve : kCurves) names.push_back(circuit + "-" + curve);
    return names;
}

class Fixture : public CommandTest, public ::testing::WithParamInterface<std::string> {
protected:
    std::string file(const std::string& name) const { return data(GetParam() + "/" + name); }
};
INSTANTIATE_TEST_SUITE_P(Circuits, Fixture, ::testing::ValuesIn(fixtures()), [](const auto& info) {
    std::string name = info.param;
    for (char& c : name)
        if (c == '-') c = '_';
    return name;
});

TEST_P(Fixture, ProofOfSnarkjsIsAccepted) {
    EXPECT_EQ(run({"verify", file("vkey.json"), file("public.json"), file("proof.json")}).output, "valid\n");
}

TEST_P(Fixture, ProvesAndVerifies) {
    const Outcome proved =
        run({"prove", file("circuit.zkey"), file("witness.wtns"), out("proof.json"), out("public.json")});
    ASSERT_EQ(proved.code, 0) << proved.errors;
    EXPECT_EQ(files(), 2u);
    const Outcome verified = run({"verify", file("vkey.json"), out("public.json"), out("proof.json")});
    EXPECT_EQ(verified.code, 0) << verified.errors;
    EXPECT_EQ(verified.output, "valid\n");
    // The same public signals as snarkjs, whatever the line ends.
    const auto squeezed = [](std::string text) {
        std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
        return text;
    };
    EXPECT_EQ(squeezed(read_text(out("public.json"))), squeezed(read_text(file("public.json"))));
}

TEST_P(Fixture, SetupFromTheCircuitGivesAWorkingKey) {
    const Outcome made = run({"setup", file("circuit.r1cs"), out("own.zkey"), "--vk", out("own.json")});
    ASSERT_EQ(made.code, 0) << made.errors;
    EXPECT_NE(made.errors.find("UNSAFE FOR PRODUCTION"), std::string::npos);
    const Outcome proved = run({"prove", out("own.zkey"), file("witness.wtns"), out("proof.json"),
                                out("public.json"), "--r1cs", file("circuit.r1cs")});
    ASSERT_EQ(proved.code, 0) << proved.errors;
    EXPECT_EQ(run({"verify", out("own.json"), out("public.json"), out("proof.json")}).code, 0);
    EXPECT_EQ(run({"verify", file("vkey.json"), out("public.json"), out("proof.json")}).code, 1);
}

using Prove = CommandTest;

TEST_F(Prove, FixedRandomnessGivesTheSameBytesOnEveryPath) {
    const std::string base = data("mimc_merkle-bls12381/");
    std::string expected;
    for (const std::string isa : {"portable", "adx", "ifma"})
        for (const std::string threads : {"1", "2", "5"}) {
            const Outcome outcome =
                run({"prove", base + "circuit.zkey", base + "witness.wtns", out("p.json"), out("q.json"),
                     "--threads", threads, "--unsafe-test-randomness", "123,456"},
                    "CUZK_TEST_HOOKS=1 CUZK_ISA=" + isa);
            ASSERT_EQ(outcome.code, 0) << outcome.errors;
            const std::string proof = read_text(out("p.json"));
            if (expected.empty()) expected = proof;
            EXPECT_EQ(proof, expected) << isa << " " << threads;
        }
}

TEST_F(Prove, TheProcessorHasNoHelpers) {
    const std::string base = data("factor33-bn128/");
    expect_failure({"prove", base + "circuit.zkey", base + "witness.wtns", out("p.json"), out("q.json"),
                    "--helpers", "1"},
                   2, "--helpers are for a GPU");
}

TEST_F(Prove, FixedRandomnessNeedsTheHook) {
    const std::string base = data("factor33-bn128/");
    const std::vector<std::string> command = {
        "prove",       base + "circuit.zkey", base + "witness.wtns",
        out("p.json"), out("q.json"),         "--unsafe-test-randomness"};
    auto with = [&](const std::string& value) {
        auto line = command;
        line.push_back(value);
        return line;
    };
    expect_failure(with("1,2"), 2, "CUZK_TEST_HOOKS");
    expect_failure(with("1"), 2, "r,s", "CUZK_TEST_HOOKS=1");
    expect_failure(with("1,x"), 2, "r,s", "CUZK_TEST_HOOKS=1");
}

TEST_F(Prove, SectionsInAnyOrder) {
    for (const std::string& curve : kCurves) {
        const std::string base = data("chain30-" + curve + "/");
        EXPECT_EQ(run({"prove", base + "circuit-old-order.zkey", base + "witness.wtns", out("p.json"),
                       out("q.json")})
                      .code,
                  0);
    }
}

TEST_F(Prove, InsecureKeysAreRefused) {
    for (const std::string& curve : kCurves) {
        const std::string base = data("insecure-" + curve + "/");
        std::vector<std::string> prove = {"prove", base + "circuit.zkey", base + "witness.wtns",
                                          out("p.json"), out("q.json")};
        std::vector<std::string> verify = {"verify", base + "vkey.json", base + "public.json",
                                           base + "proof.json"};
        expect_failure(prove, 3, "gamma equals delta");
        expect_failure(verify, 3, "gamma equals delta");
        for (auto* command : {&prove, &verify}) {
            command->push_back("--allow-insecure-key");
            EXPECT_EQ(run(*command).code, 0);
        }
    }
}

TEST_F(Prove, JsonAndTimings) {
    const std::string base = data("bits-bn128/");
    const std::vector<std::string> command = {"prove", base + "circuit.zkey", base + "witness.wtns",
                                              out("p.json"), out("q.json")};
    auto json = command;
    json.push_back("--json");
    const std::string text = run(json).output;
    for (const char* word : {"\"curve\": \"bn128\"", "\"variables\": 66", "\"msm b g2\"", "\"verify\""})
        EXPECT_NE(text.find(word), std::string::npos) << text;
    auto timings = command;
    timings.push_back("--timings");
    EXPECT_NE(run(timings).output.find("msm h"), std::string::npos);
}

// The real WindowPoSt assignment, with the network's parameters: the network's own prover gave these bytes
// for these r, s.
TEST_F(Prove, FilecoinAssignmentGivesTheNetworksBytes) {
    const fs::path oracle = fs::path(CUZK_SHARED_DIR) / "oracle";
    const fs::path folder = oracle / "wpost-2KiB";
    if (!fs::exists(folder / "assignment-0.bin")) GTEST_SKIP() << "no " << folder;
    std::string params;
    for (const auto& entry : fs::directory_iterator(oracle / "params"))
        if (entry.path().extension() == ".params" &&
            entry.path().string().find("0170db") != std::string::npos)
            params = entry.path().string();
    if (params.empty()) GTEST_SKIP() << "no Window 2 KiB parameters";
    const std::string vk = params.substr(0, params.size() - 6) + "vk";

    // meta.json holds r and s as 32 little-endian bytes in hexadecimal.
    const std::string meta = read_text(folder / "meta.json");
    const auto number = [&](const std::string& name) {
        const std::size_t at = meta.find("\"" + name + "\":\"", meta.find("\"fixed\"")) + name.size() + 4;
        std::vector<int> digits = {0};
        for (std::size_t byte = 32; byte-- > 0;) {
            int carry = std::stoi(meta.substr(at + 2 * byte, 2), nullptr, 16);
            for (int& digit : digits) {
                carry += digit * 256;
                digit = carry % 10;
                carry /= 10;
            }
            for (; carry > 0; carry /= 10) digits.push_back(carry % 10);
        }
        std::string text;
        for (std::size_t i = digits.size(); i-- > 0;) text += static_cast<char>('0' + digits[i]);
        return text;
    };
    const std::string assignment = (folder / "assignment-0.bin").string();
    const Outcome fixed = run({"prove", params, assignment, out("fixed.bin"), out("inputs.json"),
                               "--unsafe-test-randomness", number("r") + "," + number("s")},
                              "CUZK_TEST_HOOKS=1");
    ASSERT_EQ(fixed.code, 0) << fixed.errors;
    EXPECT_EQ(read_text(out("fixed.bin")), read_text(folder / "proof-fixed.bin"));

    ASSERT_EQ(run({"prove", params, assignment, out("random.bin")}).code, 0);
    EXPECT_NE(read_text(out("random.bin")), read_text(out("fixed.bin")));
    const std::string inputs = out("inputs.json");
    for (const std::string& proof : {out("random.bin"), out("fixed.bin"), (folder / "proof.bin").string()})
        EXPECT_EQ(run({"verify", vk, inputs, proof}).code, 0) << proof;

    std::string tampered = read_text(out("random.bin"));
    tampered.replace(0, 48, read_text(out("fixed.bin")).substr(0, 48));
    write_text(out("tampered.bin"), tampered);
    EXPECT_EQ(run({"verify", vk, inputs, out("tampered.bin")}).code, 1);
    tampered[150] = static_cast<char>(tampered[150] ^ 1);
    write_text(out("tampered.bin"), tampered);
    EXPECT_NE(run({"verify", vk, inputs, out("tampered.bin")}).code, 0);
}

}  // namespace
}  // namespace cuzk::test
