// Merkle inclusion in the circuit.
#pragma once

#include "filecoin/gadgets/insertion.hpp"
#include "filecoin/gadgets/poseidon.hpp"
#include "filecoin/gadgets/sha256.hpp"

namespace cuzk::filecoin {

enum class TreeHasher {
    kPoseidon,  // arity by level: 2, 4 or 8
    kSha256,    // binary
};

// The way from a leaf to its root, leaf level first; base, sub and top tree levels are one list.
struct MerklePath {
    struct Level {
        std::vector<Fr> siblings;  // arity - 1, in order
        u32 index = 0;             // place of the running node among its siblings
    };
    std::vector<Level> levels;
};

template <class CS>
Num hash_children(CS& cs, TreeHasher hasher, const std::vector<Num>& children) {
    return hasher == TreeHasher::kSha256 ? sha256_pair(cs, children[0], children[1])
                                         : poseidon_gadget(cs, std::span<const Num>(children));
}

// Proof of inclusion with the leaf's index as one public input: index bits and siblings are allocated level by level.
template <class CS>
void merkle_inclusion(CS& cs, TreeHasher hasher, const Num& leaf, const MerklePath& path, const Num& root) {
    Num current = leaf;
    Bits index;
    for (const auto& level : path.levels) {
        const auto width = static_cast<std::size_t>(std::bit_width(level.siblings.size()));
        const Bits bits = alloc_bits(cs, level.index, width);
        index.insert(index.end(), bits.begin(), bits.end());
        std::vector<Num> siblings;
        for (const Fr& s : level.siblings) siblings.push_back(cs.alloc_num(s));
        current = hash_children(cs, hasher, insert(cs, current, bits, siblings));
    }
    pack_into_inputs(cs, index);
    enforce_equal(cs, current, root);
}

// Proof of inclusion without a public input; the siblings are allocated already, the index bits are given.
// Throws Error(kInternal) where bits and levels disagree.
template <class CS>
void merkle_inclusion_at(CS& cs, TreeHasher hasher, const Num& leaf, std::span<const Bit> index,
                         const std::vector<std::vector<Num>>& siblings, const Num& root) {
    Num current = leaf;
    for (const auto& level : siblings) {
        const auto width = static_cast<std::size_t>(std::bit_width(level.size()));
        if (index.size() < width) throw Error(ErrorKind::kInternal, "too few index bits for a Merkle path");
        current = hash_children(cs, hasher, insert(cs, current, index.first(width), level));
        index = index.subspan(width);
    }
    enforce_equal(cs, current, root);
}

// Allocates the siblings of a path, levels in order.
template <class CS>
std::vector<std::vector<Num>> alloc_siblings(CS& cs, std::span<const MerklePath::Level> levels) {
    std::vector<std::vector<Num>> out;
    for (const auto& level : levels) {
        auto& nums = out.emplace_back();
        for (const Fr& s : level.siblings) nums.push_back(cs.alloc_num(s));
    }
    return out;
}

}  // namespace cuzk::filecoin
