#include "filecoin/native/chacha.hpp"

#include <bit>

namespace cuzk::filecoin {

std::array<u32, 16> chacha_block(std::span<const u8, 32> key, const std::array<u32, 4>& tail,
                                 unsigned rounds) {
    std::array<u32, 16> start{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};  // "expand 32-byte k"
    for (std::size_t i = 0; i < key.size(); ++i) start[4 + i / 4] |= u32{key[i]} << (8 * (i % 4));
    for (std::size_t i = 0; i < tail.size(); ++i) start[12 + i] = tail[i];

    std::array<u32, 16> x = start;
    const auto quarter = [&x](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
        x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 16);
        x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 12);
        x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 8);
        x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 7);
    };
    for (unsigned done = 0; done < rounds; done += 2) {
        for (std::size_t i = 0; i < 4; ++i) quarter(i, 4 + i, 8 + i, 12 + i);
        for (std::size_t i = 0; i < 4; ++i) quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
    }
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += start[i];
    return x;
}

}  // namespace cuzk::filecoin
