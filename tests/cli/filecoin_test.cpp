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

// A key cache is made, told of, proved from byte for byte, and passed over when it is damaged.
TEST_F(Filecoin, KeyCaches) {
    fs::create_directory(out("params"));
    std::string source;
    for (const auto& entry : fs::directory_iterator(oracle_ / "params"))
        if (entry.path().extension() == ".params") {
            source = out("params/" + entry.path().filename().string());
            fs::copy_file(entry.path(), source);
        }
    const std::string cache = fs::path(source).replace_extension(".cuzk-key").string();
    const auto params = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"filecoin", "params"});
        arguments.insert(arguments.end(), {"--params", out("params")});
        return run(arguments);
    };
    const auto expect_says = [](const Outcome& outcome, int code, const char* text) {
        EXPECT_EQ(outcome.code, code) << outcome.errors;
        EXPECT_NE(outcome.output.find(text), std::string::npos) << outcome.output;
    };
    const auto expect_network_bytes = [&](const char* warning) {
        const Outcome outcome =
            run({"filecoin", "prove", oracle("wpost-2KiB/request.json"), "-o", out("proof"), "--params",
                 out("params"), "--unsafe-test-randomness", kFixedRandomness},
                "CUZK_TEST_HOOKS=1");
        ASSERT_EQ(outcome.code, 0) << outcome.errors;
        EXPECT_TRUE(read_text(out("proof")) == read_text(oracle("wpost-2KiB/proof-fixed.bin")));
        EXPECT_EQ(outcome.errors.find("cache") != std::string::npos, *warning != '\0') << outcome.errors;
        EXPECT_NE(outcome.errors.find(warning), std::string::npos) << outcome.errors;
    };

    expect_says(params({"list"}), 0, "key cache");
    expect_says(params({"cache", "--check"}), 0, "no key cache");
    expect_says(params({"cache", "--json"}), 0, "\"result\": \"made\"");
    ASSERT_TRUE(fs::exists(cache));
    expect_says(params({"cache"}), 0, "up to date");
    expect_says(params({"cache", "--circuit", "window-post", "--sector-size", "2KiB", "--anew"}), 0, "made");
    expect_says(params({"list", "--json"}), 0, "\"key_cache\": \"yes\"");
    // These parameters were made by the network's software, but are not those that it published.
    expect_says(params({"check"}), 3, "a sound key cache, NOT of the network's file");
    expect_says(params({"cache", "--check", "--deep", "--json"}), 0, "\"result\": \"sound\"");
    expect_says(run({"inspect", cache}), 0, "key-cache");
    expect_network_bytes("");

    // A point's coordinate, in the middle of the file.
    std::string bytes = read_text(cache);
    bytes[bytes.size() / 2] ^= 1;
    write_text(cache, bytes);
    expect_says(params({"check"}), 3, "digest of the points does not match");
    expect_says(params({"cache", "--check"}), 3, "damaged");
    expect_says(run({"inspect", cache}), 3, "danger");
    expect_network_bytes("once more with the parameter file");

    write_text(cache, bytes.substr(0, 1000));
    expect_says(params({"list", "--json"}), 0, "\"key_cache\": \"stale\"");
    expect_network_bytes("the key cache is not used");

    expect_failure({"filecoin", "params", "cache", "--params", out("params"), "--circuit", "porep",
                    "--sector-size", "2KiB"},
                   4, "are not at");
    expect_failure({"filecoin", "params", "cache", "--check", "--anew"}, 2, "--anew");
}

}  // namespace
}  // namespace cuzk::test
