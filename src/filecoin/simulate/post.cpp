#include "filecoin/vanilla/post.hpp"
#include "filecoin/simulate/bincode.hpp"
#include "filecoin/simulate/sector.hpp"
#include "filecoin/simulate/tree.hpp"

namespace cuzk::filecoin {

namespace {

// 32 random bytes that are an element of the field.
std::vector<u8> random_challenge_seed(SeededRandom& random) {
    std::vector<u8> bytes(32);
    random.fill(bytes);
    bytes[31] &= 0x3f;
    return bytes;
}

std::vector<u8> sector_proof(const SectorShape& shape, SeededRandom& random,
                             std::span<const u8, 32> randomness, u64 sector_id, u32 challenges) {
    const SimulatedTree tree(TreeHasher::kPoseidon, shape.tree_arities(), {Fr::random(random)});
    const Fr comm_c = Fr::random(random);
    BincodeWriter out;
    out.u64_le(sector_id);
    out.element(replica_commitment(comm_c, tree.root()));
    out.u64_le(1);
    out.u64_le(challenges);
    for (u32 i = 0; i < challenges; ++i) {
        const u64 leaf = post_challenge(randomness, sector_id, i, shape.nodes());
        out.merkle_proof({tree.root(), tree.leaf(leaf), tree.path(leaf)}, &shape.tree);
    }
    out.element(comm_c);
    out.element(tree.root());
    return out.take();
}

ProofRequest simulate_post(const SectorShape& shape, const SimulateOptions& options, ProofKind kind,
                           u32 sectors, u32 challenges) {
    SeededRandom random(options.seed);
    ProofRequest r;
    r.kind = kind;
    r.sector_size = shape.bytes;
    r.miner_id = 1000;
    r.randomness = random_challenge_seed(random);
    const std::span<const u8, 32> randomness(r.randomness.data(), 32);
    for (u32 i = 0; i < sectors; ++i)
        r.vanilla_proofs.push_back(sector_proof(shape, random, randomness, i + 1, challenges));
    return r;
}

}  // namespace

ProofRequest simulate_window_post(const SectorShape& shape, const SimulateOptions& options) {
    ProofRequest r =
        simulate_post(shape, options, ProofKind::kWindowPost,
                      options.sectors != 0 ? options.sectors : shape.window_slots, kWindowChallenges);
    r.request_id = "simulated-window-post-" + sector_size_name(shape.bytes);
    r.registered_proof = 10;  // challenge indices restart in each sector
    return r;
}

ProofRequest simulate_winning_post(const SectorShape& shape, const SimulateOptions& options) {
    ProofRequest r = simulate_post(shape, options, ProofKind::kWinningPost, 1, kWinningSlots);
    r.request_id = "simulated-winning-post-" + sector_size_name(shape.bytes);
    return r;
}

}  // namespace cuzk::filecoin
