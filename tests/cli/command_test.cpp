// Folders of proofs, setup, inspect, convert and bench.
#include <nlohmann/json.hpp>

#include "base/types.hpp"
#include "command.hpp"

namespace cuzk::test {
namespace {

using Verify = CommandTest;

TEST_F(Verify, FolderOfCases) {
    const std::string base = data("chain30-bn128/");
    const auto add = [&](const std::string& name, const std::string& inputs) {
        fs::create_directory(folder_ / name);
        fs::copy(base + "proof.json", folder_ / name / "proof.json");
        write_text(folder_ / name / "public.json", inputs);
    };
    const std::string good = read_text(base + "public.json");
    for (int i = 0; i < 6; ++i) add("case" + std::to_string(i), good);
    fs::copy(base + "proof.json", folder_ / "pair.proof.json");
    fs::copy(base + "public.json", folder_ / "pair.public.json");
    Outcome outcome = run({"verify", base + "vkey.json", folder_.string()});
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_EQ(outcome.output, "7 proofs: 7 valid, 0 invalid, 0 malformed\n");

    add("wrong", "[\"1\",\"2\"]");
    outcome = run({"verify", base + "vkey.json", folder_.string()});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.output.find("wrong"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("8 proofs: 7 valid, 1 invalid, 0 malformed"), std::string::npos)
        << outcome.output;

    add("broken", "[1");
    outcome = run({"verify", base + "vkey.json", folder_.string(), "--json"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.output.find("\"invalid\": 1"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find("\"malformed\": 1"), std::string::npos) << outcome.output;
    fs::remove_all(folder_ / "wrong");
    EXPECT_EQ(run({"verify", base + "vkey.json", folder_.string()}).code, 3);
}

TEST_F(Verify, EmptyFolder) {
    expect_failure({"verify", data("bits-bn128/vkey.json"), folder_.string()}, 3, "no cases");
}

TEST_F(Verify, KeyFromAProvingKey) {
    const std::string base = data("bits-bn128/");
    EXPECT_EQ(run({"verify", base + "circuit.zkey", base + "public.json", base + "proof.json"}).code, 0);
}

using SetupCommand = CommandTest;

TEST_F(SetupCommand, SeedMakesItReproducible) {
    const std::string circuit = data("bits-bls12381/circuit.r1cs");
    for (const std::string name : {"a.zkey", "b.zkey"})
        ASSERT_EQ(
            run({"setup", circuit, out(name), "--seed", "00ff17", "--threads", name == "a.zkey" ? "1" : "3"})
                .code,
            0);
    ASSERT_EQ(run({"setup", circuit, out("c.zkey")}).code, 0);
    EXPECT_EQ(read_text(out("a.zkey")), read_text(out("b.zkey")));
    EXPECT_NE(read_text(out("a.zkey")), read_text(out("c.zkey")));
    EXPECT_NE(read_text(out("a.zkey")).find("UNSAFE FOR PRODUCTION"), std::string::npos);
    EXPECT_EQ(files(), 3u);
}

TEST_F(SetupCommand, BellmanParameters) {
    const std::string circuit = data("chain30-bls12381/circuit.r1cs");
    const Outcome made = run({"setup", circuit, out("k.params"), "--vk", out("k.vk")});
    ASSERT_EQ(made.code, 0) << made.errors;
    const Outcome report = run({"inspect", out("k.params"), "--deep"});
    EXPECT_EQ(report.code, 0) << report.output << report.errors;
    expect_failure({"setup", data("chain30-bn128/circuit.r1cs"), out("n.params")}, 3, "bls12381");
}

using Inspect = CommandTest;

TEST_F(Inspect, KnowsTheFiles) {
    const std::string base = data("bits-bls12381/");
    for (const std::string name :
         {"circuit.zkey", "circuit.r1cs", "witness.wtns", "proof.json", "public.json", "vkey.json"}) {
        const Outcome text = run({"inspect", base + name});
        EXPECT_EQ(text.code, 0) << name << text.output << text.errors;
        const Outcome json = run({"inspect", base + name, "--json"});
        EXPECT_EQ(json.code, 0) << name;
        EXPECT_EQ(json.output.front(), '{');
    }
    EXPECT_EQ(run({"inspect", base + "circuit.zkey", "--deep"}).code, 0);
}

TEST_F(Inspect, UnknownAndDangerousFiles) {
    write_text(out("noise"), "certainly no key");
    EXPECT_EQ(run({"inspect", out("noise")}).code, 3);
    EXPECT_EQ(run({"inspect", data("insecure-bn128/circuit.zkey")}).code, 3);
}

using Convert = CommandTest;

TEST_F(Convert, KeysAndProofs) {
    const std::string base = data("chain30-bls12381/");
    ASSERT_EQ(run({"convert", base + "proof.json", out("proof.bin")}).code, 0);
    EXPECT_EQ(read_text(out("proof.bin")).size(), 192u);
    ASSERT_EQ(run({"convert", base + "circuit.zkey", out("key.vk")}).code, 0);
    EXPECT_EQ(run({"verify", out("key.vk"), base + "public.json", out("proof.bin")}).code, 0);
    expect_failure({"convert", base + "proof.json", out("what.ever")}, 2, "ending");
    expect_failure({"convert", base + "witness.wtns", out("key.zkey")}, 2, "");
    write_text(out("noise"), "certainly no key");
    expect_failure({"convert", out("noise"), out("key.zkey")}, 3, "unknown kind");
}

using Bench = CommandTest;

TEST_F(Bench, SmallSizes) {
    const Outcome table = run({"bench", "prove", "--log-size", "4"});
    EXPECT_EQ(table.code, 0) << table.errors;
    EXPECT_NE(table.output.find("bls12381"), std::string::npos);
    const Outcome json = run({"bench", "ntt", "--log-size", "6", "--json"});
    EXPECT_EQ(json.code, 0) << json.errors;
    EXPECT_NE(json.output.find("\"rate\""), std::string::npos);
}

TEST_F(Bench, PlansAreForDevicesWithMemory) {
    expect_failure({"filecoin", "plan", "--sector-size", "2KiB", "--device", "cpu"}, 2, "memory of its own");
}

TEST_F(Bench, SlowPhasesOfAPipeline) {
    const Outcome result = run(
        {"bench", "phases", "--circuit", "window-post", "--sector-size", "2KiB", "--proofs", "2", "--json"});
    ASSERT_EQ(result.code, 0) << result.errors;
    const auto json = nlohmann::json::parse(result.output);
    EXPECT_EQ(json["partitions"], 1);
    ASSERT_EQ(json["phases"].size(), 7u);
    for (const auto& phase : json["phases"]) {
        EXPECT_GT(phase["seconds_per_partition"].get<double>(), 0.0);
        EXPECT_EQ(phase["seconds_per_proof"], phase["seconds_per_partition"]);
        EXPECT_LE(phase["gpu_busy"].get<double>(), 1.01);
    }
    // Ready rows and the key; a compact witness and the key; a compact witness.
    const auto bytes = [&](std::size_t phase) { return json["phases"][phase]["bytes_to_device"].get<u64>(); };
    EXPECT_EQ(bytes(0), bytes(4));
    EXPECT_GT(bytes(4), bytes(5));
    EXPECT_GT(bytes(5), bytes(6));
    expect_failure({"bench", "phases", "--sector-size", "3KiB"}, 2, "3KiB");
    expect_failure({"bench", "phases", "--sector-size", "2KiB", "--vram-limit", "much", "--proofs", "1"}, 2,
                   "much");
}

}  // namespace
}  // namespace cuzk::test
