// The batch-affine kernel over eight lanes of AVX-512 IFMA. Only for *_ifma.cpp files.
//
// Bases stay in the Montgomery form of memory, x R with R = 2^(64 words), though lane products divide by R' =
// R 2^e. Read with R', a stored x means x 2^-e. Points are therefore taken on the isomorphic curve (u^2 x,
// u^3 y) with u = 2^(-e/2): x as it lies in memory, y times 2^(-e/2), which is a small Montgomery step. The
// addition formulas do not see the curve's constant, so nothing else changes; a result's y is multiplied by
// 2^(e/2).
//
// Bounds, in multiples of p (R' is 84 p or more):
//   loaded x below 1, loaded y within +-1.01, both before normalisation of y; accumulators x < 3.3, y < 2.4;
//   differences below 7.5, products below 1.1 on G1, 1.4 on G2, the sum of squares of a norm below 2.4.
// A conditional correction looks at the top limb alone and so is off by at most 2^-9 p, which the bounds
// leave room for.
#pragma once

#include "field/ifma_lanes2.hpp"
#include "msm/batch_affine.hpp"

namespace cuzk::ifma {
namespace {

// Loose a + k p where a is below about p / 128, normalised; a within (-k p, R').
template <u64 k, class P>
CUZK_LANES_INLINE Lanes<P> raise_near(const Lanes<P>& a) {
    constexpr std::size_t N = Lanes<P>::N;
    static constexpr auto kMultiple = Limbs52<P>::multiple(k);
    static constexpr u64 kThreshold = Limbs52<P>::multiple(1).limb[N - 1] >> 7;
    const Mask low = _mm512_cmplt_epi64_mask(a.l[N - 1], splat(kThreshold));
    Lanes<P> r;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < N; ++i)
        r.l[i] = _mm512_mask_add_epi64(a.l[i], low, a.l[i], splat(kMultiple.limb[i]));
    return normalize(r);
}
template <u64 k, class P>
CUZK_LANES_INLINE Lanes2<P> raise_near(const Lanes2<P>& a) {
    return {raise_near<k>(a.c0), raise_near<k>(a.c1)};
}

template <class P>
CUZK_LANES_INLINE Lanes<P> negate_loose(Mask mask, const Lanes<P>& a) {
    Lanes<P> r;
#pragma GCC unroll 8
    for (std::size_t i = 0; i < Lanes<P>::N; ++i)
        r.l[i] = _mm512_mask_sub_epi64(a.l[i], mask, _mm512_setzero_si512(), a.l[i]);
    return r;
}
template <class P>
CUZK_LANES_INLINE Lanes2<P> negate_loose(Mask mask, const Lanes2<P>& a) {
    return {negate_loose(mask, a.c0), negate_loose(mask, a.c1)};
}

// Lanes all of whose limbs are zero.
template <class P>
CUZK_LANES_INLINE Mask is_null(const Lanes<P>& a) {
    Vec any = a.l[0];
#pragma GCC unroll 8
    for (std::size_t i = 1; i < Lanes<P>::N; ++i) any = _mm512_or_si512(any, a.l[i]);
    return _mm512_testn_epi64_mask(any, any);
}
template <class P>
CUZK_LANES_INLINE Mask is_null(const Lanes2<P>& a) {
    return is_null(a.c0) & is_null(a.c1);
}

// Products on Fp2 whose first component is only known above -p before normalisation: loose, within (-0.4 p,
// 1.4 p).
template <class P>
CUZK_LANES_INLINE Lanes2<P> mul_loose(const Lanes2<P>& a, const Lanes2<P>& b) {
    const Wide<P> v0 = mul_wide(a.c0, b.c0);
    const Wide<P> v1 = mul_wide(a.c1, b.c1);
    const Wide<P> v2 = mul_wide(add_lazy(a.c0, a.c1), add_lazy(b.c0, b.c1));
    return {redc_loose(sub_wide(v0, v1)), redc_loose(sub_wide(sub_wide(v2, v0), v1))};
}
// a below 2.4 p
template <class P>
CUZK_LANES_INLINE Lanes2<P> sqr_loose(const Lanes2<P>& a) {
    return {mul_loose(add_lazy(a.c0, a.c1), sub_lazy<3>(a.c0, a.c1)), mul_loose(add_lazy(a.c0, a.c0), a.c1)};
}

template <class F>
struct LanesOf;
template <class P>
struct LanesOf<Fp<P>> {
    using Params = P;
    using Coordinate = Lanes<P>;
    static constexpr bool kNormIsElement = true;

