#include "poly/twiddles.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "field/cpu.hpp"
#include "field/limbs52.hpp"

namespace cuzk::ntt {

namespace {

// -p^-1 mod 2^256 and its continuation to 260 bits, by Newton iteration on 5 words.
template <class P>
constexpr BigInt<5> negative_inverse() {
    const auto product = [](const BigInt<5>& a, const BigInt<5>& b) {
        BigInt<5> r;
        for (std::size_t i = 0; i < 5; ++i) {
            u64 carry = 0;
            for (std::size_t j = 0; i + j < 5; ++j) {
                const u128 x = u128{a.limb[i]} * b.limb[j] + r.limb[i + j] + carry;
                r.limb[i + j] = static_cast<u64>(x);
                carry = static_cast<u64>(x >> 64);
            }
        }
        return r;
    };
    BigInt<5> p;
    for (std::size_t i = 0; i < P::kLimbs; ++i) p.limb[i] = P::kModulus.limb[i];
    BigInt<5> x = BigInt<5>::from_u64(1);
    for (int i = 0; i < 9; ++i) {  // each step doubles the number of right bits: 1 to 512
        BigInt<5> t = BigInt<5>::from_u64(2);
        t.sub(product(p, x));
        x = product(x, t);
    }
    BigInt<5> r;
    r.sub(x);
    return r;
}

// w 2^260 = q p + r with r < p, so q = -r p^-1 mod 2^260: no division.
template <class Fr>
void prepare(const Fr& w, u64* out) {
    using P = typename Fr::Params;
    using Format = Limbs52<P>;
    static_assert(Format::kLimbs == 5 && Format::kExtra == 4);
    static constexpr BigInt<5> kNegativeInverse = negative_inverse<P>();

    const auto value = Format::split(w.to_int());
    std::copy(std::begin(value.limb), std::end(value.limb), out);

    const auto remainder = w.dbl().dbl().dbl().dbl().montgomery();
    BigInt<5> quotient;
    for (std::size_t i = 0; i < 4; ++i) {
        u64 carry = 0;
        for (std::size_t j = 0; i + j < 5; ++j) {
            const u128 x = u128{remainder.limb[i]} * kNegativeInverse.limb[j] + quotient.limb[i + j] + carry;
            quotient.limb[i + j] = static_cast<u64>(x);
            carry = static_cast<u64>(x >> 64);
        }
    }
    for (std::size_t i = 0; i < 5; ++i) out[5 + i] = quotient.bits(52 * i, 52);
}

}  // namespace

template <class Fr>
Fr smallest_non_residue() {
    for (u64 n = 2;; ++n)
        if (const Fr x = Fr::from_u64(n); x.legendre() == -1) return x;
}

template <class Fr>
FactorList<Fr>::FactorList(std::vector<Fr> plain, bool vectors) : plain_(std::move(plain)) {
    if (!vectors) return;
    prepared_.resize(kPreparedWords * plain_.size());
    for (std::size_t i = 0; i < plain_.size(); ++i) prepare(plain_[i], &prepared_[kPreparedWords * i]);
}

template <class Fr>
FactorList<Fr> power_list(const Fr& first, const Fr& ratio, std::size_t count, bool vectors) {
    std::vector<Fr> powers(count);
    Fr power = first;
    for (Fr& x : powers) {
        x = power;
        power *= ratio;
    }
    return FactorList<Fr>(std::move(powers), vectors);
}

template <class Fr>
const Fr& full_root(RootFamily family) {
    static const Fr generator = Fr::from_u64(Fr::Params::kGenerator).pow(Fr::Constants::kOddPart);
    static const Fr non_residue = smallest_non_residue<Fr>().pow(Fr::Constants::kOddPart);
    return family == RootFamily::kGenerator ? generator : non_residue;
}

template <class Fr>
Factors<Fr> root_table(RootFamily family, Direction direction) {
    const auto make = [](Fr root) {
        for (std::size_t i = kMaxLogLength; i < Fr::Constants::kTwoAdicity; ++i) root = root.square();
        std::vector<Fr> table(std::size_t{1} << kMaxLogLength);
        for (std::size_t half = table.size() / 2; half != 0; half /= 2) {
            table[half] = Fr::one();
            for (std::size_t j = 1; j < half; ++j) table[half + j] = table[half + j - 1] * root;
            root = root.square();
        }
        return FactorList<Fr>(std::move(table), best_isa() == Isa::kIfma);
    };
    struct Pair {
        FactorList<Fr> forward;
        FactorList<Fr> inverse;
    };
    const auto make_pair = [&](RootFamily f) {
        return Pair{make(full_root<Fr>(f)), make(full_root<Fr>(f).inverse())};
    };
    const auto pick = [&](const Pair& pair) {
        return direction == Direction::kForward ? pair.forward.view() : pair.inverse.view();
    };
    static const Pair of_generator = make_pair(RootFamily::kGenerator);
    if (family == RootFamily::kGenerator || full_root<Fr>(family) == full_root<Fr>(RootFamily::kGenerator))
        return pick(of_generator);
    static const Pair of_non_residue = make_pair(RootFamily::kNonResidue);
    return pick(of_non_residue);
}

template class FactorList<Bls12_381Fr>;
template class FactorList<Bn254Fr>;
template FactorList<Bls12_381Fr> power_list(const Bls12_381Fr&, const Bls12_381Fr&, std::size_t, bool);
template FactorList<Bn254Fr> power_list(const Bn254Fr&, const Bn254Fr&, std::size_t, bool);
template Bls12_381Fr smallest_non_residue<Bls12_381Fr>();
template Bn254Fr smallest_non_residue<Bn254Fr>();
template const Bls12_381Fr& full_root<Bls12_381Fr>(RootFamily);
template const Bn254Fr& full_root<Bn254Fr>(RootFamily);
template Factors<Bls12_381Fr> root_table<Bls12_381Fr>(RootFamily, Direction);
template Factors<Bn254Fr> root_table<Bn254Fr>(RootFamily, Direction);

}  // namespace cuzk::ntt
