#include "filecoin/vanilla/update.hpp"

#include "filecoin/simulate/bincode.hpp"
#include "filecoin/simulate/sector.hpp"
#include "filecoin/simulate/tree.hpp"

namespace cuzk::filecoin {

namespace {

std::vector<u8> bytes_of(const Fr& x) {
    std::vector<u8> out(32);
    x.to_bytes_le(std::span<u8, 32>(out.data(), 32));
    return out;
}

}  // namespace

ProofRequest simulate_update(const SectorShape& shape, const SimulateOptions& options) {
    SeededRandom random(options.seed);
    const Fr data = Fr::random(random);
    const Fr old_leaf = Fr::random(random);
    const Fr comm_c = Fr::random(random);
    const SimulatedTree data_tree(TreeHasher::kSha256, std::vector<u32>(shape.log_nodes(), 2), {data});
    const SimulatedTree old_tree(TreeHasher::kPoseidon, shape.tree_arities(), {old_leaf});
    const Fr comm_r_old = replica_commitment(comm_c, old_tree.root());

    // The encoding's factor depends on the highest bits of a node's index alone, so the new replica is as many runs of equal
    // nodes.
    const auto hash = [](const Fr& a, const Fr& b) {
        const Fr pair[] = {a, b};
        return poseidon(pair, PoseidonDomain::kGenRandomness);
    };
    const Fr phi = hash(data_tree.root(), comm_r_old);
    std::vector<Fr> runs(std::size_t{1} << shape.update_high_bits[3]);
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i] = old_leaf + data * hash(phi, Fr::from_u64(i));
    const SimulatedTree new_tree(TreeHasher::kPoseidon, shape.tree_arities(), runs);
    const Fr comm_r_new = replica_commitment(comm_c, new_tree.root());

    ProofRequest r;
    r.request_id = "simulated-update-" + sector_size_name(shape.bytes);
    r.kind = ProofKind::kSnapDealsUpdate;
    r.sector_size = shape.bytes;
    r.miner_id = 1000;
    r.sector_number = 1;
    r.comm_r_old = bytes_of(comm_r_old);
    r.comm_d_new = bytes_of(data_tree.root());
    r.comm_r_new = bytes_of(comm_r_new);
    const u32 partition_bits = update_detail::log2_of(shape.update_partitions);
    const u32 apex_level =
        shape.log_nodes() - partition_bits - update_detail::log2_of(shape.update_apex_leaves);
    for (u32 k = 0; k < shape.update_partitions; ++k) {
        BincodeWriter out;
        out.element(comm_c);
        out.u64_le(shape.update_apex_leaves);
        for (u32 i = 0; i < shape.update_apex_leaves; ++i)
            out.element(data_tree.node(apex_level, u64{k} * shape.update_apex_leaves + i));
        const std::vector<u64> challenges = update_challenges(shape, k, comm_r_new);
        out.u64_le(challenges.size());
        for (const u64 c : challenges) {
            out.merkle_proof({old_tree.root(), old_tree.leaf(c), old_tree.path(c)}, &shape.tree);
            out.merkle_proof({data_tree.root(), data_tree.leaf(c), data_tree.path(c)}, nullptr);
            out.merkle_proof({new_tree.root(), new_tree.leaf(c), new_tree.path(c)}, &shape.tree);
        }
        r.vanilla_proofs.push_back(out.take());
    }
    return r;
}

}  // namespace cuzk::filecoin
