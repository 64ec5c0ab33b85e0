// Witness mode of circuit code: computes values only, into the compact witness, where a bit takes a bit.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/parallel.hpp"
#include "filecoin/cs/structure.hpp"

namespace cuzk::filecoin {

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
    void reserve(u64 bits) { words_.reserve(bits / 64 + 1); }

private:
    std::vector<u64> words_;
    u64 size_ = 0;
};

// The values of a circuit's variables, in allocation order within each kind. InstancedR1cs::aux_is_bit says which aux
// variable is of which kind. Field elements in Montgomery form.
struct CompactWitness {
    std::vector<Fr> inputs = std::vector<Fr>(1, Fr::one());
    BitString bits;
    std::vector<Fr> nums;

    u64 aux() const { return bits.size() + nums.size(); }
    std::size_t bytes() const {
        return inputs.size() * sizeof(Fr) + bits.size() / 8 + nums.size() * sizeof(Fr);
    }
};

// The other model of the constraint-system concept (see StructureBuilder).
class WitnessBuilder {
public:
    static constexpr bool kStructure = false;

    Num alloc_num(const Fr& value) {
        witness_.nums.push_back(value);
        return {{}, value};
    }
    Num alloc_input(const Fr& value) {
        witness_.inputs.push_back(value);
        return {{}, value};
    }
    Bit new_bit(bool value) {
        witness_.bits.append(value ? 1 : 0, 1);
        return {Bit::Kind::kIs, value, {}};
    }
    // `count` bit variables at once, lowest bit first.
    void new_bits(u64 value, unsigned count) { witness_.bits.append(value, count); }

    template <class Body>
    Ports block(std::string_view /*key*/, const Ports& in, const Body& body) {
        return body(in);
    }

    // Runs the parts in parallel, each into a builder of its own, and joins the results in order.
    template <class Body>
    void for_each(std::size_t count, const Body& body) {
        std::vector<WitnessBuilder> parts(count);
        for (WitnessBuilder& part : parts) part.witness_.inputs.clear();
        parallel_for(0, count, [&](std::size_t i) { body(parts[i], i); });
        for (WitnessBuilder& part : parts) {
            append(part.witness_);
            part.witness_ = CompactWitness();
        }
    }

    CompactWitness finish() { return std::move(witness_); }

private:
    void append(const CompactWitness& part);

    CompactWitness witness_;
};

}  // namespace cuzk::filecoin
