// Bad input and bad usage: the exit code, the message, and nothing left behind.
#include "command.hpp"

namespace cuzk::test {
namespace {

class Failure : public CommandTest {
protected:
    const std::string base_ = data("multiplier-bn128/");
    const std::string key_ = base_ + "circuit.zkey";
    const std::string witness_ = base_ + "witness.wtns";

    std::vector<std::string> prove(const std::string& key, const std::string& witness) const {
        return {"prove", key, witness, out("proof.json"), out("public.json")};
    }
    // A copy of a file, changed.
    template <class Change>
    std::string changed(const std::string& path, const std::string& name, const Change& change) const {
        std::string bytes = read_text(path);
        change(bytes);
        write_text(out(name), bytes);
        return out(name);
    }
};

TEST_F(Failure, Usage) {
    expect_failure({}, 2, "which command");
    expect_failure({"dance"}, 2, "dance");
    expect_failure({"prove", key_}, 2, "witness");
    expect_failure({"prove", key_, witness_, out("p.json")}, 2, "PUBLIC");
    expect_failure({"prove", key_, witness_, out("p.json"), out("p.json")}, 2, "same file");
    expect_failure({"prove", key_, witness_, key_, out("p.json")}, 2, "also an input");
    expect_failure({"prove", key_, witness_, out("p.json"), out("q.json"), "--threads", "0"}, 2, "--threads");
    expect_failure({"verify", base_ + "vkey.json", base_ + "public.json"}, 2, "VK PUBLIC PROOF");
    expect_failure({"setup", base_ + "circuit.r1cs", out("k.zkey"), "--seed", "xyz"}, 2, "--seed");
    expect_failure({"bench", "everything"}, 2, "everything");
    EXPECT_EQ(run({"--help"}).code, 0);
    EXPECT_EQ(run({"prove", "--help"}).code, 0);
    EXPECT_NE(run({"--version"}).output.find("cuzk "), std::string::npos);
}

TEST_F(Failure, MissingFilesAndFolders) {
    expect_failure(prove(out("none.zkey"), witness_), 4, "none.zkey");
    expect_failure(prove(key_, out("none.wtns")), 4, "none.wtns");
    expect_failure({"prove", key_, witness_, out("no/folder/p.json"), out("q.json")}, 4, "no/folder");
    expect_failure({"prove", key_, witness_, out("p.json"), out("no/folder/q.json")}, 4, "no/folder");
    expect_failure({"inspect", folder_.string()}, 4, "");
}

TEST_F(Failure, FilesOfAnotherKind) {
    expect_failure(prove(base_ + "circuit.r1cs", witness_), 3, "circuit.r1cs: this is not a");
    expect_failure(prove(key_, key_), 3, "circuit.zkey: this is not a");
    expect_failure(prove(base_ + "vkey.json", witness_), 3, "vkey.json: this is not a");
    expect_failure({"setup", key_, out("k.zkey")}, 3, "this is not a");
    expect_failure({"verify", base_ + "proof.json", base_ + "public.json", base_ + "proof.json"}, 3,
                   "proof.json");
    write_text(out("empty"), "");
    expect_failure(prove(out("empty"), witness_), 3, "the file is empty");
}

TEST_F(Failure, WitnessOfAnotherCurveOrCircuit) {
    expect_failure(prove(key_, data("multiplier-bls12381/witness.wtns")), 3, "bls12381");
    expect_failure(prove(key_, data("chain30-bn128/witness.wtns")), 3, "32");
}

TEST_F(Failure, TruncatedInputs) {
    for (const std::string& path : {key_, witness_}) {
        const std::size_t size = read_text(path).size();
        for (const std::size_t length : {size - 1, size / 2, std::size_t{40}, std::size_t{5}}) {
            const std::string cut = changed(path, "cut", [&](std::string& bytes) { bytes.resize(length); });
            const Outcome outcome = path == key_ ? run(prove(cut, witness_)) : run(prove(key_, cut));
            EXPECT_EQ(outcome.code, 3) << path << " cut to " << length << ": " << outcome.errors;
            EXPECT_EQ(files(), 1u);
        }
    }
}

TEST_F(Failure, UnsatisfiedWitness) {
    // The last value of the witness, plus one.
    const std::string witness = changed(witness_, "bad.wtns", [](std::string& bytes) {
        bytes[bytes.size() - 32] = static_cast<char>(bytes[bytes.size() - 32] + 1);
    });
    expect_failure(prove(key_, witness), 1, "most likely");
    auto named = prove(key_, witness);
    named.insert(named.end(), {"--r1cs", base_ + "circuit.r1cs"});
    expect_failure(named, 1, "constraint 0");
}

TEST_F(Failure, WitnessValueNotBelowTheModulus) {
    const std::string witness = changed(
        witness_, "big.wtns", [](std::string& bytes) { bytes.replace(bytes.size() - 32, 32, 32, '\xff'); });
    expect_failure(prove(key_, witness), 3, "big.wtns");
}

TEST_F(Failure, CircuitOfAnotherKey) {
    auto command = prove(key_, witness_);
    command.insert(command.end(), {"--r1cs", data("multiplier-bls12381/circuit.r1cs")});
    expect_failure(command, 3, "circuit.r1cs");
}

TEST_F(Failure, DamagedKeyPoint) {
    // The last point of the H query: the transcript section follows, so look for it by the key's own size.
    const std::string key = changed(key_, "bad.zkey", [](std::string& bytes) {
        // Sections: u32 id, u64 size, data; flip a low bit of the first coordinate of section 9.
        std::size_t at = 12;
        for (;;) {
            const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
            std::size_t size = 0;
            for (std::size_t i = 8; i-- > 0;) size = size << 8 | byte(4 + i);
            if (byte(0) == 9) break;
            at += 12 + size;
        }
        bytes[at + 12] = static_cast<char>(bytes[at + 12] ^ 1);
    });
    expect_failure(prove(key, witness_), 3, "point 0 of the H query is not on the curve");
}

TEST_F(Failure, InvalidProofsAndInputs) {
    const auto verify = [&](const std::string& inputs, const std::string& proof) {
        return run({"verify", base_ + "vkey.json", inputs, proof});
    };
    write_text(out("wrong.json"), "[\"1\"]");
    Outcome outcome = verify(out("wrong.json"), base_ + "proof.json");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.output.rfind("INVALID", 0), 0u) << outcome.output;
    write_text(out("many.json"), "[\"1\",\"2\"]");
    outcome = verify(out("many.json"), base_ + "proof.json");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.output.find("2 public inputs given, the key takes 1"), std::string::npos)
        << outcome.output;
    // The group order plus one stands for one only to a careless verifier.
    write_text(out("alias.json"),
               "[\"21888242871839275222246405745257275088548364400416034343698204186575808495618\"]");
    EXPECT_EQ(verify(out("alias.json"), base_ + "proof.json").code, 3);
    write_text(out("proof.json"),
               "{\"pi_a\": [], \"pi_b\": [], \"pi_c\": [], \"protocol\": \"groth16\", \"curve\": \"bn128\"}");
    EXPECT_EQ(verify(base_ + "public.json", out("proof.json")).code, 3);
    EXPECT_EQ(verify(base_ + "public.json", data("multiplier-bls12381/proof.json")).code, 3);
}

TEST_F(Failure, NothingIsOverwrittenByAFailure) {
    write_text(out("proof.json"), "precious");
    write_text(out("public.json"), "precious");
    EXPECT_EQ(run(prove(base_ + "circuit.r1cs", witness_)).code, 3);
    EXPECT_EQ(read_text(out("proof.json")), "precious");
    EXPECT_EQ(read_text(out("public.json")), "precious");
}

}  // namespace
}  // namespace cuzk::test
