// Writing vanilla proofs in the network's bincode layout.
#pragma once

#include "filecoin/circuits/post.hpp"
#include "filecoin/circuits/update.hpp"
#include "filecoin/vanilla/merkle_proof.hpp"

namespace cuzk::filecoin {

class BincodeWriter {
public:
    void u32_le(u32 x) { little_endian(x, 4); }
    void u64_le(u64 x) { little_endian(x, 8); }
    void element(const Fr& x);
    // A null shape is the binary data tree: one part.
    void merkle_proof(const MerkleProof& proof, const TreeShape* shape);
    std::vector<u8> take() { return std::move(bytes_); }

private:
    void little_endian(u64 x, int bytes) {
        for (int i = 0; i < bytes; ++i) bytes_.push_back(static_cast<u8>(x >> (8 * i)));
    }
    void path(std::span<const MerklePath::Level> levels);

    std::vector<u8> bytes_;
};

}  // namespace cuzk::filecoin
