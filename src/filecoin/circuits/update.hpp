// EmptySectorUpdate: the circuit of SnapDeals.
#pragma once

#include "filecoin/gadgets/merkle.hpp"
#include "filecoin/shapes.hpp"

namespace cuzk::filecoin {

struct UpdateChallenge {
    Fr old_leaf, data_leaf, new_leaf;
    MerklePath old_path, data_path, new_path;  // tree R before, tree D (whole), tree R after
};

struct UpdatePartition {
    u32 index = 0;                      // k
    u64 partition_and_high_select = 0;  // k + h_select * partitions: the first public input
    Fr comm_r_old, comm_d_new, comm_r_new;
    Fr comm_c, root_r_old, root_r_new;
    std::vector<Fr> apex_leaves;
    std::vector<MerklePath::Level> partition_path;  // top levels of tree D, above the apex root
    std::vector<UpdateChallenge> challenges;
};

// Zero values in the right shape: for structure mode.
UpdatePartition blank_update(const SectorShape& shape);

namespace update_detail {

struct Common {
    const SectorShape& shape;
    Num partition;
    Bits partition_bits, high_select_bits;
    Num comm_r_new, phi, root_r_old, root_r_new;
    std::vector<Num> apex_leaves;
};

inline u32 log2_of(u32 x) {
    return static_cast<u32>(std::countr_zero(x));
}

// The apex tree over the apex leaves, then up to comm_d by the partition's path.
template <class CS>
void apex_tree(CS& cs, const Common& common, const std::vector<std::vector<Num>>& path, const Num& comm_d) {
    std::vector<Num> row = common.apex_leaves;
    while (row.size() > 1) {
        std::vector<Num> above(row.size() / 2);
        cs.for_each(above.size(), [&](CS& part, std::size_t i) {
            above[i] = sha256_pair(part, row[2 * i], row[2 * i + 1]);
        });
        row = std::move(above);
    }
    merkle_inclusion_at(cs, TreeHasher::kSha256, row.front(), std::span<const Bit>(common.partition_bits),
                        path, comm_d);
}

// Random index bits of every challenge, without the partition's own bits.
template <class CS>
std::vector<Bits> challenge_bits(CS& cs, const Common& common) {
    const u32 per_challenge = common.shape.log_nodes() - log2_of(common.shape.update_partitions);
    const u32 per_digest = static_cast<u32>(kPackedBits) / per_challenge;
    const u32 digests = (common.shape.update_challenges + per_digest - 1) / per_digest;
    std::vector<Bits> out;
    for (u32 j = 0; j < digests; ++j) {
        const Num index = cs.alloc_num(common.partition.value * Fr::from_u64(digests) + Fr::from_u64(j));
        if constexpr (CS::kStructure)
            cs.enforce(LinearCombination()
                           .add(common.partition.var, Fr::from_u64(digests))
                           .add(Var::one(), Fr::from_u64(j)),
                       constant_one(), LinearCombination(index.var));
        const Num digest = poseidon_gadget(cs, common.comm_r_new, index, PoseidonDomain::kGenRandomness);
        const Bits bits = binary_decomposition(cs, digest);
        for (u32 i = 0; i < per_digest && out.size() < common.shape.update_challenges; ++i) {
            const auto first = bits.begin() + static_cast<std::ptrdiff_t>(std::size_t{i} * per_challenge);
            out.emplace_back(first, first + per_challenge);
        }
    }
    return out;
}

// rho: the randomness of a challenge, from the highest h bits of its index, h chosen by high_select.
template <class CS>
Num encoding_factor(CS& cs, const Common& common, const Bits& index) {
    std::vector<Num> gated;
    for (std::size_t i = 0; i < common.shape.update_high_bits.size(); ++i) {
        const std::size_t h = common.shape.update_high_bits[i];
        const Num high = pack_bits(cs, std::span<const Bit>(index).last(h));
        const Bit& chosen = common.high_select_bits[i];
        const Num z = cs.alloc_num(chosen.value ? high.value : Fr::zero());
        if constexpr (CS::kStructure)
            cs.enforce(LinearCombination(high.var), LinearCombination().add(chosen),
                       LinearCombination(z.var));
        gated.push_back(z);
    }
    Fr sum;
    LinearCombination lc;
    for (const Num& z : gated) {
        sum += z.value;
        if constexpr (CS::kStructure) lc.add(z.var);
    }
    const Num high = cs.alloc_num(sum);
    if constexpr (CS::kStructure) cs.enforce(std::move(lc), constant_one(), LinearCombination(high.var));
    return poseidon_gadget(cs, common.phi, high, PoseidonDomain::kGenRandomness);
}

template <class CS>
void challenge(CS& cs, const Common& common, const UpdateChallenge& c, const Bits& random_bits) {
    Bits index = random_bits;
    index.insert(index.end(), common.partition_bits.begin(), common.partition_bits.end());
    const std::span<const Bit> all(index);
    const Num rho = encoding_factor(cs, common, index);

    const Num old_leaf = cs.alloc_num(c.old_leaf);
    const Num data_leaf = cs.alloc_num(c.data_leaf);
    const Num masked = mul_nums(cs, data_leaf, rho);
    const Num new_leaf = cs.alloc_num(c.new_leaf);
    if constexpr (CS::kStructure)
        cs.enforce(LinearCombination(old_leaf.var).add(masked.var), constant_one(),
                   LinearCombination(new_leaf.var));

    const auto old_siblings = alloc_siblings(cs, std::span<const MerklePath::Level>(c.old_path.levels));
    merkle_inclusion_at(cs, TreeHasher::kPoseidon, old_leaf, all, old_siblings, common.root_r_old);
    const auto new_siblings = alloc_siblings(cs, std::span<const MerklePath::Level>(c.new_path.levels));
    merkle_inclusion_at(cs, TreeHasher::kPoseidon, new_leaf, all, new_siblings, common.root_r_new);

    const std::size_t apex_bits = log2_of(common.shape.update_apex_leaves);
    const std::size_t below_apex = random_bits.size() - apex_bits;
    const Num apex_leaf = select(cs, common.apex_leaves, all.subspan(below_apex, apex_bits));
    const auto data_siblings =
        alloc_siblings(cs, std::span<const MerklePath::Level>(c.data_path.levels).first(below_apex));
    merkle_inclusion_at(cs, TreeHasher::kSha256, data_leaf, all.first(below_apex), data_siblings, apex_leaf);
}

}  // namespace update_detail

template <class CS>
void synthesize(CS& cs, const SectorShape& shape, const UpdatePartition& p) {
    using namespace update_detail;
    const u32 partition_bit_count = log2_of(shape.update_partitions);

    const Num khs = cs.alloc_num(Fr::from_u64(p.partition_and_high_select));
    inputize(cs, khs);
    const Bits khs_bits = alloc_bits(cs, p.partition_and_high_select, partition_bit_count + 6);
    if constexpr (CS::kStructure)
        cs.enforce(weighted_sum(khs_bits), constant_one(), LinearCombination(khs.var));
    const auto split = khs_bits.begin() + partition_bit_count;
    const Bits partition_bits(khs_bits.begin(), split);
    const Num partition = pack_bits(cs, std::span<const Bit>(partition_bits));

    const Num comm_r_old = cs.alloc_num(p.comm_r_old);
    inputize(cs, comm_r_old);
    const Num comm_d_new = cs.alloc_num(p.comm_d_new);
    inputize(cs, comm_d_new);
    const Num comm_r_new = cs.alloc_num(p.comm_r_new);
    inputize(cs, comm_r_new);
    const Num phi = poseidon_gadget(cs, comm_d_new, comm_r_old, PoseidonDomain::kGenRandomness);

    const Num comm_c = cs.alloc_num(p.comm_c);
    Common common{.shape = shape,
                  .partition = partition,
                  .partition_bits = partition_bits,
                  .high_select_bits = Bits(split, khs_bits.end()),
                  .comm_r_new = comm_r_new,
                  .phi = phi,
                  .root_r_old = cs.alloc_num(p.root_r_old),
                  .root_r_new = cs.alloc_num(p.root_r_new),
                  .apex_leaves = {}};
    for (const Fr& leaf : p.apex_leaves) common.apex_leaves.push_back(cs.alloc_num(leaf));
    const auto partition_path = alloc_siblings(cs, std::span<const MerklePath::Level>(p.partition_path));

    enforce_equal(cs, poseidon_gadget(cs, comm_c, common.root_r_old), comm_r_old);
    enforce_equal(cs, poseidon_gadget(cs, comm_c, common.root_r_new), comm_r_new);
    apex_tree(cs, common, partition_path, comm_d_new);
    const std::vector<Bits> random_bits = challenge_bits(cs, common);
    cs.for_each(p.challenges.size(),
                [&](CS& part, std::size_t i) { challenge(part, common, p.challenges[i], random_bits[i]); });
}

}  // namespace cuzk::filecoin
