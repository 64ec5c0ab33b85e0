// Operands for field tests: the values at which carries, borrows and reductions change their behaviour, and random ones.
#pragma once

#include <vector>

#include "field/fp.hpp"

namespace cuzk::field_test {

using Fields = testing::Types<Bls12_381Fr, Bls12_381Fp, Bn254Fr, Bn254Fp>;

// Chosen so that the words in memory (Montgomery form) as well as the canonical numbers are extreme.
template <class F>
std::vector<F> edge_operands() {
    using C = typename F::Constants;
    using Int = typename F::Int;
    std::vector<Int> ints = {Int::from_u64(0),
                             Int::from_u64(1),
                             Int::from_u64(2),
                             Int::from_u64(~u64{0}),
                             C::kR,
                             C::kR2,
                             C::kModulusMinusOne,
                             C::kModulusMinusTwo,
                             C::kHalf,
                             C::kOddPart};
    for (std::size_t i = 0; i < F::kLimbs; ++i) {
        Int ones, single,
            below;  // all-ones words with the top word reduced, one word alone, p without its low words
        for (std::size_t j = 0; j < F::kLimbs; ++j) {
            if (j < i) ones.limb[j] = ~u64{0};
            if (j == i) single.limb[j] = j + 1 < F::kLimbs ? ~u64{0} : C::kModulus.limb[j] - 1;
            if (j >= i) below.limb[j] = C::kModulus.limb[j];
        }
        ones.limb[F::kLimbs - 1] = C::kModulus.limb[F::kLimbs - 1] - 1;
        for (const Int& x : {ones, single, below})
            if (x < C::kModulus) ints.push_back(x);
    }
    std::vector<F> all;
    for (const Int& x : ints) {
        all.push_back(F::from_int(x));
        all.push_back(F::from_montgomery(x));
    }
    return all;
}

template <class F>
std::vector<F> random_operands(std::size_t count, u64 seed) {
    SeededRandom source(seed);
    std::vector<F> all;
    while (all.size() < count) all.push_back(F::random(source));
    return all;
}

template <class F>
std::vector<F> operands(std::size_t random_count, u64 seed) {
    std::vector<F> all = edge_operands<F>();
    for (const F& x : random_operands<F>(random_count, seed)) all.push_back(x);
    return all;
}

}  // namespace cuzk::field_test
