#include "filecoin/native/hash.hpp"

#include <openssl/sha.h>

namespace cuzk::filecoin {

Fr trimmed_sha256(std::span<const u8> message) {
    std::array<u8, 32> digest{};
    SHA256(message.data(), message.size(), digest.data());
    digest[31] &= 0x3f;
    return *Fr::from_bytes_le(digest);  // 254 bits are below r
}

Fr native_sha256_pair(const Fr& left, const Fr& right) {
    std::array<u8, 64> message{};
    left.to_bytes_le(std::span(message).first<32>());
    right.to_bytes_le(std::span(message).last<32>());
    return trimmed_sha256(message);
}

Fr merkle_root(TreeHasher hasher, const Fr& leaf, const MerklePath& path) {
    Fr current = leaf;
    std::vector<Fr> children;
    for (const auto& level : path.levels) {
        children.assign(level.siblings.begin(), level.siblings.end());
        children.insert(children.begin() + level.index, current);
        current =
            hasher == TreeHasher::kSha256 ? native_sha256_pair(children[0], children[1]) : poseidon(children);
    }
    return current;
}

Fr replica_commitment(const Fr& comm_c, const Fr& comm_r_last) {
    const Fr pair[] = {comm_c, comm_r_last};
    return poseidon(pair);
}

Fr stacked_label(const Fr& replica_id, u32 layer, u64 node, std::span<const Fr> parents) {
    std::vector<u8> message(64 + 32 * parents.size());
    const std::span<u8> out(message);
    replica_id.to_bytes_le(out.first<32>());
    for (int i = 0; i < 4; ++i)
        out[32 + static_cast<std::size_t>(i)] = static_cast<u8>(layer >> (24 - 8 * i));
    for (int i = 0; i < 8; ++i) out[36 + static_cast<std::size_t>(i)] = static_cast<u8>(node >> (56 - 8 * i));
    for (std::size_t i = 0; i < parents.size(); ++i)
        parents[i].to_bytes_le(out.subspan(64 + 32 * i).first<32>());
    return trimmed_sha256(message);
}

}  // namespace cuzk::filecoin
