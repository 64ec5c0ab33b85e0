// Field-element gadgets: inputs, equality, bit decomposition and packing, selection.
#pragma once

#include <span>

#include "filecoin/gadgets/boolean.hpp"

namespace cuzk::filecoin {

// Bits that fit one field element without wrapping.
inline constexpr std::size_t kPackedBits = Fr::kBits - 1;

// sum 2^i bits[i]
inline LinearCombination weighted_sum(std::span<const Bit> bits) {
    LinearCombination sum;
    Fr k = Fr::one();
    for (const Bit& b : bits) {
        sum.add(b, k);
        k = k.dbl();
    }
    return sum;
}

// The same sum as a number; at most kPackedBits bits.
inline Fr packed_value(std::span<const Bit> bits) {
    Fr::Int x;
    for (std::size_t i = 0; i < bits.size(); ++i)
        if (bits[i].value) x.limb[i / 64] |= u64{1} << (i % 64);
    return Fr::from_int(x);
}

template <class CS>
void enforce_equal(CS& cs, const Num& a, const Num& b) {
    if constexpr (CS::kStructure)
        cs.enforce(LinearCombination(a.var), constant_one(), LinearCombination(b.var));
}

// Makes n a public input: i * 1 = n.
template <class CS>
void inputize(CS& cs, const Num& n) {
    const Num i = cs.alloc_input(n.value);
    if constexpr (CS::kStructure)
        cs.enforce(LinearCombination(i.var), constant_one(), LinearCombination(n.var));
}

namespace number_detail {

template <class CS>
Bits decompose(CS& cs, const Num& n) {
    const auto x = n.value.to_int();
    Bits bits(Fr::kBits);
    for (std::size_t i = 0; i < Fr::kBits; ++i) bits[i] = alloc_bit(cs, x.bit(i));
    return bits;
}

}  // namespace number_detail

// 255 bits, low first, with the row 0 * 0 = sum - n. Values in [r, 2^255) are not excluded by the constraints.
template <class CS>
Bits to_bits(CS& cs, const Num& n) {
    Ports in;
    in.nums.push_back(n);
    return cs
        .block("to_bits", in,
               [&](const Ports& p) {
                   Ports out;
                   out.bits = number_detail::decompose(cs, p.nums[0]);
                   if constexpr (CS::kStructure)
                       cs.enforce({}, {}, weighted_sum(out.bits).sub(p.nums[0].var));
                   return out;
               })
        .bits;
}

// 255 bits, low first, with the row sum * 1 = n (the form SnapDeals uses).
template <class CS>
Bits binary_decomposition(CS& cs, const Num& n) {
    Bits bits = number_detail::decompose(cs, n);
    if constexpr (CS::kStructure) cs.enforce(weighted_sum(bits), constant_one(), LinearCombination(n.var));
    return bits;
}

// The number whose bits are the first 254 of `bits`: sum * 1 = x.
template <class CS>
Num pack_bits(CS& cs, std::span<const Bit> bits) {
    bits = bits.first(std::min(bits.size(), kPackedBits));
    const Num x = cs.alloc_num(packed_value(bits));
    if constexpr (CS::kStructure) cs.enforce(weighted_sum(bits), constant_one(), LinearCombination(x.var));
    return x;
}

// One public input for each 254 bits: sum * 1 = i.
template <class CS>
void pack_into_inputs(CS& cs, std::span<const Bit> bits) {
    while (!bits.empty()) {
        const auto chunk = bits.first(std::min(bits.size(), kPackedBits));
        const Num i = cs.alloc_input(packed_value(chunk));
        if constexpr (CS::kStructure)
            cs.enforce(weighted_sum(chunk), constant_one(), LinearCombination(i.var));
        bits = bits.subspan(chunk.size());
    }
}

// (a + b) * 1 = x
template <class CS>
Num add_nums(CS& cs, const Num& a, const Num& b) {
    const Num x = cs.alloc_num(a.value + b.value);
    if constexpr (CS::kStructure)
        cs.enforce(LinearCombination(a.var).add(b.var), constant_one(), LinearCombination(x.var));
    return x;
}

// a * b = x
template <class CS>
Num mul_nums(CS& cs, const Num& a, const Num& b) {
    const Num x = cs.alloc_num(a.value * b.value);
    if constexpr (CS::kStructure)
        cs.enforce(LinearCombination(a.var), LinearCombination(b.var), LinearCombination(x.var));
    return x;
}

// condition ? p : q, by (q - p) * condition = q - x
template <class CS>
Num pick(CS& cs, const Bit& condition, const Num& p, const Num& q) {
    const Num x = cs.alloc_num(condition.value ? p.value : q.value);
    if constexpr (CS::kStructure)
        cs.enforce(LinearCombination(q.var).sub(p.var), LinearCombination().add(condition),
                   LinearCombination(q.var).sub(x.var));
    return x;
}

// `count` fresh bits holding `value`, low first.
template <class CS>
Bits alloc_bits(CS& cs, u64 value, std::size_t count) {
    Bits bits(count);
    for (std::size_t i = 0; i < count; ++i) bits[i] = alloc_bit(cs, ((value >> i) & 1) != 0);
    return bits;
}

}  // namespace cuzk::filecoin
