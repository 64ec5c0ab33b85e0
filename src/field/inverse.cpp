// Inversion by 2-adic division steps: Bernstein, Yang, "Fast constant-time gcd computation and modular inversion" (2019),
// in a variable-time form: 62 steps at a time act on the low words and are collected in a 2x2 matrix, which is then applied
// to the whole numbers.
#include <algorithm>
#include <bit>
#include <utility>

#include "field/fp.hpp"

namespace cuzk {

namespace {

__extension__ using i128 = __int128;

constexpr int kStep = 62;
constexpr u64 kLow = (u64{1} << kStep) - 1;

// 2^62 times the effect of 62 division steps: f' = (u f + v g) / 2^62, g' = (q f + r g) / 2^62. |u| + |v|, |q| + |r| <= 2^62.
struct Transition {
    i64 u, v, q, r;
};

// Advances eta = -delta by 62 steps that depend on the low words of f (odd) and g alone.
Transition division_steps(i64& eta, u64 f, u64 g) {
    u64 u = 1, v = 0, q = 0, r = 1;
    int left = kStep;
    for (;;) {
        // Halve g as often as it is even; the bit at `left` ends the run.
        const int zeros = std::countr_zero(g | (~u64{0} << left));
        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        eta -= zeros;
        left -= zeros;
        if (left == 0) break;
        if (eta < 0) {
            eta = -eta;
            f = std::exchange(g, 0 - f);
            u = std::exchange(q, 0 - u);
            v = std::exchange(r, 0 - v);
        }
        // No swap can come for eta + 1 steps: cancel so many low bits of g at once, at most the 6 to which f is inverted.
        const int count = std::min<int>({6, left, static_cast<int>(std::min<i64>(eta, 62)) + 1});
        const u64 f_inverse = f * (2 - f * f);
        const u64 w = (0 - g * f_inverse) & ((u64{1} << count) - 1);
        g += f * w;
        q += u * w;
        r += v * w;
    }
    return {static_cast<i64>(u), static_cast<i64>(v), static_cast<i64>(q), static_cast<i64>(r)};
}

// Signed numbers in limbs of 62 bits; the highest limb carries the sign, the others are non-negative.
template <class P>
struct DivisionSteps {
    static constexpr std::size_t L = (64 * P::kLimbs + 2 + kStep - 1) / kStep;
    using Int = BigInt<P::kLimbs>;
    struct Signed {
        i64 limb[L];
    };

    static constexpr Signed split(const Int& x) {
        Signed r{};
        for (std::size_t i = 0; i < L; ++i) r.limb[i] = static_cast<i64>(x.bits(kStep * i, kStep));
        return r;
    }
    static constexpr Signed kP = split(P::kModulus);
    static constexpr u64 kPInverse = (0 - FieldConstants<P>::kN0) & kLow;  // p^-1 mod 2^62

    // (f, g) = t (f, g) / 2^62, exactly; both are zero above `length` limbs.
    static void apply(Signed& f, Signed& g, const Transition& t, std::size_t length) {
        i128 cf = i128{t.u} * f.limb[0] + i128{t.v} * g.limb[0];
        i128 cg = i128{t.q} * f.limb[0] + i128{t.r} * g.limb[0];
        cf >>= kStep;
        cg >>= kStep;
        for (std::size_t i = 1; i < length; ++i) {
            cf += i128{t.u} * f.limb[i] + i128{t.v} * g.limb[i];
            cg += i128{t.q} * f.limb[i] + i128{t.r} * g.limb[i];
            f.limb[i - 1] = static_cast<i64>(static_cast<u64>(cf) & kLow);
            g.limb[i - 1] = static_cast<i64>(static_cast<u64>(cg) & kLow);
            cf >>= kStep;
            cg >>= kStep;
        }
        f.limb[length - 1] = static_cast<i64>(cf);
        g.limb[length - 1] = static_cast<i64>(cg);
    }

    // (d, e) = t (d, e) / 2^62 mod p, both kept in (-2p, p).
    static void apply_mod(Signed& d, Signed& e, const Transition& t) {
        // Multiples of p: one for each negative operand, and what makes the low limb divisible.
        const i64 d_sign = d.limb[L - 1] >> 63, e_sign = e.limb[L - 1] >> 63;
        i64 md = (t.u & d_sign) + (t.v & e_sign);
        i64 me = (t.q & d_sign) + (t.r & e_sign);
        i128 cd = i128{t.u} * d.limb[0] + i128{t.v} * e.limb[0];
        i128 ce = i128{t.q} * d.limb[0] + i128{t.r} * e.limb[0];
        md -= static_cast<i64>((kPInverse * static_cast<u64>(cd) + static_cast<u64>(md)) & kLow);
        me -= static_cast<i64>((kPInverse * static_cast<u64>(ce) + static_cast<u64>(me)) & kLow);
        cd += i128{kP.limb[0]} * md;
        ce += i128{kP.limb[0]} * me;
        cd >>= kStep;
        ce >>= kStep;
        CUZK_UNROLL
        for (std::size_t i = 1; i < L; ++i) {
            cd += i128{t.u} * d.limb[i] + i128{t.v} * e.limb[i] + i128{kP.limb[i]} * md;
            ce += i128{t.q} * d.limb[i] + i128{t.r} * e.limb[i] + i128{kP.limb[i]} * me;
            d.limb[i - 1] = static_cast<i64>(static_cast<u64>(cd) & kLow);
            e.limb[i - 1] = static_cast<i64>(static_cast<u64>(ce) & kLow);
            cd >>= kStep;
            ce >>= kStep;
        }
        d.limb[L - 1] = static_cast<i64>(cd);
        e.limb[L - 1] = static_cast<i64>(ce);
    }

