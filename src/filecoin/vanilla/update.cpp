#include "filecoin/vanilla/update.hpp"

#include <fmt/core.h>

#include "filecoin/native/hash.hpp"

namespace cuzk::filecoin {

namespace {

// Position in the list of high-bit counts that the network uses (the fourth), at the first place where its value stands.
u32 high_select_index(const SectorShape& shape) {
    const u32 h = shape.update_high_bits[3];
    u32 i = 0;
    while (shape.update_high_bits[i] != h) ++i;
    return i;
}

Fr gen_randomness(const Fr& a, const Fr& b) {
    const Fr pair[] = {a, b};
    return poseidon(pair, PoseidonDomain::kGenRandomness);
}

}  // namespace

u64 partition_and_high_select(const SectorShape& shape, u32 partition) {
    return partition + (u64{1} << high_select_index(shape)) * shape.update_partitions;
}

UpdatePartition decode_update_vanilla(std::span<const u8> bytes, const std::string& name,
                                      const SectorShape& shape, u32 index,
                                      const UpdateCommitments& commitments) {
    ByteReader in(name, "update partition proof", bytes);
    UpdatePartition p;
    p.index = index;
    p.partition_and_high_select = partition_and_high_select(shape, index);
    p.comm_r_old = commitments.comm_r_old;
    p.comm_d_new = commitments.comm_d_new;
    p.comm_r_new = commitments.comm_r_new;
    p.comm_c = read_field_element(in, "comm_c");
    const u64 leaves = in.read_u64_le("apex leaf count");
    if (leaves != shape.update_apex_leaves)
        in.fail("holds " + std::to_string(leaves) + " apex leaves, this sector size has " +
                std::to_string(shape.update_apex_leaves));
    for (u64 i = 0; i < leaves; ++i) p.apex_leaves.push_back(read_field_element(in, "apex leaf"));

    const u64 count = in.read_u64_le("challenge count");
    if (count != shape.update_challenges)
        in.fail("holds " + std::to_string(count) + " challenges, this sector size has " +
                std::to_string(shape.update_challenges));
    const std::vector<u32> tree = shape.tree_arities();
    const std::vector<u32> binary(shape.log_nodes(), 2);
    const u32 partition_levels = update_detail::log2_of(shape.update_partitions);
    for (u64 i = 0; i < count; ++i) {
        const std::string where = fmt::format("challenge {}", i);
        MerkleProof old_proof = read_merkle_proof(in, fmt::format("{}, old replica tree", where));
        MerkleProof data_proof = read_merkle_proof(in, fmt::format("{}, data tree", where));
        MerkleProof new_proof = read_merkle_proof(in, fmt::format("{}, new replica tree", where));
        require_shape(old_proof.path, tree, fmt::format("{}: {}, old replica tree", name, where));
        require_shape(data_proof.path, binary, fmt::format("{}: {}, data tree", name, where));
        require_shape(new_proof.path, tree, fmt::format("{}: {}, new replica tree", name, where));
        const auto top = std::span<const MerklePath::Level>(data_proof.path.levels).last(partition_levels);
        if (i == 0) {
            p.root_r_old = old_proof.root;
            p.root_r_new = new_proof.root;
            p.partition_path.assign(top.begin(), top.end());
        }
        for (u32 k = 0; k < partition_levels; ++k)
            if (!(top[k].siblings == p.partition_path[k].siblings))
                throw Error(
                    ErrorKind::kMalformed,
                    fmt::format("{}: {} has another path from its partition to comm_d than challenge 0", name,
                                where));
        p.challenges.push_back({old_proof.leaf, data_proof.leaf, new_proof.leaf, std::move(old_proof.path),
                                std::move(data_proof.path), std::move(new_proof.path)});
    }
    in.expect_end("the partition proof");
    return p;
}

std::vector<u64> update_challenges(const SectorShape& shape, u32 partition, const Fr& comm_r_new) {
    const u32 bits = shape.log_nodes() - update_detail::log2_of(shape.update_partitions);
    const u32 per_digest = static_cast<u32>(kPackedBits) / bits;
    const u32 digests = (shape.update_challenges + per_digest - 1) / per_digest;
    std::vector<u64> out;
    for (u32 j = 0; j < digests; ++j) {
        const auto digest = gen_randomness(comm_r_new, Fr::from_u64(u64{partition} * digests + j)).to_int();
        for (u32 i = 0; i < per_digest && out.size() < shape.update_challenges; ++i)
            out.push_back(digest.bits(std::size_t{i} * bits, bits) | (u64{partition} << bits));
    }
    return out;
}

void check_update_vanilla(const UpdatePartition& p, const std::string& name, const SectorShape& shape) {
    const auto refuse = [&](const std::string& what) {
        throw Error(ErrorKind::kUnsatisfied, name + ": " + what);
    };
    if (!(replica_commitment(p.comm_c, p.root_r_old) == p.comm_r_old))
        refuse("comm_r_old is not the hash of comm_c and the old replica tree's root");
    if (!(replica_commitment(p.comm_c, p.root_r_new) == p.comm_r_new))
        refuse("comm_r_new is not the hash of comm_c and the new replica tree's root");

    const Fr phi = gen_randomness(p.comm_d_new, p.comm_r_old);
    const u32 bits = shape.log_nodes() - update_detail::log2_of(shape.update_partitions);
    const u32 apex_bits = update_detail::log2_of(shape.update_apex_leaves);
    const u32 high = shape.update_high_bits[3];
    const std::vector<u64> expected = update_challenges(shape, p.index, p.comm_r_new);
    for (std::size_t i = 0; i < p.challenges.size(); ++i) {
        const UpdateChallenge& c = p.challenges[i];
        const std::string where = fmt::format("challenge {}", i);
        for (const auto* path : {&c.old_path, &c.data_path, &c.new_path})
            if (leaf_index(*path) != expected[i])
                refuse(where + " is for leaf " + std::to_string(leaf_index(*path)) +
                       ", comm_r_new asks for leaf " + std::to_string(expected[i]));
        if (!(merkle_root(TreeHasher::kPoseidon, c.old_leaf, c.old_path) == p.root_r_old))
            refuse(where + " does not lead to the old replica tree's root");
        if (!(merkle_root(TreeHasher::kPoseidon, c.new_leaf, c.new_path) == p.root_r_new))
            refuse(where + " does not lead to the new replica tree's root");
        if (!(merkle_root(TreeHasher::kSha256, c.data_leaf, c.data_path) == p.comm_d_new))
            refuse(where + " does not lead to comm_d_new");
        MerklePath below;
        below.levels.assign(c.data_path.levels.begin(), c.data_path.levels.begin() + (bits - apex_bits));
        const u64 apex = (expected[i] >> (bits - apex_bits)) & ((u64{1} << apex_bits) - 1);
        if (!(merkle_root(TreeHasher::kSha256, c.data_leaf, below) == p.apex_leaves[apex]))
            refuse(where + " does not lead to its apex leaf");
        const Fr rho = gen_randomness(phi, Fr::from_u64(expected[i] >> (shape.log_nodes() - high)));
        if (!(c.old_leaf + c.data_leaf * rho == c.new_leaf))
            refuse(where + ": the new leaf is not the encoded data");
    }
}

}  // namespace cuzk::filecoin
