// A witness in which a bit takes a bit.
#pragma once

#include <span>
#include <vector>

#include "base/large_vector.hpp"
#include "field/fp.hpp"

namespace cuzk {

// Growing string of bits, low bit of each word first.
class BitString {
public:
    // The low `count` (1 to 64) bits of `value`; higher bits of `value` must be zero.
    void append(u64 value, unsigned count) {
        const unsigned used = static_cast<unsigned>(size_ % 64);
        if (used == 0) {
            words_.push_back(value);
        } else {
            words_.back() |= value << used;
            if (used + count > 64) words_.push_back(value >> (64 - used));
        }
        size_ += count;
    }
    void append(const BitString& other);

    u64 size() const { return size_; }
    bool operator[](u64 i) const { return ((words_[i / 64] >> (i % 64)) & 1) != 0; }
    std::span<const u64> words() const { return words_; }
    void reserve(u64 bits) { words_.reserve(bits / 64 + 2); }
    void clear() {
        words_.clear();
        size_ = 0;
    }

private:
    std::vector<u64> words_;
    u64 size_ = 0;
};

// The values of an instanced system's variables, in allocation order within each kind. InstancedR1cs::aux_is_bit says which
// aux variable is of which kind. Field elements in Montgomery form.
template <class Fr>
struct CompactWitness {
    // The constant one first.
    std::vector<Fr> inputs = std::vector<Fr>(1, Fr::one());
    BitString bits;
    LargeVector<Fr> nums;

    u64 aux() const { return bits.size() + nums.size(); }
    std::size_t bytes() const {
        return inputs.size() * sizeof(Fr) + bits.size() / 8 + nums.size() * sizeof(Fr);
    }
};

}  // namespace cuzk
