// Proofs as bytes: BN254's against the arguments that snarkjs makes for Ethereum's verifier.
#include "formats/proof_bytes.hpp"

#include "fixtures.hpp"
#include "formats/snarkjs_json.hpp"

namespace cuzk::test {
namespace {

// The eight numbers of A, B and C in a calldata.txt, 32 bytes each.
Bytes calldata_proof(const std::string& text) {
    Bytes out;
    for (std::size_t at = text.find("0x"); at != std::string::npos && out.size() < 256;
         at = text.find("0x", at + 2))
        for (std::size_t i = 0; i < 32; ++i)
            out.push_back(static_cast<u8>(std::stoul(text.substr(at + 2 + 2 * i, 2), nullptr, 16)));
    return out;
}

TEST(ProofBytes, OfBn254AreWhatEthereumTakes) {
    for (const std::string folder : {"bits-bn128", "mimc_merkle-bn128", "darkforest_whitelist-bn128"}) {
        const Proof<Bn254> proof = read_proof_json<Bn254>(data_file(folder + "/proof.json"));
        const auto bytes = proof_to_bytes(proof);
        EXPECT_EQ(Bytes(bytes.begin(), bytes.end()),
                  calldata_proof(read_text(data_path(folder + "/calldata.txt"))))
            << folder;
        EXPECT_EQ(read_bn254_proof_bytes(ByteSource::borrow("proof", bytes)), proof);
    }
}

TEST(ProofBytes, OfBn254AreReadStrictly) {
    const auto good = proof_to_bytes(read_proof_json<Bn254>(data_file("bits-bn128/proof.json")));
    const auto refused = [](const Bytes& bytes, const std::string& why) {
        try {
            read_bn254_proof_bytes(ByteSource::borrow("proof", bytes));
            ADD_FAILURE() << "accepted; wanted: " << why;
        } catch (const Error& e) {
            EXPECT_EQ(e.kind(), ErrorKind::kMalformed);
            EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
        }
    };
    Bytes bytes(good.begin(), good.end());
    bytes.push_back(0);
    refused(bytes, "1 bytes follow the proof");
    for (std::size_t n = 0; n < good.size(); n += 31) refused({good.begin(), good.begin() + n}, "");
    bytes.assign(good.begin(), good.end());
    bytes[63] ^= 1;
    refused(bytes, "A is not on the curve");
    bytes.assign(good.begin(), good.end());
    std::fill_n(bytes.begin() + 64, 128, u8{0});
    refused(bytes, "B is the point at infinity");
    bytes.assign(good.begin(), good.end());
    std::fill_n(bytes.begin() + 192, 32, u8{0xff});
    refused(bytes, "C ");
}

}  // namespace
}  // namespace cuzk::test
