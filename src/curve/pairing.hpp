// Optimal ate pairings of BLS12-381 and BN254 (Vercauteren 2010), e: G1 x G2 -> GT in Fp12.
//
// The value is f(P, Q)^(s (p^12 - 1) / r), where f is the Miller value of the optimal ate pairing (loop x for BLS12, with the
// inverse taken for negative x; loop 6 x + 2 and two Frobenius lines for BN) and s makes the final exponentiation
// cheap: s = 3 for BLS12-381 (Hayashida, Hayasaka, Teruya 2020), s = 2 x (6 x^2 + 3 x + 1) for BN254 (Fuentes-Castañeda,
// Knapp, Rodríguez-Henríquez 2011). Neither s is a multiple of r, so the pairing stays bilinear and non-degenerate. The
// same powers are customary elsewhere, so that values can be compared.
//
// Every point must be in its group (on the curve, in the subgroup of order r; see curve/subgroup.hpp): other inputs give
// meaningless values, never a crash. Infinity on either side gives one. All functions are thread-safe; not constant-time.
#pragma once

#include <span>
#include <vector>

#include "curve/affine.hpp"

namespace cuzk {

// The lines of one G2 point's Miller loop, each scaled so that its w^3 part (M-twist) or constant part (D-twist) is the
// y-coordinate of the G1 point alone. Immutable; about 13 KiB on BLS12-381.
template <class C>
class G2Prepared {
public:
    using F2 = typename C::G2::Field;

    // The line through T with slope t: y - t x + (t T.x - T.y).
    struct Line {
        F2 slope;
        F2 offset;
    };

    explicit G2Prepared(const Affine<typename C::G2>& q);

    bool is_infinity() const { return lines_.empty(); }
    std::span<const Line> lines() const { return lines_; }

private:
    std::vector<Line> lines_;
};

template <class C>
struct PairingPair {
    Affine<typename C::G1> p;
    Affine<typename C::G2> q;
};

// A pair whose G2 point was prepared; `q` is not owned and must outlive the call.
template <class C>
struct PreparedPair {
    Affine<typename C::G1> p;
    const G2Prepared<C>* q;
};

// The product of the Miller values of all pairs (one for no pairs), before final exponentiation. Shares squarings between
// pairs; many pairs are spread over threads.
template <class C>
typename C::Gt multi_miller_loop(std::span<const PairingPair<C>> pairs,
                                 std::span<const PreparedPair<C>> prepared = {});

// f^(s (p^12 - 1) / r). Zero gives zero.
template <class C>
typename C::Gt final_exponentiation(const typename C::Gt& f);

// e(p, q)
template <class C>
typename C::Gt pairing(const Affine<typename C::G1>& p, const Affine<typename C::G2>& q);

// The product of e(p, q) over all pairs.
template <class C>
typename C::Gt multi_pairing(std::span<const PairingPair<C>> pairs,
                             std::span<const PreparedPair<C>> prepared = {});

// a^k for a in GT (the image of the pairing, where squaring is cheap); k is canonical.
template <class C>
typename C::Gt gt_pow(const typename C::Gt& a, const typename C::Fr::Int& k);

#define CUZK_DECLARE_PAIRING(C)                                                   \
    extern template class G2Prepared<C>;                                          \
    extern template C::Gt multi_miller_loop<C>(std::span<const PairingPair<C>>,   \
                                               std::span<const PreparedPair<C>>); \
    extern template C::Gt final_exponentiation<C>(const C::Gt&);                  \
    extern template C::Gt pairing<C>(const Affine<C::G1>&, const Affine<C::G2>&); \
    extern template C::Gt multi_pairing<C>(std::span<const PairingPair<C>>,       \
                                           std::span<const PreparedPair<C>>);     \
    extern template C::Gt gt_pow<C>(const C::Gt&, const C::Fr::Int&)
CUZK_DECLARE_PAIRING(Bls12_381);
CUZK_DECLARE_PAIRING(Bn254);
#undef CUZK_DECLARE_PAIRING

}  // namespace cuzk
