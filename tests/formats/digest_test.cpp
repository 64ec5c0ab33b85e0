// Digests against values of another implementation (Python's hashlib).
#include "formats/digest.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace cuzk {
namespace {

TEST(Digest, KeyedBlake2b) {
    std::array<u8, 64> message{};
    std::iota(message.begin(), message.end(), u8{0});
    EXPECT_EQ(hex_text(keyed_blake2b_256("filecoin.io|PoRep|1|Synthetic|1|Selection", message)),
              "b3d97fcdf7351556c4a132342244056284103e2c09d29516bba07a267fe08c02");
    EXPECT_NE(keyed_blake2b_256("another key", message),
              keyed_blake2b_256("filecoin.io|PoRep|1|Synthetic|1|Selection", message));
}

}  // namespace
}  // namespace cuzk
