// Simulated sectors: their requests decode, pass the native checks, satisfy their circuits and survive a round trip.
#include <gtest/gtest.h>

#include "filecoin/prove/circuit.hpp"
#include "filecoin/simulate/sector.hpp"
#include "filecoin/simulate/tree.hpp"
#include "filecoin/vanilla/challenges.hpp"

namespace cuzk::filecoin {
namespace {

// Request -> JSON -> request -> job, as a user's file would go.
ProofJob round_trip(const ProofRequest& request) {
    const std::string json = request_to_json(request);
    return prepare(parse_request(std::span(reinterpret_cast<const u8*>(json.data()), json.size()), "request"),
                   "request");
}

void expect_satisfied(const ProofRequest& request) {
    const ProofJob job = round_trip(request);
    const CompiledCircuit circuit(job.circuit, job.shape);
    for (std::size_t k = 0; k < job.partitions.size(); ++k)
        EXPECT_NO_THROW(circuit.assignment(job.witness(k))) << k;
}

SectorShape shape(const char* size) {
    return sector_shape(parse_sector_size(size));
}

TEST(Simulate, PorepSatisfiesItsCircuit) {
    for (const char* size : {"2KiB", "4KiB", "32KiB", "8MiB"})
        expect_satisfied(simulate_porep(shape(size), {.seed = 3}));
    const ProofJob many = round_trip(simulate_porep(shape("2KiB"), {.seed = 4, .non_interactive = true}));
    EXPECT_EQ(many.partitions.size(), 13u);
    expect_satisfied(simulate_porep(shape("2KiB"), {.seed = 5, .synthetic = true}));
}

TEST(Simulate, UpdateSatisfiesItsCircuit) {
    for (const char* size : {"2KiB", "4KiB", "8MiB"})
        expect_satisfied(simulate_update(shape(size), {.seed = 6}));
}

TEST(Simulate, PostSatisfiesItsCircuit) {
    for (const char* size : {"2KiB", "32KiB", "512MiB"}) {
        expect_satisfied(simulate_window_post(shape(size), {.seed = 7}));
        expect_satisfied(simulate_winning_post(shape(size), {.seed = 8}));
    }
    EXPECT_EQ(round_trip(simulate_window_post(shape("2KiB"), {.sectors = 5})).partitions.size(), 3u);
}

// Production sizes decode and pass every native check; their witness has the circuit's variables.
TEST(Simulate, ThirtyTwoGibibytes) {
    const ProofJob porep = round_trip(simulate_porep(shape("32GiB"), {}));
    EXPECT_EQ(porep.partitions.size(), 10u);
    const CompactWitness witness = porep.witness(9);
    EXPECT_EQ(witness.aux(), 130169893u);
    EXPECT_EQ(witness.bits.size(), 128470791u);
    EXPECT_EQ(witness.inputs.size(), 328u);
    EXPECT_LT(witness.bytes(), std::size_t{200} << 20);

    const ProofJob update = round_trip(simulate_update(shape("32GiB"), {}));
    EXPECT_EQ(update.partitions.size(), 16u);
    EXPECT_EQ(update.witness(15).aux(), 80978488u);
    expect_satisfied(simulate_winning_post(shape("32GiB"), {}));
}

// A tree with few special leaves against the same tree written out.
TEST(SimulatedTree, EqualsTheFullTree) {
    SeededRandom random(9);
    const std::vector<u32> arities = {8, 8, 2};
    std::vector<Fr> segments(4);
    for (Fr& s : segments) s = Fr::random(random);
    const std::map<u64, Fr> special = {
        {0, Fr::random(random)}, {17, Fr::random(random)}, {127, Fr::random(random)}};
    const SimulatedTree tree(TreeHasher::kPoseidon, arities, segments, special);

    std::vector<Fr> row(128);
    for (std::size_t i = 0; i < row.size(); ++i)
        row[i] = special.contains(i) ? special.at(i) : segments[i / 32];
    for (const u32 arity : arities) {
        std::vector<Fr> above;
        for (std::size_t i = 0; i < row.size(); i += arity)
            above.push_back(poseidon(std::span(row).subspan(i, arity)));
        row = above;
    }
    EXPECT_EQ(tree.root(), row[0]);
    for (const u64 leaf : {0, 1, 16, 17, 64, 126, 127})
        EXPECT_EQ(merkle_root(TreeHasher::kPoseidon, tree.leaf(leaf), tree.path(leaf)), tree.root()) << leaf;
}

// Vectors of the network's own derivations: replica id 55, seed of ones, 2^30 nodes, partition 3 of 18 challenges.
TEST(Challenges, EqualTheNetworks) {
    const Fr replica_id = Fr::from_u64(55);
    std::array<u8, 32> seed{};
    seed.fill(1);
    const u64 interactive[] = {384607964, 257197245, 1005487086, 537909639, 174250658};
    const u64 non_interactive[] = {623162789, 295653465, 58647768, 319875145, 435673575};
    for (u32 i = 0; i < 5; ++i) {
        EXPECT_EQ(interactive_challenge(replica_id, seed, 18 * 3 + i, u64{1} << 30), interactive[i]);
        EXPECT_EQ(non_interactive_challenge(replica_id, Fr::from_u64(101), 18 * 3 + i, u64{1} << 30),
                  non_interactive[i]);
    }
}

}  // namespace
}  // namespace cuzk::filecoin
