// The network's graph of a PoRep sector: which nodes a node's label depends on. Provers find the parents in the vanilla proof;
// a verifier that has public data alone derives them here.
#pragma once

#include <array>
#include <span>

#include "filecoin/shapes.hpp"

namespace cuzk::filecoin {

// The six parents inside a layer are drawn by bucket sampling (Alwen, Blocki, Harsha 2017), the eight of the layer before by a
// keyed permutation of all edges (Chung's construction, a Feistel network of three rounds). Thread-safe.
class ParentGraph {
public:
    // `porep_id` seeds both. `version_1_0` follows the first version of the network's API, which puts the predecessor last and
    // cuts large edge numbers to 32 bits.
    ParentGraph(u64 nodes, std::span<const u8, 32> porep_id, bool version_1_0);

    using Parents = std::array<u32, kDrgParents + kExpanderParents>;
    // In the order of the circuit's inputs. `node` is below the number of nodes.
    Parents operator()(u32 node) const;

private:
    void drg_parents(u32 node, std::span<u32, kDrgParents> out) const;
    u64 permute(u64 edge) const;

    u64 nodes_;
    bool version_1_0_;
    std::array<u8, 32> drg_seed_{};  // the node's number takes the last four bytes
    std::array<u64, 3> feistel_keys_{};
    unsigned half_bits_ = 1;  // of an edge number, in the permutation's domain of 4^half_bits
};

}  // namespace cuzk::filecoin