    CUZK_LANES_INLINE static const Lanes<P>& norm(const Lanes<P>& a) { return a; }
    CUZK_LANES_INLINE static const Lanes<P>& from_norm(const Lanes<P>& inverse, const Lanes<P>&) {
        return inverse;
    }
    CUZK_LANES_INLINE static Lanes<P> slope(const Lanes<P>& rise, const Lanes<P>& inverse_run) {
        return mul(rise, inverse_run);
    }
};
template <class P>
struct LanesOf<Fp2<Fp<P>>> {
    using Params = P;
    using Coordinate = Lanes2<P>;
    static constexpr bool kNormIsElement = false;

    CUZK_LANES_INLINE static Lanes<P> norm(const Lanes2<P>& a) {
        return normalize(redc_loose(add_wide(sqr_wide(a.c0), sqr_wide(a.c1))));
    }
    CUZK_LANES_INLINE static Lanes2<P> from_norm(const Lanes<P>& inverse, const Lanes2<P>& a) {
        return {mul(a.c0, inverse), sub_lazy<2>(Lanes<P>::zero(), mul(a.c1, inverse))};
    }
    // Below 2.4 p, as the first component is raised by p whatever its sign.
    CUZK_LANES_INLINE static Lanes2<P> slope(const Lanes2<P>& rise, const Lanes2<P>& inverse_run) {
        const Lanes2<P> r = mul_loose(rise, inverse_run);
        return {normalize(add_multiple<1>(r.c0)), normalize(r.c1)};
    }
};

template <class G>
struct VectorLanes {
    using Group = G;
    using Traits = LanesOf<typename G::Field>;
    using P = typename Traits::Params;
    using Coordinate = typename Traits::Coordinate;
    using F = Coordinate;
    using Norm = Lanes<P>;
    static constexpr bool kNormIsElement = Traits::kNormIsElement;
    static constexpr std::size_t kWidth = 8;
    static constexpr std::size_t kChains = 2;
    static constexpr std::size_t kPrefetchVectors = 4;
    // The arrays of a block stay within about half a megabyte, half of a common second-level cache.
    static constexpr std::size_t kVectors = (std::size_t{512} << 10) / (5 * sizeof(F));
    static constexpr unsigned kShift = Limbs52<P>::kExtra / 2;
    static constexpr std::size_t kCoordinateBytes = sizeof(typename G::Field);

    CUZK_LANES_INLINE static F zero() { return F::zero(); }
    CUZK_LANES_INLINE static F one() { return F::one(); }
    CUZK_LANES_INLINE static F select(u8 mask, const F& set, const F& clear) {
        return ifma::select(mask, clear, set);
    }

    CUZK_LANES_INLINE static F difference_x(const F& x2, const F& x1) { return sub_lazy<4>(x2, x1); }
    CUZK_LANES_INLINE static F difference_y(const F& y2, const F& y1) { return sub_lazy<4>(y2, y1); }
    CUZK_LANES_INLINE static u8 is_zero(const F& difference) { return ifma::is_zero<7>(difference); }
    CUZK_LANES_INLINE static u8 is_infinity(const F& x, const F& y) { return is_null(x) & is_null(y); }

