// The batch-affine kernel over one element at a time, with the scalar field arithmetic.
#pragma once

#include "msm/batch_affine.hpp"

namespace cuzk {

template <class F>
struct NormOf {  // prime field: the element itself
    using Norm = F;
    static constexpr bool kIsElement = true;
    static Norm norm(const F& a) { return a; }
    static F inverse_from(const Norm& inverse, const F&) { return inverse; }
};

template <class B>
struct NormOf<Fp2<B>> {
    using Norm = B;
    static constexpr bool kIsElement = false;
    static Norm norm(const Fp2<B>& a) { return a.norm(); }
    static Fp2<B> inverse_from(const Norm& inverse, const Fp2<B>& a) { return a.conjugate() * inverse; }
};

template <class G>
struct ScalarLanes {
    using Group = G;
    using Coordinate = typename G::Field;
    using F = Coordinate;
    using Norm = typename NormOf<F>::Norm;
    static constexpr bool kNormIsElement = NormOf<F>::kIsElement;
    static constexpr std::size_t kWidth = 1;
    static constexpr std::size_t kChains = 4;
    static constexpr std::size_t kPrefetchVectors = 8;
    // The arrays of a block stay within about half a megabyte, half of a common second-level cache.
    static constexpr std::size_t kVectors = (std::size_t{480} << 10) / (5 * sizeof(F));

    static F zero() { return F::zero(); }
    static F one() { return F::one(); }
    static F settle_x(const F& x) { return x; }
    static F settle_y(const F& y) { return y; }
    static F difference_x(const F& x2, const F& x1) { return x2 - x1; }
    static F difference_y(const F& y2, const F& y1) { return y2 - y1; }
    static F slope(const F& rise, const F& inverse_run) { return rise * inverse_run; }
    static F next_x(const F& slope, const F& x1, const F& dx) { return slope.square() - x1.dbl() - dx; }
    static F next_y(const F& slope, const F& x1, const F& x3, const F& y1) { return slope * (x1 - x3) - y1; }
    static F sqr(const F& a) { return a.square(); }
    static F dbl(const F& a) { return a.dbl(); }
    static F triple(const F& a) { return a.dbl() + a; }
    static F select(u8 mask, const F& set, const F& clear) { return mask != 0 ? set : clear; }
    static u8 is_zero(const F& a) { return a.is_zero() ? 1 : 0; }
    static u8 is_infinity(const F& x, const F& y) { return x.is_zero() && y.is_zero() ? 1 : 0; }

    static Norm one_norm() { return Norm::one(); }
    static Norm norm(const F& a) { return NormOf<F>::norm(a); }
    static Norm inverse(const Norm& a) { return a.inverse(); }
    static F from_norm(const Norm& inverse, const F& a) { return NormOf<F>::inverse_from(inverse, a); }
    static Norm mul(const Norm& a, const Norm& b) { return a * b; }

    static void load(const u8* const* pointer, u8 negative, F& x, F& y) {
        std::memcpy(static_cast<void*>(&x), pointer[0], sizeof(F));
        std::memcpy(static_cast<void*>(&y), pointer[0] + sizeof(F), sizeof(F));
        if (negative != 0) y = -y;
    }
    static void store(Affine<G>* const* out, u8 mask, u8 infinite, const F& x, const F& y) {
        if (mask != 0) *out[0] = infinite != 0 ? Affine<G>::infinity() : Affine<G>{x, y};
    }
    [[gnu::always_inline]] static void prefetch(const u8* p) {
        __builtin_prefetch(p);
        __builtin_prefetch(p + sizeof(Affine<G>) - 1);
        if constexpr (sizeof(Affine<G>) > 128) __builtin_prefetch(p + 64);
    }
};

template <class G>
constexpr BucketKernel<G> scalar_bucket_kernel() {
    using L = ScalarLanes<G>;
    return {sizeof(batch_affine::Workspace<L>), L::kVectors, sizeof(typename G::Field) > 64 ? 600.0 : 180.0,
            &batch_affine::sum_segments<L>, &batch_affine::sum_chains<L>};
}

}  // namespace cuzk
