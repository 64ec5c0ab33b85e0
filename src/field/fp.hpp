// A prime-field element in Montgomery form.
#pragma once

#include <optional>
#include <span>

#include "base/random.hpp"
#include "field/constants.hpp"
#include "field/mont.hpp"
#include "field/params.hpp"

namespace cuzk {

// Value x is held as x * 2^(64 N) mod p, always below p (so equality is limb equality), limbs least significant first.
// Trivially copyable, N * 8 bytes, the memory layout of snarkjs' Montgomery sections. Not constant-time.
template <class P>
class Fp {
public:
    using Params = P;
    using Constants = FieldConstants<P>;
    static constexpr std::size_t kLimbs = P::kLimbs;
    static constexpr std::size_t kBytes = 8 * kLimbs;
    static constexpr std::size_t kBits = Constants::kBits;
    using Int = BigInt<kLimbs>;

    constexpr Fp() = default;  // zero

    CUZK_HD static constexpr Fp zero() { return Fp(); }
    // Constants are copied before use: device code can use a constant's value, not its address.
    CUZK_HD static constexpr Fp one() {
        constexpr Int kOne = Constants::kR;
        return from_montgomery(kOne);
    }
    CUZK_HD static constexpr Fp from_u64(u64 x) { return from_int(Int::from_u64(x)); }

    // Canonical integer, must be below p.
    CUZK_HD static constexpr Fp from_int(const Int& x) {
        constexpr Int kSquare = Constants::kR2;
        return from_montgomery(mont::mul<P>(x, kSquare));
    }
    // Limbs that are in Montgomery form already; must be below p.
    CUZK_HD static constexpr Fp from_montgomery(const Int& x) {
        Fp r;
        r.v_ = x;
        return r;
    }
    // 8 N bytes little-endian canonical; nothing if the number is not below p.
    static std::optional<Fp> from_bytes_le(std::span<const u8, kBytes> bytes);
    static std::optional<Fp> from_bytes_be(std::span<const u8, kBytes> bytes);
    void to_bytes_le(std::span<u8, kBytes> out) const;
    void to_bytes_be(std::span<u8, kBytes> out) const;

    // Uniform by rejection.
    static Fp random(RandomSource& source);

    CUZK_HD constexpr Int to_int() const { return mont::mul<P>(v_, Int::from_u64(1)); }
    CUZK_HD constexpr const Int& montgomery() const { return v_; }

    CUZK_HD constexpr bool is_zero() const { return v_.is_zero(); }
    CUZK_HD constexpr bool is_one() const { return *this == one(); }
    // Canonical value above (p - 1) / 2: the sign bit of the Zcash point encodings.
    CUZK_HD constexpr bool is_lexicographically_largest() const { return Constants::kHalf < to_int(); }

    CUZK_HD friend constexpr bool operator==(const Fp& a, const Fp& b) { return a.v_ == b.v_; }
    CUZK_HD friend constexpr Fp operator+(const Fp& a, const Fp& b) {
        return Fp(InPlace{}, [&] { return mont::add<P>(a.v_, b.v_); });
    }
    CUZK_HD friend constexpr Fp operator-(const Fp& a, const Fp& b) {
        return Fp(InPlace{}, [&] { return mont::sub<P>(a.v_, b.v_); });
    }
    CUZK_HD friend constexpr Fp operator*(const Fp& a, const Fp& b) {
        return Fp(InPlace{}, [&] { return mont::mul<P>(a.v_, b.v_); });
    }
    CUZK_HD constexpr Fp operator-() const { return zero() - *this; }
    CUZK_HD constexpr Fp& operator+=(const Fp& b) { return *this = *this + b; }
    CUZK_HD constexpr Fp& operator-=(const Fp& b) { return *this = *this - b; }
    CUZK_HD constexpr Fp& operator*=(const Fp& b) {
        mont::mul_assign<P>(v_, b.v_);
        return *this;
    }

    CUZK_HD constexpr Fp dbl() const { return *this + *this; }
    CUZK_HD constexpr Fp square() const {
        return Fp(InPlace{}, [&] { return mont::sqr<P>(v_); });
    }

    template <std::size_t M>
    CUZK_HD constexpr Fp pow(const BigInt<M>& e) const {
        Fp r = one();
        for (std::size_t i = e.bit_length(); i-- > 0;) {
            mont::mul_assign<P>(r.v_, r.v_);
            if (e.bit(i)) r *= *this;
        }
        return r;
    }
    CUZK_HD constexpr Fp pow(u64 e) const { return pow(BigInt<1>::from_u64(e)); }

    // Multiplicative inverse; zero maps to zero.
    CUZK_HD constexpr Fp inverse() const { return from_montgomery(mont::inverse<P>(v_)); }

    // 1, 0 or -1 (Euler).
    constexpr int legendre() const {
        if (is_zero()) return 0;
        return pow(Constants::kHalf).is_one() ? 1 : -1;
    }
    // A square root, if there is one.
    std::optional<Fp> sqrt() const;

private:
    // Takes what make() returns without a copy. A copy loads pairs of words that were just stored one by one, which the
    // store buffer cannot forward: half the latency of a product on current processors.
    struct InPlace {};
    template <class Make>
    CUZK_HD constexpr Fp(InPlace, const Make& make) : v_(make()) {}

    Int v_{};
};

using Bls12_381Fr = Fp<Bls12_381FrParams>;
using Bls12_381Fp = Fp<Bls12_381FpParams>;
using Bn254Fr = Fp<Bn254FrParams>;
using Bn254Fp = Fp<Bn254FpParams>;

extern template class Fp<Bls12_381FrParams>;
extern template class Fp<Bls12_381FpParams>;
extern template class Fp<Bn254FrParams>;
extern template class Fp<Bn254FpParams>;

}  // namespace cuzk
