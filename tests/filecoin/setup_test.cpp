// A setup from instanced constraints hands over the same scalars as one from plain matrices.
#include "groth16/setup.hpp"

#include <gtest/gtest.h>

#include "filecoin/prove/circuit.hpp"

namespace cuzk::filecoin {
namespace {

struct RecordedScalars final : SetupTarget<Bls12_381> {
    void begin(const KeyHeader<Bls12_381>& header) override { vk = header.vk; }
    void query(Query query, std::span<const Bls12_381Fr> scalars) override {
        queries.push_back(query);
        values.emplace_back(scalars.begin(), scalars.end());
    }
    void end() override { ended = true; }

    VerifyingKey<Bls12_381> vk;
    std::vector<Query> queries;
    std::vector<std::vector<Bls12_381Fr>> values;
    bool ended = false;
};

class InstancedSetup : public testing::TestWithParam<CircuitKind> {};

TEST_P(InstancedSetup, EqualsThatOfTheMatrices) {
    const CompiledCircuit circuit(GetParam(), sector_shape(2048));
    RecordedScalars instanced, plain;
    SeededRandom first(5), second(5);
    const auto vk = setup<Bls12_381>(KeyFamily::kBellman, circuit, first, instanced);
    EXPECT_EQ(setup<Bls12_381>(KeyFamily::kBellman, to_r1cs(circuit.r1cs), second, plain), vk);
    EXPECT_EQ(instanced.vk, vk);
    EXPECT_TRUE(instanced.ended);
    ASSERT_EQ(instanced.queries, plain.queries);
    for (std::size_t i = 0; i < plain.queries.size(); ++i)
        EXPECT_TRUE(instanced.values[i] == plain.values[i]) << query_name(plain.queries[i]);
}

INSTANTIATE_TEST_SUITE_P(Circuits, InstancedSetup,
                         testing::Values(CircuitKind::kUpdate, CircuitKind::kWindowPost,
                                         CircuitKind::kWinningPost, CircuitKind::kPorep),
                         [](const auto& info) {
                             std::string name = circuit_name(info.param);
                             std::erase(name, '-');
                             return name;
                         });

TEST(InstancedSetup, MakesNoSnarkjsKeys) {
    const CompiledCircuit circuit(CircuitKind::kWinningPost, sector_shape(2048));
    RecordedScalars target;
    SeededRandom random(5);
    EXPECT_THROW(setup<Bls12_381>(KeyFamily::kSnarkjs, circuit, random, target), Error);
}

}  // namespace
}  // namespace cuzk::filecoin
