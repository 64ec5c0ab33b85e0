#include "curve/scalar_mul.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "curve/endomorphism.hpp"

namespace cuzk {

namespace {

template <std::size_t N>
struct Division {
    BigInt<N> quotient, rest;
};

// Schoolbook division by shifts; the cost goes with the length of the quotient.
template <std::size_t N>
constexpr Division<N> divide(const BigInt<N>& a, const BigInt<N>& by) {
    Division<N> r{{}, a};
    const std::size_t top = a.bit_length();
    const std::size_t length = by.bit_length();
    if (top < length) return r;
    std::size_t shift = top - length;
    BigInt<N> shifted;
    for (std::size_t i = 0; i < N; ++i) {
        const std::size_t limb = i + shift / 64;
        if (limb < N) shifted.limb[limb] |= by.limb[i] << (shift % 64);
        if (limb + 1 < N && shift % 64 != 0) shifted.limb[limb + 1] |= by.limb[i] >> (64 - shift % 64);
    }
    for (;; --shift) {
        if (r.rest >= shifted) {
            r.rest.sub(shifted);
            r.quotient.limb[shift / 64] |= u64{1} << (shift % 64);
        }
        if (shift == 0) return r;
        shifted = shifted.shr(1);
    }
}

constexpr BigInt<4> wide(u128 x) {
    BigInt<4> r;
    r.limb[0] = static_cast<u64>(x);
    r.limb[1] = static_cast<u64>(x >> 64);
    return r;
}

template <std::size_t N>
constexpr u128 low(const BigInt<N>& x) {
    return (u128{x.limb[1]} << 64) | x.limb[0];
}

// a b; the product must fit.
template <std::size_t N>
constexpr BigInt<N> multiply(const BigInt<4>& a, u128 b) {
    const u64 digits[2] = {static_cast<u64>(b), static_cast<u64>(b >> 64)};
    BigInt<N> r;
    for (std::size_t i = 0; i < 2; ++i) {
        u64 carry = 0;
        for (std::size_t j = 0; i + j < N; ++j) {
            const u128 t = u128{j < 4 ? a.limb[j] : 0} * digits[i] + r.limb[i + j] + carry;
            r.limb[i + j] = static_cast<u64>(t);
            carry = static_cast<u64>(t >> 64);
        }
    }
    return r;
}

// One term of the split scalar: (negative ? -1 : 1) * magnitude times the i-th image of the point.
struct Part {
    u128 magnitude = 0;
    bool negative = false;
};

// k p = sum of parts[i] images[i], where image 0 is p and the others follow by the endomorphism of the group.
template <class G>
struct Split;

// phi = -x^2.
template <>
struct Split<Bls12_381G1> {
    static constexpr std::size_t kParts = 2;
    static Jacobian<Bls12_381G1> next(const Jacobian<Bls12_381G1>& p) {
        return CubeRootEndomorphism<Bls12_381>::get()(p);
    }
    static std::array<Part, kParts> split(const BigInt<4>& k) {
        const auto d = divide(k, wide(u128{Bls12_381::kX} * Bls12_381::kX));
        return {{{low(d.rest), false}, {low(d.quotient), true}}};
    }
};

// psi = x, which is negative: the digits of k in base |x|, with alternating signs.
template <>
struct Split<Bls12_381G2> {
    static constexpr std::size_t kParts = 4;
    static Jacobian<Bls12_381G2> next(const Jacobian<Bls12_381G2>& q) {
        return TwistFrobenius<Bls12_381>::get()(q);
    }
    static std::array<Part, kParts> split(const BigInt<4>& k) {
        std::array<Part, kParts> parts;
        BigInt<4> rest = k;
        for (std::size_t i = 0; i < kParts; ++i) {
            u64 carry = 0;
            for (std::size_t j = 4; j-- > 0;) {
                const u128 t = (u128{carry} << 64) | rest.limb[j];
                rest.limb[j] = static_cast<u64>(t / Bls12_381::kX);
                carry = static_cast<u64>(t % Bls12_381::kX);
            }
            parts[i] = {carry, i % 2 == 1};
        }
        return parts;
    }
};

// With m = 2 x + 1, the vectors (m, 6 x^2 + 4 x + 1) and (-(6 x^2 + 2 x), m) of coefficients of (1, phi) vanish on the group, and
// their determinant is r: subtract from (k, 0) the lattice point that rounding its coordinates down gives.
template <>
struct Split<Bn254G1> {
    static constexpr std::size_t kParts = 2;
    static constexpr u128 kX = Bn254::kX;
    static constexpr u128 kM = 2 * kX + 1;
    static constexpr u128 kB1 = 6 * kX * kX + 4 * kX + 1;
    static constexpr u128 kA2 = 6 * kX * kX + 2 * kX;

