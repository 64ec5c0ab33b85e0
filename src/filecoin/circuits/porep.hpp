// StackedDRG: the circuit of PoRep seal commit.
#pragma once

#include "filecoin/gadgets/merkle.hpp"
#include "filecoin/shapes.hpp"

namespace cuzk::filecoin {

// One parent of a challenged node: its labels, layer 1 first, and where the hash of that column is in tree C.
struct PorepParent {
    std::vector<Fr> column;
    MerklePath path;
};

struct PorepChallenge {
    u64 node = 0;
    Fr data_leaf;
    MerklePath data_path;              // tree D
    std::vector<PorepParent> parents;  // 6 DRG, then 8 expander
    MerklePath replica_path;           // tree R
    MerklePath column_path;            // tree C
};

struct PorepPartition {
    u32 layers = 0;
    Fr replica_id, comm_d, comm_r, comm_r_last, comm_c;
    std::vector<PorepChallenge> challenges;
};

// Zero values in the right shape: for structure mode.
PorepPartition blank_porep(const SectorShape& shape);

namespace porep_detail {

// The 37 parents that a label hashes: all parents in a cycle (only the DRG ones in the first layer).
template <class CS>
Bits parent_stream(CS& cs, const std::vector<std::vector<Num>>& columns, u32 layer) {
    std::vector<Bits> unpacked;
    for (u32 p = 0; p < kDrgParents; ++p)
        unpacked.push_back(reverse_bytes(to_bits(cs, columns[p][layer - 1])));
    for (u32 p = kDrgParents; layer > 1 && p < columns.size(); ++p)
        unpacked.push_back(reverse_bytes(to_bits(cs, columns[p][layer - 2])));
    Bits stream;
    stream.reserve(std::size_t{kLabelParents} * 256);
    for (u32 i = 0; i < kLabelParents; ++i) {
        const Bits& bits = unpacked[i % unpacked.size()];
        stream.insert(stream.end(), bits.begin(), bits.end());
    }
    return stream;
}

template <class CS>
Num label(CS& cs, const Bits& replica_id, const Bits& node, const std::vector<std::vector<Num>>& columns,
          u32 layer) {
    const Bits parents = parent_stream(cs, columns, layer);
    Bits message = replica_id;
    for (std::size_t i = 32; i-- > 0;) message.push_back(Bit::constant(((layer >> i) & 1) != 0));
    message.insert(message.end(), node.rbegin(), node.rend());
    message.resize(512, Bit::constant(false));
    message.insert(message.end(), parents.begin(), parents.end());
    return pack_bits(cs, reverse_bytes(sha256_gadget(cs, std::move(message))));
}

template <class CS>
void challenge(CS& cs, const PorepPartition& partition, const PorepChallenge& c, const Bits& replica_id,
               const Num& comm_d, const Num& comm_r_last, const Num& comm_c) {
    const Num data_leaf = cs.alloc_num(c.data_leaf);
    merkle_inclusion(cs, TreeHasher::kSha256, data_leaf, c.data_path, comm_d);

    std::vector<std::vector<Num>> columns;
    for (const PorepParent& parent : c.parents) {
        auto& column = columns.emplace_back();
        for (const Fr& value : parent.column) column.push_back(cs.alloc_num(value));
        const Num leaf = poseidon_gadget(cs, std::span<const Num>(column));
        merkle_inclusion(cs, TreeHasher::kPoseidon, leaf, parent.path, comm_c);
    }

    const Bits node = alloc_bits(cs, c.node, 64);
    pack_into_inputs(cs, std::span<const Bit>(node));

    // A label depends on its parents' columns only, not on the layer below, so layers are independent.
    std::vector<Num> labels(partition.layers);
    cs.for_each(partition.layers, [&](CS& part, std::size_t layer) {
        labels[layer] = label(part, replica_id, node, columns, static_cast<u32>(layer + 1));
    });

    const Num encoded = add_nums(cs, labels.back(), data_leaf);
    merkle_inclusion(cs, TreeHasher::kPoseidon, encoded, c.replica_path, comm_r_last);
    const Num column_hash = poseidon_gadget(cs, std::span<const Num>(labels));
    merkle_inclusion(cs, TreeHasher::kPoseidon, column_hash, c.column_path, comm_c);
}

}  // namespace porep_detail

template <class CS>
void synthesize(CS& cs, const PorepPartition& partition) {
    const Num replica_id = cs.alloc_num(partition.replica_id);
    inputize(cs, replica_id);
    const Bits replica_id_bits = reverse_bytes(to_bits(cs, replica_id));
    const Num comm_d = cs.alloc_num(partition.comm_d);
    inputize(cs, comm_d);
    const Num comm_r = cs.alloc_num(partition.comm_r);
    inputize(cs, comm_r);
    const Num comm_r_last = cs.alloc_num(partition.comm_r_last);
    const Num comm_c = cs.alloc_num(partition.comm_c);
    enforce_equal(cs, comm_r, poseidon_gadget(cs, comm_c, comm_r_last));

    cs.for_each(partition.challenges.size(), [&](CS& part, std::size_t i) {
        porep_detail::challenge(part, partition, partition.challenges[i], replica_id_bits, comm_d,
                                comm_r_last, comm_c);
    });
}

}  // namespace cuzk::filecoin
