#include "filecoin/vanilla/post.hpp"

#include <fmt/core.h>
#include <openssl/sha.h>

#include "filecoin/native/hash.hpp"

namespace cuzk::filecoin {

PostVanilla decode_post_vanilla(std::span<const u8> bytes, const std::string& name, const SectorShape& shape,
                                u32 challenges) {
    ByteReader in(name, "PoSt sector proof", bytes);
    PostVanilla out;
    out.sector_id = in.read_u64_le("sector id");
    out.sector.comm_r = read_field_element(in, "comm_r");
    const u64 sectors = in.read_u64_le("sector proof count");
    if (sectors != 1) in.fail("holds " + std::to_string(sectors) + " sector proofs instead of one");
    const u64 count = in.read_u64_le("inclusion proof count");
    if (count != challenges)
        in.fail("holds " + std::to_string(count) + " inclusion proofs, this proof kind has " +
                std::to_string(challenges));
    const std::vector<u32> arities = shape.tree_arities();
    std::vector<Fr> roots;
    for (u64 i = 0; i < count; ++i) {
        const std::string what = fmt::format("inclusion proof {}", i);
        MerkleProof proof = read_merkle_proof(in, what);
        require_shape(proof.path, arities, fmt::format("{}: {}", name, what));
        roots.push_back(proof.root);
        out.sector.challenges.push_back({proof.leaf, std::move(proof.path)});
    }
    out.sector.comm_c = read_field_element(in, "comm_c");
    out.sector.comm_r_last = read_field_element(in, "comm_r_last");
    in.expect_end("the sector proof");
    for (std::size_t i = 0; i < roots.size(); ++i)
        if (!(roots[i] == out.sector.comm_r_last))
            throw Error(ErrorKind::kMalformed, name + ": inclusion proof " + std::to_string(i) +
                                                   " has another root than comm_r_last");
    return out;
}

u64 post_challenge(std::span<const u8, 32> randomness, u64 sector_id, u64 challenge_index, u64 nodes) {
    std::array<u8, 48> message{};
    std::copy(randomness.begin(), randomness.end(), message.begin());
    for (std::size_t i = 0; i < 8; ++i) {
        message[32 + i] = static_cast<u8>(sector_id >> (8 * i));
        message[40 + i] = static_cast<u8>(challenge_index >> (8 * i));
    }
    std::array<u8, 32> digest{};
    SHA256(message.data(), message.size(), digest.data());
    u64 x = 0;
    for (std::size_t i = 0; i < 8; ++i) x |= u64{digest[i]} << (8 * i);
    return x % nodes;
}

void check_post_vanilla(const PostVanilla& vanilla, const std::string& name, const SectorShape& shape,
                        std::span<const u8, 32> randomness, u64 first_challenge) {
    const PostSector& sector = vanilla.sector;
    if (!(replica_commitment(sector.comm_c, sector.comm_r_last) == sector.comm_r))
        throw Error(ErrorKind::kUnsatisfied, name + ": comm_r is not the hash of comm_c and comm_r_last");
    for (std::size_t i = 0; i < sector.challenges.size(); ++i) {
        const auto& c = sector.challenges[i];
        const std::string where = name + ": inclusion proof " + std::to_string(i);
        const u64 expected =
            post_challenge(randomness, vanilla.sector_id, first_challenge + i, shape.nodes());
        if (leaf_index(c.path) != expected)
            throw Error(ErrorKind::kUnsatisfied,
                        where + " is for leaf " + std::to_string(leaf_index(c.path)) +
                            ", the randomness asks for leaf " + std::to_string(expected));
        if (!(merkle_root(TreeHasher::kPoseidon, c.leaf, c.path) == sector.comm_r_last))
            throw Error(ErrorKind::kUnsatisfied, where + " does not lead to comm_r_last");
    }
}

}  // namespace cuzk::filecoin
