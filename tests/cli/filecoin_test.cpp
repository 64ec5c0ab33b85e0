// cuzk filecoin, with requests, parameters and proofs of the network's own software (../shared/oracle; skipped where absent).
#include "base/types.hpp"
#include "command.hpp"

namespace cuzk::test {
namespace {

class Filecoin : public CommandTest {
protected:
    void SetUp() override {
        CommandTest::SetUp();
        if (!fs::exists(oracle_ / "README.md")) GTEST_SKIP() << "no " << oracle_;
    }
    std::string oracle(const std::string& name) const { return (oracle_ / name).string(); }

    // The digits behind "key":" in a one-line JSON file, from its n-th occurrence on.
    static std::string value(const std::string& json, const std::string& key, int n = 0) {
        const std::string head = '"' + key + "\":\"";
        std::size_t at = json.find(head);
        for (; n > 0; --n) at = json.find(head, at + 1);
        const std::size_t begin = at + head.size();
        return json.substr(begin, json.find('"', begin) - begin);
    }

    const fs::path oracle_ = fs::path(CUZK_SHARED_DIR) / "oracle";
};

// r and s of the vectors, (0x123456789abcdef1)^2 and (0x0fedcba987654321)^2, in decimal.
constexpr const char* kFixedRandomness =
    "1720736512232301125990317275853283041,1317438892177855582011613469445737025";

TEST_F(Filecoin, RequestGivesTheNetworksBytes) {
    const std::vector<std::string> command = {"filecoin",
                                              "prove",
                                              oracle("wpost-2KiB/request.json"),
                                              "-o",
                                              out("proof"),
                                              "--params",
                                              oracle("params"),
                                              "--unsafe-test-randomness",
                                              kFixedRandomness};
    expect_failure(command, 2, "CUZK_TEST_HOOKS");
    const Outcome outcome = run(command, "CUZK_TEST_HOOKS=1");
    ASSERT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_TRUE(read_text(out("proof")) == read_text(oracle("wpost-2KiB/proof-fixed.bin")));
}

// Public data and a verifying key are enough to judge a proof; an altered claim or proof is refused.
TEST_F(Filecoin, VerifiesAClaim) {
    const std::string meta = read_text(oracle("wpost-2KiB/meta.json"));
    const auto claim = [&](int first) {
        std::string text =
            R"({"proof_kind": "WINDOW_POST_PARTITION", "registered_proof": 10, "randomness": ")" +
            value(meta, "randomness") + R"(", "sectors": [)";
        for (int i = 0; i < 2; ++i)
            text += std::string(i == 0 ? "" : ",") + R"({"sector_number": )" + std::to_string(1000 + i) +
                    R"(, "comm_r": ")" + value(meta, "comm_r", (first + i) % 2) + "\"}";
        return text + "]}";
    };
    write_text(out("claim.json"), claim(0));
    write_text(out("swapped.json"), claim(1));
    const std::string proof = oracle("wpost-2KiB/proof.bin");
    const auto verify = [&](const char* name) {
        return run({"filecoin", "verify", out(name), proof, "--params", oracle("params")});
    };
    const Outcome good = verify("claim.json");
    EXPECT_EQ(good.code, 0) << good.errors;
    EXPECT_NE(good.output.find("valid (window-post 2KiB, 1 partition)"), std::string::npos) << good.output;
    EXPECT_EQ(verify("swapped.json").code, 1);

    std::string vk;
    for (const auto& entry : fs::directory_iterator(oracle_ / "params"))
        if (entry.path().extension() == ".params")
            vk = fs::path(entry.path()).replace_extension(".vk").string();
    EXPECT_EQ(run({"filecoin", "verify", out("claim.json"), proof, "--vk", vk}).code, 0);

    write_text(out("short"), read_text(proof).substr(0, 191));
    expect_failure({"filecoin", "verify", out("claim.json"), out("short"), "--vk", vk}, 3, "short");
    write_text(out("claim.json"), R"({"proof_kind": "WINDOW_POST_PARTITION"})");
    expect_failure({"filecoin", "verify", out("claim.json"), proof}, 3, "registered_proof");
}

}  // namespace
}  // namespace cuzk::test
