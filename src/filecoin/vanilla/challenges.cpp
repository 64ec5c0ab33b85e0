#include "filecoin/vanilla/challenges.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "filecoin/native/chacha.hpp"
#include "formats/digest.hpp"

namespace cuzk::filecoin {

namespace {

// The digest as a 256-bit little-endian integer, mod (nodes - 1), plus 1.
u64 reduce(const std::array<u8, 32>& digest, u64 nodes) {
    const u64 modulus = nodes - 1;
    u128 rest = 0;
    for (std::size_t i = digest.size(); i-- > 0;) rest = ((rest << 8) | digest[i]) % modulus;
    return static_cast<u64>(rest) + 1;
}

void append(std::vector<u8>& out, const Fr& x) {
    out.resize(out.size() + 32);
    x.to_bytes_le(std::span<u8, 32>(out.data() + out.size() - 32, 32));
}

void append_u32_le(std::vector<u8>& out, u32 x) {
    for (int i = 0; i < 4; ++i) out.push_back(static_cast<u8>(x >> (8 * i)));
}

// Block of the ChaCha20 stream (RFC 8439) that the synthetic form draws from.
std::array<u32, 16> key_stream(std::string_view tag, std::span<const u8> message, u32 block) {
    const auto key = keyed_blake2b_256(tag, message);
    return chacha_block(key, {block, 0x746e7973, 0x6f702d68, 0x00706572}, 20);  // nonce "synth-porep\0"
}

}  // namespace

u64 interactive_challenge(const Fr& replica_id, std::span<const u8, 32> seed, u32 j, u64 nodes) {
    std::vector<u8> message;
    append(message, replica_id);
    message.insert(message.end(), seed.begin(), seed.end());
    append_u32_le(message, j);
    return reduce(sha256(message), nodes);
}

u64 synthetic_challenge(const Fr& replica_id, const Fr& comm_r, std::span<const u8, 32> seed, u32 j,
                        u64 nodes, u64 pool) {
    std::vector<u8> message;
    append(message, replica_id);
    message.insert(message.end(), seed.begin(), seed.end());
    const auto selection = key_stream("filecoin.io|PoRep|1|Synthetic|1|Selection", message, j / 16);
    const u32 chosen = static_cast<u32>(selection[j % 16] % pool);

    message.clear();
    append(message, replica_id);
    append(message, comm_r);
    const auto words = key_stream("filecoin.io|PoRep|1|Synthetic|1|Generation", message, chosen / 2);
    std::array<u8, 32> digest{};
    for (std::size_t i = 0; i < digest.size(); ++i)
        digest[i] = static_cast<u8>(words[chosen % 2 * 8 + i / 4] >> (8 * (i % 4)));
    return reduce(digest, nodes);
}

u64 synthetic_challenge(const Fr& replica_id, const Fr& comm_r, std::span<const u8, 32> seed, u32 j,
                        u64 nodes) {
    return synthetic_challenge(replica_id, comm_r, seed, j, nodes, std::min(nodes, u64{1} << 18));
}

u64 non_interactive_challenge(const Fr& replica_id, const Fr& comm_r, u32 j, u64 nodes) {
    constexpr std::string_view kTag = "filecoin.io|PoRep|1|NonInteractive|1";
    std::vector<u8> message(kTag.begin(), kTag.end());
    append(message, replica_id);
    append(message, comm_r);
    append_u32_le(message, j);
    return reduce(sha256(message), nodes);
}

}  // namespace cuzk::filecoin
