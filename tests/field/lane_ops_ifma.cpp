#include "field/lane_ops.hpp"

#include "field/ifma_lanes2.hpp"
#include "field/params.hpp"

namespace cuzk::lane_test {

using namespace cuzk::ifma;

namespace {

constexpr Mask kOdd = 0xaa;

template <class P>
Lanes<P> doubled(Lanes<P> a, unsigned times = kLargeShift<P>) {
    for (unsigned i = 0; i < times; ++i) a = add_lazy(a, a);
    return a;
}

template <class P>
Lanes<P> to_lanes(const Lanes<P>& raw) {
    return mul(raw, Lanes<P>::template constant<Lanes<P>::kToLanes>());
}
template <class P>
Lanes<P> to_raw(const Lanes<P>& a) {
    return mul(a, Lanes<P>::template constant<Lanes<P>::kToRaw>());
}

template <class P>
Lanes<P> compute(Op op, const Lanes<P>& a, const Lanes<P>& b, const u64* words) {
    using L = Lanes<P>;
    switch (op) {
        case Op::kAdd: return add(a, b);
        case Op::kSub: return sub(a, b);
        case Op::kNeg: return neg(a);
        case Op::kMul: return mul(a, b);
        case Op::kSqr: return sqr(a);
        case Op::kMulSquare: return mul(a, a);
        case Op::kMulLarge: return mul(doubled(a), doubled(b, kLargeShift2<P>));
        case Op::kSqrLarge: return sqr(doubled(a));
        case Op::kMulOne: return to_raw(mul(to_lanes(a), L::one()));
        case Op::kInverse: return to_raw(inverse(to_lanes(a)));
        case Op::kScaleDown1: return scale_down<1>(a);
        case Op::kScaleDown2: return scale_down<2>(a);
        case Op::kScaleDownHalf: return scale_down<L::Format::kExtra / 2>(a);
        case Op::kScaleDownAll: return scale_down<L::Format::kExtra>(a);
        case Op::kScaleDownLarge: return scale_down<L::Format::kExtra>(doubled(a));
        case Op::kNegateOdd: return reduce_once<2>(negate_where(kOdd, a));
        case Op::kSelectOdd: return select(kOdd, a, b);
        case Op::kLooseChain: {
            // in (-4p, 6p)
            const L t = add_loose(add_loose(sub_loose(sub_loose(a, b), b), a), a);
            return reduce_once<2>(reduce_once<4>(raise_once<4>(t)));
        }
        case Op::kSumOfProducts: {
            const Wide<P> positive = add_wide(mul_wide(a, b), sqr_wide(b));
            // above -4 p^2 / R' > -p, below 9 p^2 / R' + p
            return raise_once<1>(redc_loose(sub_wide(positive, mul_wide(a, a))));
        }
        case Op::kMinusLane0: return sub(a, L::load_one(words));
    }
    return a;
}

}  // namespace

template <class P>
void apply(Op op, const u64* a, const u64* b, u64* out) {
    store_dense(out, compute(op, Lanes<P>::load_dense(a), Lanes<P>::load(b), a));
}

template <class P>
u8 zero_mask(const u64* a) {
    return is_zero(Lanes<P>::load_dense(a));
}
template <class P>
u8 equal_mask(const u64* a, const u64* b) {
    return equal(Lanes<P>::load_dense(a), Lanes<P>::load_dense(b));
}

template <class P>
void copy(Copy how, const u64* in, u64* out) {
    using L = Lanes<P>;
    constexpr std::size_t kStride = 13;
    const u64* from[8];
    u64* to[8];
    for (int i = 0; i < 8; ++i) {
        from[i] = in + kStride * (7 - i);
        to[i] = out + kStride * (7 - i);
    }
    switch (how) {
        case Copy::kDense: return store_dense(out, L::load_dense(in));
        case Copy::kStride: return store(out, L::load(in, kStride), kStride);
        case Copy::kEach: return store_each(to, L::load_each(from));
        case Copy::kEachEven: return store_each(to, L::load_each(from), 0x55);
        case Copy::kDenseUnreduced: return store_dense_unreduced(out, L::load_dense(in));
        case Copy::kStrideUnreduced: return store_unreduced(out, L::load(in, kStride), kStride);
        case Copy::kEachUnreduced: return store_each_unreduced(to, L::load_each(from));
    }
}

template <class P>
void apply2(Op2 op, const u64* first, const u64* second, u64* out) {
    using L = Lanes2<P>;
    const L a = L::load(first), b = L::load(second);
    const auto c = Lanes<P>::template constant<Lanes<P>::kToLanes>();
    const auto run = [&]() -> L {
        switch (op) {
            case Op2::kAdd: return add(a, b);
            case Op2::kSub: return sub(a, b);
            case Op2::kNeg: return neg(a);
            case Op2::kMul: return mul(a, b);
            case Op2::kSqr: return sqr(a);
            case Op2::kScale: return mul(a, b.c0);
            case Op2::kInverse: {
                const L i = inverse(mul(a, c));
                return {to_raw(i.c0), to_raw(i.c1)};
            }
            case Op2::kScaleDownHalf: return scale_down<Lanes<P>::Format::kExtra / 2>(a);
            case Op2::kNegateOdd: return reduce_once<2>(negate_where(kOdd, a));
            case Op2::kSelectOdd: return select(kOdd, a, b);
            case Op2::kLoose:
                // a + a - b through every lazy form, in [0, 6p)
                return reduce_once<2>(
                    reduce_once<4>(normalize(add_multiple<2>(sub_loose(add_lazy(a, a), b)))));
        }
        return a;
    };
    u64* rows[8];
    for (int i = 0; i < 8; ++i) rows[i] = out + L::kWords * static_cast<std::size_t>(i);
    if (op == Op2::kAdd)
        store_each(rows, run());
    else
        store(out, run());
}

template <class P>
u8 zero_mask2(const u64* a) {
    return is_zero(Lanes2<P>::load(a));
}
template <class P>
u8 equal_mask2(const u64* a, const u64* b) {
    return equal(Lanes2<P>::load(a), Lanes2<P>::load(b));
}

#define CUZK_INSTANTIATE(P)                                   \
    template void apply<P>(Op, const u64*, const u64*, u64*); \
    template u8 zero_mask<P>(const u64*);                     \
    template u8 equal_mask<P>(const u64*, const u64*);        \
    template void copy<P>(Copy, const u64*, u64*);
#define CUZK_INSTANTIATE2(P)                                    \
    template void apply2<P>(Op2, const u64*, const u64*, u64*); \
    template u8 zero_mask2<P>(const u64*);                      \
    template u8 equal_mask2<P>(const u64*, const u64*);

CUZK_INSTANTIATE(Bls12_381FrParams)
CUZK_INSTANTIATE(Bls12_381FpParams)
CUZK_INSTANTIATE(Bn254FrParams)
CUZK_INSTANTIATE(Bn254FpParams)
CUZK_INSTANTIATE2(Bls12_381FpParams)
CUZK_INSTANTIATE2(Bn254FpParams)

}  // namespace cuzk::lane_test
