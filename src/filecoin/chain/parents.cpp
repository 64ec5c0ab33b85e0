#include "filecoin/chain/parents.hpp"

#include <algorithm>
#include <bit>
#include <string_view>
#include <vector>

#include "filecoin/native/chacha.hpp"
#include "formats/digest.hpp"

namespace cuzk::filecoin {

namespace {

std::array<u8, 32> domain_seed(std::string_view tag, std::span<const u8, 32> porep_id) {
    std::vector<u8> message(tag.begin(), tag.end());
    message.insert(message.end(), porep_id.begin(), porep_id.end());
    return sha256(message);
}

// Key stream of ChaCha with 8 rounds, in 64-bit words: 64-bit counter, stream 0.
class WordStream {
public:
    explicit WordStream(std::span<const u8, 32> key) : key_(key) {}
    u64 next() {
        if (used_ == block_.size()) {
            block_ = chacha_block(key_, {counter_++, 0, 0, 0}, 8);
            used_ = 0;
        }
        const u64 low = block_[used_];
        const u64 high = block_[used_ + 1];
        used_ += 2;
        return low | high << 32;
    }

private:
    std::span<const u8, 32> key_;
    std::array<u32, 16> block_{};
    std::size_t used_ = 16;
    u32 counter_ = 0;
};

u64 round_function(u64 right, u64 key) {
    std::array<u8, 16> message{};
    for (std::size_t i = 0; i < 8; ++i) {
        message[i] = static_cast<u8>(right >> (56 - 8 * i));
        message[8 + i] = static_cast<u8>(key >> (56 - 8 * i));
    }
    const auto digest = blake2b_512(message);
    u64 out = 0;
    for (std::size_t i = 0; i < 8; ++i) out = out << 8 | digest[i];
    return out;
}

}  // namespace

ParentGraph::ParentGraph(u64 nodes, std::span<const u8, 32> porep_id, bool version_1_0)
    : nodes_(nodes), version_1_0_(version_1_0), drg_seed_(domain_seed("Filecoin_DRSample", porep_id)) {
    const auto keys = domain_seed("Filecoin_Feistel", porep_id);
    for (std::size_t i = 0; i < feistel_keys_.size(); ++i)
        for (std::size_t k = 8; k-- > 0;) feistel_keys_[i] = feistel_keys_[i] << 8 | keys[8 * i + k];
    while ((u64{1} << (2 * half_bits_)) < nodes * kExpanderParents) ++half_bits_;
}

void ParentGraph::drg_parents(u32 node, std::span<u32, kDrgParents> out) const {
    std::fill(out.begin(), out.end(), 0U);
    if (node < 2) return;
    std::array<u8, 32> seed = drg_seed_;
    for (std::size_t i = 0; i < 4; ++i) seed[28 + i] = static_cast<u8>(node >> (8 * i));
    WordStream words(seed);

    // Every node is five nodes of a finer graph, each with one drawn parent; the sixth parent is the predecessor.
    constexpr u64 kDrawn = kDrgParents - 1;
    const u64 fine_node = node * kDrawn;
    const u64 buckets = static_cast<u64>(std::bit_width(fine_node - 1));  // log2, rounded up
    const std::size_t first = version_1_0_ ? 0 : 1;
    for (std::size_t i = 0; i < kDrawn; ++i) {
        const u64 bucket = words.next() % buckets + 1;
        const u64 farthest = std::min(fine_node, u64{1} << bucket);
        const u64 nearest = std::max<u64>(2, farthest / 2);
        const u64 distance = nearest + words.next() % (farthest - nearest + 1);
        const auto parent = static_cast<u32>((fine_node - distance) / kDrawn);
        out[first + i] = parent == node ? node - 1 : parent;
    }
    out[version_1_0_ ? kDrawn : 0] = node - 1;
}

u64 ParentGraph::permute(u64 edge) const {
    const u64 mask = (u64{1} << half_bits_) - 1;
    // The permutation is of 4^half_bits numbers: it is repeated until it lands on an edge.
    do {
        u64 left = edge >> half_bits_ & mask;
        u64 right = edge & mask;
        for (const u64 key : feistel_keys_) {
            const u64 next = left ^ (round_function(right, key) & mask);
            left = right;
            right = next;
        }
        edge = left << half_bits_ | right;
    } while (edge >= nodes_ * kExpanderParents);
    return edge;
}

ParentGraph::Parents ParentGraph::operator()(u32 node) const {
    Parents parents{};
    drg_parents(node, std::span(parents).first<kDrgParents>());
    for (u32 i = 0; i < kExpanderParents; ++i) {
        u64 edge = permute(u64{node} * kExpanderParents + i);
        if (version_1_0_) edge = static_cast<u32>(edge);
        parents[kDrgParents + i] = static_cast<u32>(edge / kExpanderParents);
    }
    return parents;
}

}  // namespace cuzk::filecoin
