#include "filecoin/simulate/bincode.hpp"

namespace cuzk::filecoin {

void BincodeWriter::element(const Fr& x) {
    bytes_.resize(bytes_.size() + 32);
    x.to_bytes_le(std::span<u8, 32>(bytes_.data() + bytes_.size() - 32, 32));
}

void BincodeWriter::path(std::span<const MerklePath::Level> levels) {
    u64_le(levels.size());
    for (const auto& level : levels) {
        u64_le(level.siblings.size());
        for (const Fr& s : level.siblings) element(s);
        u64_le(level.index);
    }
}

void BincodeWriter::merkle_proof(const MerkleProof& proof, const TreeShape* shape) {
    const u32 upper = shape == nullptr ? 0 : (shape->sub != 0 ? 1u : 0u) + (shape->top != 0 ? 1u : 0u);
    const std::span<const MerklePath::Level> levels(proof.path.levels);
    u32_le(upper);
    if (upper == 0) {
        element(proof.root);
        element(proof.leaf);
        path(levels);
        return;
    }
    path(levels.first(levels.size() - upper));
    for (u32 i = upper; i > 0; --i) path(levels.subspan(levels.size() - i, 1));
    element(proof.root);
    element(proof.leaf);
}

}  // namespace cuzk::filecoin
