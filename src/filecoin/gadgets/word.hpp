// 32-bit words of SHA-256. In structure mode a word is 32 bits with their variables; in witness mode it is its value and a
// mask of the bits that are variables, so that whole words are computed and appended at once.
#pragma once

#include <array>
#include <bit>

#include "filecoin/cs/witness.hpp"
#include "filecoin/gadgets/boolean.hpp"

namespace cuzk::filecoin {

// Index 0 is the least significant bit.
struct StructureWord {
    std::array<Bit, 32> bits;

    static StructureWord constant(u32 value) {
        StructureWord w;
        for (std::size_t i = 0; i < 32; ++i) w.bits[i] = Bit::constant(((value >> i) & 1) != 0);
        return w;
    }
    Bit bit(std::size_t i) const { return bits[i]; }
    void set(std::size_t i, const Bit& b) { bits[i] = b; }
    StructureWord rotr(std::size_t k) const {
        StructureWord w;
        for (std::size_t i = 0; i < 32; ++i) w.bits[i] = bits[(i + k) % 32];
        return w;
    }
    StructureWord shr(std::size_t k) const {
        StructureWord w;
        for (std::size_t i = 0; i + k < 32; ++i) w.bits[i] = bits[i + k];
        return w;
    }
    u32 constant_value() const {
        u32 v = 0;
        for (std::size_t i = 0; i < 32; ++i) v |= u32{bits[i].value} << i;
        return v;
    }
    bool is_constant() const {
        for (const Bit& b : bits)
            if (!b.is_constant()) return false;
        return true;
    }
};

struct WitnessWord {
    static constexpr u32 kAll = 0xffffffff;
    u32 value = 0;
    u32 variable = 0;  // bit i set: bit i is a variable

    static WitnessWord constant(u32 value) { return {value, 0}; }
    Bit bit(std::size_t i) const {
        return {
            ((variable >> i) & 1) != 0 ? Bit::Kind::kIs : Bit::Kind::kConstant, ((value >> i) & 1) != 0, {}};
    }
    void set(std::size_t i, const Bit& b) {
        const u32 m = u32{1} << i;
        value = b.value ? value | m : value & ~m;
        variable = b.is_constant() ? variable & ~m : variable | m;
    }
    WitnessWord rotr(int k) const { return {std::rotr(value, k), std::rotr(variable, k)}; }
    WitnessWord shr(int k) const { return {value >> k, variable >> k}; }
    u32 constant_value() const { return value; }
    bool is_constant() const { return variable == 0; }
};

template <class CS>
using Word = std::conditional_t<CS::kStructure, StructureWord, WitnessWord>;

namespace word_detail {

// Applies a three-bit gadget bit by bit, lowest first.
template <class CS, class Gadget>
Word<CS> bitwise(CS& cs, const Word<CS>& a, const Word<CS>& b, const Word<CS>& c, const Gadget& gadget) {
    Word<CS> out;
    for (std::size_t i = 0; i < 32; ++i) out.set(i, gadget(cs, a.bit(i), b.bit(i), c.bit(i)));
    return out;
}

// Bits of x to the even places of 64.
constexpr u64 spread(u32 x) {
    u64 v = x;
    v = (v | (v << 16)) & 0x0000ffff0000ffff;
    v = (v | (v << 8)) & 0x00ff00ff00ff00ff;
    v = (v | (v << 4)) & 0x0f0f0f0f0f0f0f0f;
    v = (v | (v << 2)) & 0x3333333333333333;
    return (v | (v << 1)) & 0x5555555555555555;
}

inline bool all_variable(const WitnessWord& a, const WitnessWord& b, const WitnessWord& c) {
    return (a.variable & b.variable & c.variable) == WitnessWord::kAll;
}

}  // namespace word_detail

template <class CS>
Word<CS> word_xor(CS& cs, const Word<CS>& a, const Word<CS>& b) {
    if constexpr (CS::kStructure) {
        StructureWord out;
        for (std::size_t i = 0; i < 32; ++i) out.bits[i] = bit_xor(cs, a.bits[i], b.bits[i]);
        return out;
    } else {
        const u32 value = a.value ^ b.value;
        const u32 fresh = a.variable & b.variable;
        // Shifts leave the variables of a word contiguous from bit 0, so this is nearly always one append.
        if (fresh == WitnessWord::kAll) {
            cs.new_bits(value, 32);
        } else if (fresh != 0 && (fresh & (fresh + 1)) == 0) {
            cs.new_bits(value & fresh, static_cast<unsigned>(std::popcount(fresh)));
        } else {
            for (u32 m = fresh; m != 0; m &= m - 1) cs.new_bits((value >> std::countr_zero(m)) & 1, 1);
        }
        return WitnessWord{value, a.variable | b.variable};
    }
}

template <class CS>
Word<CS> word_choose(CS& cs, const Word<CS>& a, const Word<CS>& b, const Word<CS>& c) {
    if constexpr (!CS::kStructure) {
        if (word_detail::all_variable(a, b, c)) {
            const u32 value = (a.value & b.value) ^ (~a.value & c.value);
            cs.new_bits(value, 32);
            return WitnessWord{value, WitnessWord::kAll};
        }
    }
    return word_detail::bitwise(
        cs, a, b, c, [](CS& s, const Bit& x, const Bit& y, const Bit& z) { return bit_choose(s, x, y, z); });
}

template <class CS>
Word<CS> word_majority(CS& cs, const Word<CS>& a, const Word<CS>& b, const Word<CS>& c) {
    if constexpr (!CS::kStructure) {
        if (word_detail::all_variable(a, b, c)) {
            // Each bit allocates its result, then the helper b and c.
            const u32 helper = b.value & c.value;
            const u32 value = (a.value & (b.value | c.value)) | helper;
            cs.new_bits(word_detail::spread(value) | (word_detail::spread(helper) << 1), 64);
            return WitnessWord{value, WitnessWord::kAll};
        }
    }
    return word_detail::bitwise(cs, a, b, c, [](CS& s, const Bit& x, const Bit& y, const Bit& z) {
        return bit_majority(s, x, y, z);
    });
}

}  // namespace cuzk::filecoin
