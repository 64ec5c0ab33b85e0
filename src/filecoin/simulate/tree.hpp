// Merkle trees over billions of leaves that are all alike but for a few: only what differs is stored.
#pragma once

#include <map>

#include "filecoin/native/hash.hpp"

namespace cuzk::filecoin {

// The leaves are equal inside each of `segments.size()` (a power of two) equal runs, except for `special` ones.
class SimulatedTree {
public:
    // Arities leaf level first, each a power of two.
    SimulatedTree(TreeHasher hasher, std::vector<u32> arities, std::vector<Fr> segments,
                  const std::map<u64, Fr>& special = {});

    Fr root() const { return node(arities_.size(), 0); }
    Fr leaf(u64 index) const { return node(0, index); }
    MerklePath path(u64 leaf) const;
    // Node `index` of a level, 0 being the leaves.
    Fr node(std::size_t level, u64 index) const;

private:
    Fr parent(std::size_t level, u64 index) const;  // hash of the children of a node
    unsigned span_bits(std::size_t level) const { return span_bits_[level]; }

    TreeHasher hasher_;
    std::vector<u32> arities_;
    std::vector<unsigned> span_bits_;        // log2 of the leaves under a node of each level
    unsigned segment_bits_ = 0;              // log2 of the leaves of a segment
    std::vector<std::vector<Fr>> uniform_;   // [level][segment], levels that fit into a segment
    std::vector<std::vector<Fr>> explicit_;  // [level][index], levels above; empty below
    std::vector<std::map<u64, Fr>> special_;
};

}  // namespace cuzk::filecoin
