#include "field/fp.hpp"

#include <array>

namespace cuzk {

namespace {

template <class P>
std::optional<Fp<P>> checked(const typename Fp<P>::Int& x) {
    if (x >= FieldConstants<P>::kModulus) return std::nullopt;
    return Fp<P>::from_int(x);
}

}  // namespace

template <class P>
std::optional<Fp<P>> Fp<P>::from_bytes_le(std::span<const u8, kBytes> bytes) {
    Int x;
    for (std::size_t i = 0; i < kBytes; ++i) x.limb[i / 8] |= u64{bytes[i]} << (8 * (i % 8));
    return checked<P>(x);
}

template <class P>
std::optional<Fp<P>> Fp<P>::from_bytes_be(std::span<const u8, kBytes> bytes) {
    Int x;
    for (std::size_t i = 0; i < kBytes; ++i) x.limb[i / 8] |= u64{bytes[kBytes - 1 - i]} << (8 * (i % 8));
    return checked<P>(x);
}

template <class P>
void Fp<P>::to_bytes_le(std::span<u8, kBytes> out) const {
    const Int x = to_int();
    for (std::size_t i = 0; i < kBytes; ++i) out[i] = static_cast<u8>(x.limb[i / 8] >> (8 * (i % 8)));
}

template <class P>
void Fp<P>::to_bytes_be(std::span<u8, kBytes> out) const {
    const Int x = to_int();
    for (std::size_t i = 0; i < kBytes; ++i)
        out[kBytes - 1 - i] = static_cast<u8>(x.limb[i / 8] >> (8 * (i % 8)));
}

template <class P>
Fp<P> Fp<P>::random(RandomSource& source) {
    std::array<u8, kBytes> bytes{};
    for (;;) {
        source.fill(bytes);
        // Clear the bits above the modulus, so that at least half of the draws succeed.
        bytes[kBytes - 1] &= static_cast<u8>(0xff >> (8 * kBytes - kBits));
        if (auto x = from_bytes_le(bytes)) return *x;
    }
}

// Tonelli-Shanks (Shanks 1973); for p = 3 mod 4 the loop body never runs.
template <class P>
std::optional<Fp<P>> Fp<P>::sqrt() const {
    if (is_zero()) return zero();
    using C = Constants;
    const Fp w = pow(C::kOddPart.shr(1));  // a^((t-1)/2), t odd
    Fp x = *this * w;                      // a^((t+1)/2)
    Fp b = x * w;                          // a^t
    Fp z = from_u64(P::kGenerator).pow(C::kOddPart);
    std::size_t order = C::kTwoAdicity;
    while (!b.is_one()) {
        std::size_t k = 0;
        for (Fp t = b; !t.is_one(); t = t.square()) {
            if (++k == order) return std::nullopt;
        }
        for (std::size_t i = 0; i + k + 1 < order; ++i) z = z.square();
        x *= z;
        z = z.square();
        b *= z;
        order = k;
    }
    return x;
}

template class Fp<Bls12_381FrParams>;
template class Fp<Bls12_381FpParams>;
template class Fp<Bn254FrParams>;
template class Fp<Bn254FpParams>;

}  // namespace cuzk
