// What circuit code holds: references to variables together with their values.
#pragma once

#include <vector>

#include "curve/curves.hpp"
#include "r1cs/var.hpp"

namespace cuzk::filecoin {

using Fr = Bls12_381Fr;

// A boolean: a constant, a variable, or the negation of one. The value is meaningful in witness mode only, except that of
// a constant.
struct Bit {
    enum class Kind : u8 { kConstant, kIs, kNot };

    Kind kind = Kind::kConstant;
    bool value = false;
    Var var;

    static Bit constant(bool value) { return {Kind::kConstant, value, {}}; }
    bool is_constant() const { return kind == Kind::kConstant; }
    bool is_constant(bool v) const { return is_constant() && value == v; }
    Bit operator!() const {
        const Kind flipped = kind == Kind::kIs    ? Kind::kNot
                             : kind == Kind::kNot ? Kind::kIs
                                                  : Kind::kConstant;
        return {flipped, !value, var};
    }
};

using Bits = std::vector<Bit>;

// A field variable and, in witness mode, its value.
struct Num {
    Var var;
    Fr value;
};

// Sum of coefficient * variable. Terms may repeat; whoever stores a combination merges them.
class LinearCombination {
public:
    struct Term {
        Var var;
        Fr coefficient;
    };

    LinearCombination() = default;
    explicit LinearCombination(Var v) : terms_{{v, Fr::one()}} {}

    LinearCombination& add(Var v, const Fr& k) {
        terms_.push_back({v, k});
        return *this;
    }
    LinearCombination& add(Var v) { return add(v, Fr::one()); }
    LinearCombination& sub(Var v) { return add(v, -Fr::one()); }
    LinearCombination& add(const Bit& b, const Fr& k) {
        switch (b.kind) {
            case Bit::Kind::kConstant:
                if (b.value) add(Var::one(), k);
                break;
            case Bit::Kind::kIs: add(b.var, k); break;
            case Bit::Kind::kNot: add(Var::one(), k).add(b.var, -k); break;
        }
        return *this;
    }
    LinearCombination& add(const Bit& b) { return add(b, Fr::one()); }
    LinearCombination& sub(const Bit& b) { return add(b, -Fr::one()); }
    LinearCombination& add(const LinearCombination& o, const Fr& k) {
        for (const Term& t : o.terms_) terms_.push_back({t.var, t.coefficient * k});
        return *this;
    }

    const std::vector<Term>& terms() const { return terms_; }
    // Sorts by variable (inputs first), adds up repeated terms, drops zeros.
    void normalise();

private:
    std::vector<Term> terms_;
};

}  // namespace cuzk::filecoin
