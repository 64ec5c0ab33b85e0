// Witnesses from the network's vanilla proofs: every value, row and public input against what its own software computed.
#include <gtest/gtest.h>

#include "filecoin/circuits/compile.hpp"
#include "filecoin/circuits/witness.hpp"
#include "filecoin/vanilla/base64.hpp"
#include "filecoin/vanilla/c1.hpp"
#include "filecoin/vanilla/post.hpp"
#include "filecoin/vanilla/update.hpp"
#include "formats/digest.hpp"
#include "oracle.hpp"
#include "r1cs/instanced_values.hpp"
#include "structure_digest.hpp"

namespace cuzk::filecoin {
namespace {

std::string hex(const Fr& x) {
    std::array<u8, 32> bytes{};
    x.to_bytes_le(bytes);
    return hex_text(bytes);
}

std::string sha256_of(std::span<const Fr> values) {
    Digest digest(EVP_sha256());
    std::vector<u8> bytes(32);
    for (const Fr& x : values) {
        x.to_bytes_le(std::span<u8, 32>(bytes.data(), 32));
        digest.update(bytes);
    }
    return digest.hex();
}

struct Case {
    const char* name;
    CircuitKind kind;
    const char* size;
    const char* folder;
};

void PrintTo(const Case& c, std::ostream* out) {
    *out << c.name;
}

class Witness : public testing::TestWithParam<Case> {
protected:
    // Witness of partition k of the case, after its native checks.
    static CompactWitness witness(const Case& c, std::size_t k) {
        const auto folder = oracle::folder() / c.folder;
        const SectorShape shape = sector_shape(parse_sector_size(c.size));
        const nlohmann::json meta = oracle::load(std::string(c.folder) + "/meta.json");
        const auto blob = [&](std::size_t i) {
            return oracle::read_file(folder / ("vanilla-" + std::to_string(i) + ".bincode"));
        };
        switch (c.kind) {
            case CircuitKind::kPorep: {
                const C1Output c1 = decode_c1(oracle::read_file(folder / "c1.json"), "c1.json");
                check_porep(c1.partitions[k], "partition");
                return make_witness(c1.partitions[k]);
            }
            case CircuitKind::kUpdate: {
                const auto commitment = [&](const char* key) {
                    return oracle::scalar(meta[key].get<std::string>());
                };
                const UpdateCommitments commitments{commitment("comm_r_old"), commitment("comm_d_new"),
                                                    commitment("comm_r_new")};
                const auto p =
                    decode_update_vanilla(blob(k), "vanilla", shape, static_cast<u32>(k), commitments);
                check_update_vanilla(p, "vanilla", shape);
                return make_witness(shape, p);
            }
            case CircuitKind::kWindowPost: {
                const std::size_t sectors = meta["sectors"].size();
                const bool running = meta["api_version"].get<std::string>() != "1.2.0";
                const auto randomness = oracle::hex32(meta["randomness"].get<std::string>());
                PostPartition partition;
                for (std::size_t slot = 0; slot < shape.window_slots; ++slot) {
                    const std::size_t sector = std::min(k * shape.window_slots + slot, sectors - 1);
                    const auto v = decode_post_vanilla(blob(sector), "vanilla", shape, kWindowChallenges);
                    check_post_vanilla(v, "vanilla", shape, randomness,
                                       running ? sector * kWindowChallenges : 0);
                    partition.slots.push_back(v.sector);
                }
                return make_witness(partition);
            }
            case CircuitKind::kWinningPost: {
                const auto v = decode_post_vanilla(blob(0), "vanilla", shape, kWinningSlots);
                check_post_vanilla(v, "vanilla", shape, oracle::hex32(meta["randomness"].get<std::string>()),
                                   0);
                PostPartition partition;
                for (const auto& challenge : v.sector.challenges) {
                    PostSector slot = v.sector;
                    slot.challenges = {challenge};
                    partition.slots.push_back(slot);
                }
                return make_witness(partition);
            }
        }
        return {};
    }
};

TEST_P(Witness, EqualsTheNetworks) {
    CUZK_NEED_ORACLE();
    const Case& c = GetParam();
    const nlohmann::json file = oracle::load(std::string(c.folder) + "/circuit.json");
    const InstancedR1cs r1cs = compile_circuit(c.kind, sector_shape(parse_sector_size(c.size)));
    for (std::size_t k = 0; k < file["partitions_recorded"].size(); ++k) {
        const nlohmann::json& expected = file["partitions_recorded"][k];
        const CompactWitness compact = witness(c, k);
        ASSERT_EQ(compact.inputs.size(), expected["inputs"].size());
        for (std::size_t i = 0; i < compact.inputs.size(); ++i)
            EXPECT_EQ(hex(compact.inputs[i]), expected["inputs"][i].get<std::string>()) << "input " << i;
        const std::vector<Fr> z = expand(r1cs, compact);
        const std::span<const Fr> aux = std::span(z).subspan(r1cs.inputs);

        Digest digest(EVP_sha256());
        const auto checkpoints = expected["aux_checkpoints"].get<std::vector<std::string>>();
        std::vector<u8> bytes;
        for (std::size_t i = 0; i < aux.size(); ++i) {
            bytes.resize(bytes.size() + 32);
            aux[i].to_bytes_le(std::span<u8, 32>(bytes.data() + bytes.size() - 32, 32));
            if ((i + 1) % 4096 != 0) continue;
            digest.update(bytes);
            bytes.clear();
            ASSERT_EQ(digest.hex().substr(0, 16), checkpoints[i / 4096]) << "first difference near aux " << i;
        }
        digest.update(bytes);
        EXPECT_EQ(digest.hex(), expected["aux_sha256"].get<std::string>());

        const std::size_t rows = r1cs.constraints + r1cs.inputs;
        std::vector<Fr> a(rows), b(rows), cc(rows);
        evaluate(r1cs, z, a, b, cc);
        EXPECT_EQ(first_violation<Fr>(a, b, cc), std::nullopt);
        EXPECT_EQ(sha256_of(a), expected["a_z_sha256"].get<std::string>());
        EXPECT_EQ(sha256_of(b), expected["b_z_sha256"].get<std::string>());
        EXPECT_EQ(sha256_of(cc), expected["c_z_sha256"].get<std::string>());
    }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Witness,
    testing::Values(Case{"porep2KiB", CircuitKind::kPorep, "2KiB", "porep-2KiB"},
                    Case{"porep2KiBv10", CircuitKind::kPorep, "2KiB", "porep-2KiB-v10"},
                    Case{"porep2KiBsynthetic", CircuitKind::kPorep, "2KiB", "porep-2KiB-synth"},
                    Case{"porep2KiBnoninteractive", CircuitKind::kPorep, "2KiB", "porep-2KiB-ni"},
                    Case{"porep4KiB", CircuitKind::kPorep, "4KiB", "porep-4KiB"},
                    Case{"porep32KiB", CircuitKind::kPorep, "32KiB", "porep-32KiB"},
                    Case{"porep8MiB", CircuitKind::kPorep, "8MiB", "porep-8MiB"},
                    Case{"update2KiB", CircuitKind::kUpdate, "2KiB", "snap-2KiB"},
                    Case{"update4KiB", CircuitKind::kUpdate, "4KiB", "snap-4KiB"},
                    Case{"update32KiB", CircuitKind::kUpdate, "32KiB", "snap-32KiB"},
                    Case{"update8MiB", CircuitKind::kUpdate, "8MiB", "snap-8MiB"},
                    Case{"window2KiB", CircuitKind::kWindowPost, "2KiB", "wpost-2KiB"},
                    Case{"window2KiBv10", CircuitKind::kWindowPost, "2KiB", "wpost-2KiB-v10"},
                    Case{"window2KiBpadded", CircuitKind::kWindowPost, "2KiB", "wpost-2KiB-3sectors"},
                    Case{"window4KiB", CircuitKind::kWindowPost, "4KiB", "wpost-4KiB"},
                    Case{"window32KiB", CircuitKind::kWindowPost, "32KiB", "wpost-32KiB"},
                    Case{"window8MiB", CircuitKind::kWindowPost, "8MiB", "wpost-8MiB"},
                    Case{"winning2KiB", CircuitKind::kWinningPost, "2KiB", "winning-2KiB"},
                    Case{"winning4KiB", CircuitKind::kWinningPost, "4KiB", "winning-4KiB"},
                    Case{"winning32KiB", CircuitKind::kWinningPost, "32KiB", "winning-32KiB"},
                    Case{"winning8MiB", CircuitKind::kWinningPost, "8MiB", "winning-8MiB"}),
    [](const auto& info) { return std::string(info.param.name); });

// A changed byte anywhere in a vanilla proof is found natively, or is no field element.
TEST(WitnessChecks, TamperedVanillaProofsAreRefused) {
    CUZK_NEED_ORACLE();
    const SectorShape shape = sector_shape(2048);
    const auto folder = oracle::folder() / "winning-2KiB";
    const auto randomness =
        oracle::hex32(oracle::load("winning-2KiB/meta.json")["randomness"].get<std::string>());
    const std::vector<u8> good = oracle::read_file(folder / "vanilla-0.bincode");
    for (std::size_t at = 0; at < good.size(); at += 97) {
        std::vector<u8> bad = good;
        bad[at] ^= 1;
        EXPECT_THROW(
            {
                const auto v = decode_post_vanilla(bad, "vanilla", shape, kWinningSlots);
                check_post_vanilla(v, "vanilla", shape, randomness, 0);
            },
            Error)
            << "byte " << at;
    }
    for (std::size_t size = 0; size < good.size(); size += 211)
        EXPECT_THROW(decode_post_vanilla(std::span(good).first(size), "vanilla", shape, kWinningSlots),
                     Error);
}

TEST(Base64, RoundTripsAndRefuses) {
    for (const char* text : {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"})
        EXPECT_EQ(encode_base64(decode_base64(text, "t")), text);
    for (const char* text : {"Z", "Zg=", "Zg=a", "Z===", "Zm9v Yg=", "Zm9\n"})
        EXPECT_THROW(decode_base64(text, "t"), Error) << text;
}

}  // namespace
}  // namespace cuzk::filecoin