    // Limbs of any sign to canonical ones.
    static void carry(Signed& a) {
        for (std::size_t i = 0; i + 1 < L; ++i) {
            a.limb[i + 1] += a.limb[i] >> kStep;
            a.limb[i] &= static_cast<i64>(kLow);
        }
    }

    // a, or -a, of a value in (-2p, p), as an integer in [0, p).
    static Int reduce(Signed a, bool negate) {
        const auto add_p = [&a] {
            const i64 negative = a.limb[L - 1] >> 63;
            for (std::size_t i = 0; i < L; ++i) a.limb[i] += kP.limb[i] & negative;
            carry(a);
        };
        add_p();  // (-p, p)
        if (negate) {
            for (i64& x : a.limb) x = -x;
            carry(a);
        }
        add_p();
        Int r;
        for (std::size_t i = 0; i < L; ++i) {
            const std::size_t word = kStep * i / 64, shift = kStep * i % 64;
            const u64 x = static_cast<u64>(a.limb[i]);
            if (word < P::kLimbs) r.limb[word] |= x << shift;
            if (shift != 0 && word + 1 < P::kLimbs) r.limb[word + 1] |= x >> (64 - shift);
        }
        return r;
    }

    // k / x mod p; 0 for 0.
    static Int divide(const Int& k, const Int& x) {
        Signed f = kP, g = split(x), d{}, e = split(k);
        i64 eta = -1;
        std::size_t length = L;
        const auto is_zero = [&](const Signed& a) {
            i64 any = 0;
            for (std::size_t i = 0; i < length; ++i) any |= a.limb[i];
            return any == 0;
        };
        while (!is_zero(g)) {
            const auto low = [&](const Signed& a) {
                return static_cast<u64>(a.limb[0]) | (static_cast<u64>(a.limb[1]) << kStep);
            };
            const Transition t = division_steps(eta, low(f), low(g));
            apply_mod(d, e, t);
            apply(f, g, t, length);
            // Drop a highest limb that only repeats the signs.
            const auto sign_only = [](i64 x) { return x == 0 || x == -1; };
            while (length > 2 && sign_only(f.limb[length - 1]) && sign_only(g.limb[length - 1])) {
                for (Signed* a : {&f, &g})
                    a->limb[length - 2] = static_cast<i64>(static_cast<u64>(a->limb[length - 2]) |
                                                           (static_cast<u64>(a->limb[length - 1]) << kStep));
                --length;
            }
        }
        return reduce(d, f.limb[length - 1] < 0);  // f = +-1
    }
};

}  // namespace

namespace native {

template <class P>
BigInt<P::kLimbs> inverse(const BigInt<P::kLimbs>& a) {
    return DivisionSteps<P>::divide(FieldConstants<P>::kR2, a);  // a = x R: R^2 / a = x^-1 R
}

template BigInt<4> inverse<Bls12_381FrParams>(const BigInt<4>&);
template BigInt<6> inverse<Bls12_381FpParams>(const BigInt<6>&);
template BigInt<4> inverse<Bn254FrParams>(const BigInt<4>&);
template BigInt<4> inverse<Bn254FpParams>(const BigInt<4>&);

}  // namespace native

// Declared in field/ifma_lanes.hpp, which only vector files may include.
template <class P>
void invert_montgomery_words(u64* words);

template <class P>
void invert_montgomery_words(u64* words) {
    BigInt<P::kLimbs> x;
    for (std::size_t i = 0; i < P::kLimbs; ++i) x.limb[i] = words[i];
    x = native::inverse<P>(x);
    for (std::size_t i = 0; i < P::kLimbs; ++i) words[i] = x.limb[i];
}

template void invert_montgomery_words<Bls12_381FrParams>(u64*);
template void invert_montgomery_words<Bls12_381FpParams>(u64*);
template void invert_montgomery_words<Bn254FrParams>(u64*);
template void invert_montgomery_words<Bn254FpParams>(u64*);

}  // namespace cuzk
