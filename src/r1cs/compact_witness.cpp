#include "r1cs/compact_witness.hpp"

namespace cuzk {

void BitString::append(const BitString& other) {
    if (other.size_ == 0) return;
    words_.reserve((size_ + other.size_) / 64 + 2);
    const u64 full = other.size_ / 64;
    for (u64 i = 0; i < full; ++i) append(other.words_[i], 64);
    const unsigned rest = static_cast<unsigned>(other.size_ % 64);
    if (rest != 0) append(other.words_[full], rest);
}

}  // namespace cuzk
