// The ChaCha stream cipher as a source of public pseudo-random words: the network draws parents and synthetic challenges with it.
#pragma once

#include <array>
#include <span>

#include "base/types.hpp"

namespace cuzk::filecoin {

// One block of key stream (Bernstein 2008; RFC 8439 2.3): 16 words, each 4 little-endian bytes of the stream. `tail` are the last
// four words of the state: counter and nonce, divided among them as the caller's variant does. `rounds` is 8 or 20.
std::array<u32, 16> chacha_block(std::span<const u8, 32> key, const std::array<u32, 4>& tail,
                                 unsigned rounds);

}  // namespace cuzk::filecoin