    static Jacobian<Bn254G1> next(const Jacobian<Bn254G1>& p) {
        return CubeRootEndomorphism<Bn254>::get()(p);
    }
    static std::array<Part, kParts> split(const BigInt<4>& k) {
        constexpr auto kR = [] {
            BigInt<6> r;
            for (std::size_t i = 0; i < 4; ++i) r.limb[i] = Bn254FrParams::kModulus.limb[i];
            return r;
        }();
        const u128 c1 = low(divide(multiply<6>(k, kM), kR).quotient);
        const u128 c2 = low(divide(multiply<6>(k, kB1), kR).quotient);
        // Both differences are below 2^127 in absolute value, so that arithmetic mod 2^128 gives them.
        const u128 k0 = low(k) - c1 * kM - c2 * kA2;
        const u128 k1 = c2 * kM - c1 * kB1;
        const bool negative = (k1 >> 127) != 0;
        return {{{k0, false}, {negative ? 0 - k1 : k1, negative}}};
    }
};

// psi = 6 x^2.
template <>
struct Split<Bn254G2> {
    static constexpr std::size_t kParts = 2;
    static Jacobian<Bn254G2> next(const Jacobian<Bn254G2>& q) { return TwistFrobenius<Bn254>::get()(q); }
    static std::array<Part, kParts> split(const BigInt<4>& k) {
        const auto d = divide(k, wide(u128{6} * Bn254::kX * Bn254::kX));
        return {{{low(d.rest), false}, {low(d.quotient), false}}};
    }
};

// Non-adjacent form of window width w: digits are zero or odd and below 2^(w-1) in absolute value.
class SignedWindows {
public:
    static constexpr unsigned kWidth = 5;
    static constexpr std::size_t kTable = std::size_t{1}
                                          << (kWidth - 2);  // the odd multiples 1, 3, ... in use

    explicit SignedWindows(Part part) {
        u128 k = part.magnitude;
        u64 carry = 0;  // k can reach 2^128 after a negative digit
        for (size_ = 0; k != 0 || carry != 0; ++size_) {
            int digit = 0;
            if ((k & 1) != 0) {
                digit = static_cast<int>(k & ((1U << kWidth) - 1));
                if (digit >= (1 << (kWidth - 1))) {
                    digit -= 1 << kWidth;
                    const u128 up = k + static_cast<unsigned>(-digit);
                    carry += up < k ? 1 : 0;
                    k = up;
                } else {
                    k -= static_cast<unsigned>(digit);
                }
            }
            digits_[size_] = static_cast<signed char>(part.negative ? -digit : digit);
            k = (k >> 1) | (u128{carry & 1} << 127);
            carry = 0;
        }
    }
    std::size_t size() const { return size_; }
    int operator[](std::size_t i) const { return i < size_ ? digits_[i] : 0; }

private:
    std::array<signed char, 130> digits_;
    std::size_t size_;
};

// Sum of parts[i] images[i] with shared doublings (Straus 1964).
template <class G, std::size_t kParts>
Jacobian<G> combine(const Jacobian<G>& p, const std::array<Part, kParts>& parts) {
    std::array<std::array<Jacobian<G>, SignedWindows::kTable>, kParts> tables;
    tables[0][0] = p;
    const Jacobian<G> twice = p.dbl();
    for (std::size_t i = 1; i < SignedWindows::kTable; ++i) tables[0][i] = tables[0][i - 1] + twice;
    for (std::size_t part = 1; part < kParts; ++part) {
        for (std::size_t i = 0; i < SignedWindows::kTable; ++i)
            tables[part][i] = Split<G>::next(tables[part - 1][i]);
    }
    const auto windows = [&]<std::size_t... i>(std::index_sequence<i...>) {
        return std::array<SignedWindows, kParts>{SignedWindows(parts[i])...};
    }
    (std::make_index_sequence<kParts>());
    std::size_t length = 0;
    for (const auto& w : windows) length = std::max(length, w.size());

    Jacobian<G> sum = Jacobian<G>::infinity();
    for (std::size_t i = length; i-- > 0;) {
        sum = sum.dbl();
        for (std::size_t part = 0; part < kParts; ++part) {
            const int digit = windows[part][i];
            if (digit > 0) sum += tables[part][static_cast<std::size_t>(digit / 2)];
            if (digit < 0) sum += -tables[part][static_cast<std::size_t>(-digit / 2)];
        }
    }
    return sum;
}

// k mod r; k is at most a few times r.
template <class Fr>
typename Fr::Int reduce(typename Fr::Int k) {
    while (k >= Fr::Params::kModulus) k.sub(Fr::Params::kModulus);
    return k;
}

}  // namespace

template <class G>
Jacobian<G> scalar_mul(const Jacobian<G>& p, const typename G::Scalar::Int& k) {
    if (p.is_infinity()) return p;
    return combine(p, Split<G>::split(reduce<typename G::Scalar>(k)));
}

template <class G1>
Jacobian<G1> short_endomorphism_mul(const Affine<G1>& p, u64 a, u64 b) {
    if (p.is_infinity()) return Jacobian<G1>::infinity();
    return combine(Jacobian<G1>::from_affine(p), std::array<Part, 2>{{{a, false}, {b, false}}});
}

template <class G1>
typename G1::Scalar endomorphism_eigenvalue() {
    using Fr = typename G1::Scalar;
    if constexpr (std::is_same_v<G1, Bls12_381G1>) {
        return -Fr::from_u64(Bls12_381::kX).square();
    } else {
        const Fr x = Fr::from_u64(Bn254::kX);
        const Fr m = x.dbl() + Fr::one();
        return -(m * (Fr::from_u64(6) * x.square() + x.dbl().dbl() + Fr::one()).inverse());
    }
}

CUZK_SCALAR_MUL(, Bls12_381G1);
CUZK_SCALAR_MUL(, Bls12_381G2);
CUZK_SCALAR_MUL(, Bn254G1);
CUZK_SCALAR_MUL(, Bn254G2);
CUZK_SHORT_MUL(, Bls12_381G1);
CUZK_SHORT_MUL(, Bn254G1);

}  // namespace cuzk
