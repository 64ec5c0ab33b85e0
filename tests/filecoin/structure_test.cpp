// The circuits' constraint systems against those that the network's own software emits, row by row.
#include "structure_digest.hpp"

#include <cstdlib>

#include "filecoin/circuits/compile.hpp"
#include "groth16/instanced_circuit.hpp"
#include "oracle.hpp"

namespace cuzk::filecoin {
namespace {

struct Case {
    const char* name;
    CircuitKind kind;
    const char* size;
    const char* file;  // under the oracle's folder; a case's circuit.json or a blank-*.json
    bool large;        // minutes of hashing
};

void PrintTo(const Case& c, std::ostream* out) {
    *out << c.name;
}

class Structure : public testing::TestWithParam<Case> {};

TEST_P(Structure, EqualsTheNetworksRowByRow) {
    CUZK_NEED_ORACLE();
    const Case& c = GetParam();
    if (c.large && std::getenv("CUZK_LONG_TESTS") == nullptr)
        GTEST_SKIP() << "hashes tens of gigabytes; run with CUZK_LONG_TESTS=1";

    const nlohmann::json file = oracle::load(c.file);
    const bool blank = !file.contains("partitions_recorded");
    const nlohmann::json& expected = blank ? file : file["partitions_recorded"][0];
    const InstancedR1cs r1cs = compile_circuit(c.kind, sector_shape(parse_sector_size(c.size)));
    ASSERT_EQ(r1cs.inputs, expected["num_inputs"].get<u32>());
    ASSERT_EQ(r1cs.aux, expected["num_aux"].get<u32>());
    ASSERT_EQ(r1cs.constraints, expected["num_constraints"].get<u64>());
    EXPECT_LT(r1cs.bytes(), std::size_t{1} << 30);

    const auto digests =
        digest_structure(r1cs, blank ? 65536 : 4096, expected.contains("tcs_blake2s") && !c.large);
    const auto checkpoints = expected["constraint_checkpoints"].get<std::vector<std::string>>();
    for (std::size_t i = 0; i < std::min(checkpoints.size(), digests.checkpoints.size()); ++i)
        ASSERT_EQ(digests.checkpoints[i], checkpoints[i]) << "first difference after checkpoint " << i;
    EXPECT_EQ(digests.checkpoints.size(), checkpoints.size());
    EXPECT_EQ(digests.constraints_sha256, expected["constraints_sha256"].get<std::string>());
    if (!digests.tcs_blake2s.empty()) {
        EXPECT_EQ(digests.tcs_blake2s, expected["tcs_blake2s"].get<std::string>());
    }
    for (int m = 0; m < 3; ++m) EXPECT_EQ(digests.nnz[m], expected["nnz"][m].get<u64>());

    const ColumnDensity density = column_density(r1cs);
    EXPECT_EQ(density.a_aux.count(), expected["a_aux_density"].get<u64>());
    EXPECT_EQ(density.b_inputs.count(), expected["b_input_density"].get<u64>());
    EXPECT_EQ(density.b_aux.count(), expected["b_aux_density"].get<u64>());
}

INSTANTIATE_TEST_SUITE_P(
    Circuits, Structure,
    testing::Values(
        Case{"porep2KiB", CircuitKind::kPorep, "2KiB", "porep-2KiB/circuit.json", false},
        Case{"porep4KiB", CircuitKind::kPorep, "4KiB", "porep-4KiB/circuit.json", false},
        Case{"porep32KiB", CircuitKind::kPorep, "32KiB", "porep-32KiB/circuit.json", false},
        Case{"porep8MiB", CircuitKind::kPorep, "8MiB", "porep-8MiB/circuit.json", false},
        Case{"porep512MiB", CircuitKind::kPorep, "512MiB", "blank-porep-512MiB.json", false},
        Case{"porep32GiB", CircuitKind::kPorep, "32GiB", "blank-porep-32GiB.json", true},
        Case{"porep64GiB", CircuitKind::kPorep, "64GiB", "blank-porep-64GiB.json", true},
        Case{"update2KiB", CircuitKind::kUpdate, "2KiB", "snap-2KiB/circuit.json", false},
        Case{"update4KiB", CircuitKind::kUpdate, "4KiB", "snap-4KiB/circuit.json", false},
        Case{"update32KiB", CircuitKind::kUpdate, "32KiB", "snap-32KiB/circuit.json", false},
        Case{"update8MiB", CircuitKind::kUpdate, "8MiB", "snap-8MiB/circuit.json", false},
        Case{"update512MiB", CircuitKind::kUpdate, "512MiB", "blank-snap-512MiB.json", true},
        Case{"update32GiB", CircuitKind::kUpdate, "32GiB", "blank-snap-32GiB.json", true},
        Case{"update64GiB", CircuitKind::kUpdate, "64GiB", "blank-snap-64GiB.json", true},
        Case{"window2KiB", CircuitKind::kWindowPost, "2KiB", "wpost-2KiB/circuit.json", false},
        Case{"window4KiB", CircuitKind::kWindowPost, "4KiB", "wpost-4KiB/circuit.json", false},
        Case{"window32KiB", CircuitKind::kWindowPost, "32KiB", "wpost-32KiB/circuit.json", false},
        Case{"window8MiB", CircuitKind::kWindowPost, "8MiB", "wpost-8MiB/circuit.json", false},
        Case{"window512MiB", CircuitKind::kWindowPost, "512MiB", "blank-wpost-512MiB.json", false},
        Case{"window32GiB", CircuitKind::kWindowPost, "32GiB", "blank-wpost-32GiB.json", true},
        Case{"window64GiB", CircuitKind::kWindowPost, "64GiB", "blank-wpost-64GiB.json", true},
        Case{"winning2KiB", CircuitKind::kWinningPost, "2KiB", "winning-2KiB/circuit.json", false},
        Case{"winning4KiB", CircuitKind::kWinningPost, "4KiB", "winning-4KiB/circuit.json", false},
        Case{"winning32KiB", CircuitKind::kWinningPost, "32KiB", "winning-32KiB/circuit.json", false},
        Case{"winning8MiB", CircuitKind::kWinningPost, "8MiB", "winning-8MiB/circuit.json", false},
        Case{"winning512MiB", CircuitKind::kWinningPost, "512MiB", "blank-winning-512MiB.json", false},
        Case{"winning32GiB", CircuitKind::kWinningPost, "32GiB", "blank-winning-32GiB.json", false},
        Case{"winning64GiB", CircuitKind::kWinningPost, "64GiB", "blank-winning-64GiB.json", false}),
    [](const auto& info) { return std::string(info.param.name); });

// Sizes that the vectors lack: counts of the specification's table.
TEST(StructureCounts, SixteenKiB) {
    const auto counts = [](CircuitKind kind) {
        const InstancedR1cs r = compile_circuit(kind, sector_shape(parse_sector_size("16KiB")));
        return std::array<u64, 3>{r.inputs, r.aux, r.constraints};
    };
    EXPECT_EQ(counts(CircuitKind::kPorep), (std::array<u64, 3>{40, 2974867, 2977173}));
    EXPECT_EQ(counts(CircuitKind::kUpdate), (std::array<u64, 3>{5, 6293944, 6300021}));
    EXPECT_EQ(counts(CircuitKind::kWindowPost), (std::array<u64, 3>{23, 32868, 32466}));
    EXPECT_EQ(counts(CircuitKind::kWinningPost), (std::array<u64, 3>{133, 127116, 125730}));
}

}  // namespace
}  // namespace cuzk::filecoin
