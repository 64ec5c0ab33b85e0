// Poseidon in the circuit, in the form of the network's parameter files: compressed round keys folded into the S-box rows,
// combinations kept unallocated through the partial rounds, each S-box input allocated first.
#pragma once

#include "filecoin/gadgets/number.hpp"
#include "filecoin/poseidon/hash.hpp"

namespace cuzk::filecoin {

namespace poseidon_detail {

// A state element: a variable, or a combination that no variable holds yet.
struct Element {
    LinearCombination lc;  // structure mode only
    Fr value;
    bool is_variable = false;
    Var var;
};

template <class CS>
class Permutation {
public:
    Permutation(CS& cs, const PoseidonConstants& c, PoseidonDomain domain, std::span<const Num> inputs)
        : cs_(cs), c_(c), key_(c.compressed.data()) {
        state_.resize(c.width);
        state_[0].value = poseidon_tag(domain, c.arity);
        for (std::size_t i = 0; i < inputs.size(); ++i) state_[i + 1] = variable(inputs[i]);
    }

    Num run() {
        const std::size_t half = c_.full_rounds / 2;
        first_round();
        dense(c_.mds);
        for (std::size_t q = 1; q < half; ++q) {
            for (Element& e : state_) sbox(e, key_++);
            dense(q + 1 < half ? c_.mds : c_.pre_sparse);
        }
        for (std::size_t q = 0; q < c_.partial_rounds; ++q) {
            sbox(state_[0], key_++);
            sparse(c_.sparse[q]);
        }
        for (std::size_t q = 0; q < half; ++q) {
            const bool last = q + 1 == half;
            for (Element& e : state_) sbox(e, last ? nullptr : key_++);
            dense(c_.mds);
        }
        return ensure(state_[1]);
    }

private:
    static Element variable(const Num& n) {
        Element e;
        if constexpr (CS::kStructure) e.lc = LinearCombination(n.var);
        e.value = n.value;
        e.is_variable = true;
        e.var = n.var;
        return e;
    }

    // The tag is a constant, so its S-box is computed here and costs nothing; inputs are variables already.
    void first_round() {
        const Fr* pre = key_;
        const Fr* post = key_ + c_.width;
        key_ += 2 * c_.width;
        const Fr tag = state_[0].value + pre[0];
        state_[0].value = tag.square().square() * tag + post[0];
        if constexpr (CS::kStructure) state_[0].lc = LinearCombination().add(Var::one(), state_[0].value);
        for (std::size_t i = 1; i < c_.width; ++i) {
            const Num l{state_[i].var, state_[i].value};
            const Fr sum = l.value + pre[i];
            const Num y2 = cs_.alloc_num(sum.square());
            const auto shifted = [&] { return LinearCombination(l.var).add(Var::one(), pre[i]); };
            if constexpr (CS::kStructure) cs_.enforce(shifted(), shifted(), LinearCombination(y2.var));
            const Num y4 = square(y2);
            const Num y5 = cs_.alloc_num(y4.value * sum + post[i]);
            if constexpr (CS::kStructure)
                cs_.enforce(shifted(), LinearCombination(y4.var),
                            LinearCombination(y5.var).add(Var::one(), -post[i]));
            state_[i] = variable(y5);
        }
    }

    Num square(const Num& v) {
        const Num y = cs_.alloc_num(v.value.square());
        if constexpr (CS::kStructure)
            cs_.enforce(LinearCombination(v.var), LinearCombination(v.var), LinearCombination(y.var));
        return y;
    }

    Num ensure(const Element& e) {
        if (e.is_variable) return {e.var, e.value};
        const Num x = cs_.alloc_num(e.value);
        if constexpr (CS::kStructure) cs_.enforce(e.lc, constant_one(), LinearCombination(x.var));
        return x;
    }

    void sbox(Element& e, const Fr* post) {
        const Num l = ensure(e);
        const Num y4 = square(square(l));
        const Fr k = post != nullptr ? *post : Fr::zero();
        const Num y5 = cs_.alloc_num(y4.value * l.value + k);
        if constexpr (CS::kStructure)
            cs_.enforce(LinearCombination(l.var), LinearCombination(y4.var),
                        LinearCombination(y5.var).add(Var::one(), -k));
        e = variable(y5);
    }

    void dense(const Matrix& m) {
        std::vector<Element> next(c_.width);
        for (std::size_t j = 0; j < c_.width; ++j) {
            for (std::size_t i = 0; i < c_.width; ++i) {
                if constexpr (CS::kStructure)
                    next[j].lc.add(state_[i].lc, m.at(i, j));
                else
                    next[j].value += state_[i].value * m.at(i, j);
            }
            if constexpr (CS::kStructure) next[j].lc.normalise();
        }
        state_ = std::move(next);
    }

    void sparse(const SparseRound& m) {
        Element first;
        for (std::size_t i = 0; i < c_.width; ++i) {
            if constexpr (CS::kStructure)
                first.lc.add(state_[i].lc, m.w[i]);
            else
                first.value += state_[i].value * m.w[i];
        }
        for (std::size_t j = 1; j < c_.width; ++j) {
            if constexpr (CS::kStructure) {
                state_[j].lc.add(state_[0].lc, m.v[j - 1]).normalise();
            } else {
                state_[j].value += state_[0].value * m.v[j - 1];
            }
            state_[j].is_variable = false;
        }
        if constexpr (CS::kStructure) first.lc.normalise();
        state_[0] = std::move(first);
    }

    CS& cs_;
    const PoseidonConstants& c_;
    const Fr* key_;
    std::vector<Element> state_;
};

}  // namespace poseidon_detail

// Digest of 2, 4, 8 or 11 numbers; 3 arity + 28 (arity + 1) + 4 R_P + 1 rows and as many variables.
template <class CS>
Num poseidon_gadget(CS& cs, std::span<const Num> inputs, PoseidonDomain domain = PoseidonDomain::kMerkle) {
    Ports in;
    in.nums.assign(inputs.begin(), inputs.end());
    return cs
        .block(domain == PoseidonDomain::kMerkle ? "poseidon" : "poseidon-gen", in,
               [&](const Ports& p) {
                   Ports out;
                   out.nums.push_back(
                       poseidon_detail::Permutation<CS>(cs, poseidon_constants(p.nums.size()), domain, p.nums)
                           .run());
                   return out;
               })
        .nums.front();
}

template <class CS>
Num poseidon_gadget(CS& cs, const Num& a, const Num& b, PoseidonDomain domain = PoseidonDomain::kMerkle) {
    const Num inputs[] = {a, b};
    return poseidon_gadget(cs, std::span<const Num>(inputs), domain);
}

}  // namespace cuzk::filecoin
