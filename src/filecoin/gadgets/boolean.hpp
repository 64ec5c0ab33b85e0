// Boolean gadgets. Constants cost nothing; NOT changes the reading of a variable and costs nothing.
#pragma once

#include "filecoin/cs/structure.hpp"

namespace cuzk::filecoin {

inline LinearCombination constant_one() {
    return LinearCombination(Var::one());
}

// A fresh bit: (1 - x) * x = 0.
template <class CS>
Bit alloc_bit(CS& cs, bool value) {
    const Bit x = cs.new_bit(value);
    if constexpr (CS::kStructure)
        cs.enforce(constant_one().sub(x.var), LinearCombination(x.var), LinearCombination());
    return x;
}

namespace boolean_detail {

// x = a xor b on variables: 2a * b = a + b - x.
template <class CS>
Bit xor_variables(CS& cs, const Bit& a, const Bit& b, bool value) {
    const Bit x = cs.new_bit(value);
    if constexpr (CS::kStructure)
        cs.enforce(LinearCombination().add(a.var, Fr::from_u64(2)), LinearCombination(b.var),
                   LinearCombination(a.var).add(b.var).sub(x.var));
    return x;
}

inline LinearCombination literal(const Bit& b) {
    return LinearCombination().add(b);
}

}  // namespace boolean_detail

template <class CS>
Bit bit_xor(CS& cs, const Bit& a, const Bit& b) {
    if (a.is_constant()) return a.value ? !b : b;
    if (b.is_constant()) return b.value ? !a : a;
    const bool value = a.value != b.value;
    if (a.kind == b.kind) {
        // Negations on both sides cancel: the row is on the variables.
        return boolean_detail::xor_variables(cs, a, b, value);
    }
    const bool a_is = a.kind == Bit::Kind::kIs;
    return !boolean_detail::xor_variables(cs, a_is ? a : b, a_is ? b : a, !value);
}

// a and b; the row's operands are the literals, the plain one first where the kinds differ.
template <class CS>
Bit bit_and(CS& cs, const Bit& a, const Bit& b) {
    if (a.is_constant(false) || b.is_constant(false)) return Bit::constant(false);
    if (a.is_constant(true)) return b;
    if (b.is_constant(true)) return a;
    const Bit x = cs.new_bit(a.value && b.value);
    if constexpr (CS::kStructure) {
        const bool swap = a.kind == Bit::Kind::kNot && b.kind == Bit::Kind::kIs;
        cs.enforce(boolean_detail::literal(swap ? b : a), boolean_detail::literal(swap ? a : b),
                   LinearCombination(x.var));
    }
    return x;
}

// SHA-256's choice, a ? b : c. The order of the tests decides which variables exist, so it is part of the circuit.
template <class CS>
Bit bit_choose(CS& cs, const Bit& a, const Bit& b, const Bit& c) {
    if (a.is_constant() && b.is_constant() && c.is_constant())
        return Bit::constant(a.value ? b.value : c.value);
    if (a.is_constant(false)) return c;
    if (b.is_constant(false)) return bit_and(cs, !a, c);
    if (c.is_constant(false)) return bit_and(cs, a, b);
    if (c.is_constant(true)) return !bit_and(cs, a, !b);
    if (b.is_constant(true)) return !bit_and(cs, !a, !c);
    const Bit x = cs.new_bit(a.value ? b.value : c.value);
    if constexpr (CS::kStructure)
        cs.enforce(LinearCombination().add(b).sub(c), boolean_detail::literal(a),
                   LinearCombination(x.var).sub(c));
    return x;
}

// SHA-256's majority. The result is allocated before the helper b and c, whose row comes first.
template <class CS>
Bit bit_majority(CS& cs, const Bit& a, const Bit& b, const Bit& c) {
    const bool value = (a.value && b.value) || (a.value && c.value) || (b.value && c.value);
    if (a.is_constant() && b.is_constant() && c.is_constant()) return Bit::constant(value);
    if (a.is_constant(false)) return bit_and(cs, b, c);
    if (b.is_constant(false)) return bit_and(cs, a, c);
    if (c.is_constant(false)) return bit_and(cs, a, b);
    if (c.is_constant(true)) return !bit_and(cs, !a, !b);
    if (b.is_constant(true)) return !bit_and(cs, !a, !c);
    if (a.is_constant(true)) return !bit_and(cs, !b, !c);
    const Bit x = cs.new_bit(value);
    const Bit t = bit_and(cs, b, c);
    if constexpr (CS::kStructure)
        cs.enforce(LinearCombination().add(t, Fr::from_u64(2)).sub(b).sub(c), boolean_detail::literal(a),
                   LinearCombination().add(t).sub(x.var));
    return x;
}

// Pads with constant zeros to whole bytes and reverses the bits inside each byte: from "bits of a little-endian number" to
// "stream of bytes, most significant bit first", and back.
Bits reverse_bytes(Bits bits);

}  // namespace cuzk::filecoin
