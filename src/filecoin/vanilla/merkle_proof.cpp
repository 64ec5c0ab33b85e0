#include "filecoin/vanilla/merkle_proof.hpp"

namespace cuzk::filecoin {

namespace {

constexpr u64 kMaxSiblings = 7;

void read_path(ByteReader& in, const std::string& what, MerklePath& path) {
    const u64 levels = in.read_u64_le(what + " length");
    in.require_items(levels, 16, what);
    for (u64 i = 0; i < levels; ++i) {
        const u64 siblings = in.read_u64_le(what + " siblings");
        if (siblings > kMaxSiblings)
            in.fail(what + " has a level of " + std::to_string(siblings) +
                    " siblings, at most 7 are possible");
        MerklePath::Level level;
        for (u64 k = 0; k < siblings; ++k)
            level.siblings.push_back(read_field_element(in, what + " sibling"));
        const u64 index = in.read_u64_le(what + " index");
        if (index > siblings)
            in.fail(what + " has index " + std::to_string(index) + " among " + std::to_string(siblings + 1) +
                    " children");
        level.index = static_cast<u32>(index);
        path.levels.push_back(std::move(level));
    }
}

}  // namespace

void require_shape(const MerklePath& path, const std::vector<u32>& arities, const std::string& where) {
    if (path.levels.size() != arities.size())
        throw Error(ErrorKind::kMalformed,
                    where + ": the Merkle path has " + std::to_string(path.levels.size()) +
                        " levels, this sector size has " + std::to_string(arities.size()));
    for (std::size_t i = 0; i < arities.size(); ++i) {
        const auto& level = path.levels[i];
        if (level.siblings.size() + 1 != arities[i])
            throw Error(ErrorKind::kMalformed, where + ": level " + std::to_string(i) +
                                                   " of the Merkle path has arity " +
                                                   std::to_string(level.siblings.size() + 1) +
                                                   " instead of " + std::to_string(arities[i]));
        if (level.index >= arities[i])
            throw Error(ErrorKind::kMalformed,
                        where + ": level " + std::to_string(i) + " of the Merkle path has index " +
                            std::to_string(level.index) + " in arity " + std::to_string(arities[i]));
    }
}

u64 leaf_index(const MerklePath& path) {
    u64 index = 0;
    u64 weight = 1;
    for (const auto& level : path.levels) {
        index += weight * level.index;
        weight *= level.siblings.size() + 1;
    }
    return index;
}

Fr field_element(std::span<const u8, 32> bytes, const std::string& where) {
    const auto x = Fr::from_bytes_le(bytes);
    if (!x)
        throw Error(ErrorKind::kMalformed,
                    where + ": 32 bytes that are no canonical element of the scalar field");
    return *x;
}

Fr read_field_element(ByteReader& in, const std::string& what) {
    const u64 offset = in.offset();
    const auto bytes = in.take(32, what);
    const auto x = Fr::from_bytes_le(bytes.first<32>());
    if (!x) in.fail_at(offset, what + " is no canonical element of the scalar field");
    return *x;
}

MerkleProof read_merkle_proof(ByteReader& in, const std::string& what) {
    const u32 tag = in.read_u32_le(what + " kind");
    if (tag > 2) in.fail(what + " has kind " + std::to_string(tag) + ", known are 0 to 2");
    MerkleProof proof;
    const bool single = tag == 0;
    if (single) {
        proof.root = read_field_element(in, what + " root");
        proof.leaf = read_field_element(in, what + " leaf");
    }
    for (u32 part = 0; part <= tag; ++part) read_path(in, what + " path", proof.path);
    if (!single) {
        proof.root = read_field_element(in, what + " root");
        proof.leaf = read_field_element(in, what + " leaf");
    }
    return proof;
}

}  // namespace cuzk::filecoin