    CUZK_LANES_INLINE static F slope(const F& rise, const F& inverse_run) {
        return Traits::slope(rise, inverse_run);
    }
    // slope^2 - x1 - x2 = slope^2 - 2 x1 - dx + 4 p, in (-4.4, 1.2)
    CUZK_LANES_INLINE static F next_x(const F& slope, const F& x1, const F& dx) {
        const F sum = add_loose(add_loose(x1, x1), dx);
        return raise_near<3>(add_multiple<6>(sub_loose(sqr_loose(slope), sum)));
    }
    CUZK_LANES_INLINE static F next_y(const F& slope, const F& x1, const F& x3, const F& y1) {
        return raise_near<2>(add_multiple<1>(sub_loose(mul_loose(slope, sub_lazy<4>(x1, x3)), y1)));
    }
    CUZK_LANES_INLINE static F settle_x(const F& x) {
        return raise_near<1>(sub_multiple<1>(ifma::reduce_once<2>(x)));
    }
    CUZK_LANES_INLINE static F settle_y(const F& y) { return raise_near<2>(y); }

    CUZK_LANES_INLINE static F sqr(const F& a) {
        return add_multiple_and_normalize(sqr_loose(ifma::reduce_once<2>(a)));
    }
    CUZK_LANES_INLINE static F dbl(const F& a) { return add_lazy(a, a); }
    CUZK_LANES_INLINE static F triple(const F& a) { return normalize(add_loose(add_loose(a, a), a)); }

    CUZK_LANES_INLINE static Norm one_norm() { return Norm::one(); }
    CUZK_LANES_INLINE static decltype(auto) norm(const F& a) { return Traits::norm(a); }
    CUZK_LANES_INLINE static Norm mul(const Norm& a, const Norm& b) { return ifma::mul(a, b); }
    CUZK_LANES_INLINE static Norm inverse(const Norm& a) { return ifma::inverse(a); }
    CUZK_LANES_INLINE static decltype(auto) from_norm(const Norm& inverse, const F& a) {
        return Traits::from_norm(inverse, a);
    }

    CUZK_LANES_INLINE static void load(const u8* const* pointer, u8 negative, F& x, F& y) {
        const u64* rows_x[8];
        const u64* rows_y[8];
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i) {
            rows_x[i] = reinterpret_cast<const u64*>(pointer[i]);
            rows_y[i] = reinterpret_cast<const u64*>(pointer[i] + kCoordinateBytes);
        }
        x = F::load_each(rows_x);
        y = negate_loose(negative, scale_down<kShift>(F::load_each(rows_y)));
    }
    CUZK_LANES_INLINE static void store(Affine<G>* const* out, u8 mask, u8 infinite, const F& x, const F& y) {
        u64* rows_x[8];
        u64* rows_y[8];
#pragma GCC unroll 8
        for (int i = 0; i < 8; ++i) {
            rows_x[i] = reinterpret_cast<u64*>(&out[i]->x);
            rows_y[i] = reinterpret_cast<u64*>(&out[i]->y);
        }
        store_each(rows_x, select(infinite, F::zero(), ifma::reduce_once<2>(x)), mask);
        const Norm scale = Norm::template constant<Limbs52<P>::power_of_two(Norm::kR + kShift)>();
        store_each(rows_y, select(infinite, F::zero(), ifma::mul(y, scale)), mask);
    }
    CUZK_LANES_INLINE static void prefetch(const u8* p) {
#pragma GCC unroll 4
        for (std::size_t i = 0; i < sizeof(Affine<G>); i += 64) _mm_prefetch(p + i, _MM_HINT_T0);
        _mm_prefetch(p + sizeof(Affine<G>) - 1, _MM_HINT_T0);
    }

private:
    // A square for use as an operand: on Fp2 its first component may be slightly negative.
    CUZK_LANES_INLINE static F add_multiple_and_normalize(const F& a) {
        return normalize(add_multiple<1>(a));
    }
};

template <class G>
constexpr BucketKernel<G> vector_bucket_kernel() {
    using L = VectorLanes<G>;
    return {sizeof(batch_affine::Workspace<L>), L::kVectors * L::kWidth,
            sizeof(typename G::Field) > 64 ? 150.0 : 50.0, &batch_affine::sum_segments<L>,
            &batch_affine::sum_chains<L>};
}

}  // namespace
}  // namespace cuzk::ifma
