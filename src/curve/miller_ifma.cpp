// The templates of the tower and of the Miller loop, over coefficients that are 8 field elements in vectors.
#include "curve/gt.hpp"
#include "curve/miller.hpp"
#include "curve/miller_lanes.hpp"
#include "field/ifma_lanes2.hpp"

namespace cuzk {

namespace ifma {
namespace {

// Tag of the base field; its extension below holds the lanes.
template <class P>
struct LaneField {
    using Params = P;
    Lanes<P> lanes;
};

// Calls rather than inline code: the loops of a pairing would not fit the instruction cache.
template <class P>
[[gnu::noinline]] void add_to(Lanes2<P>& r, const Lanes2<P>& a, const Lanes2<P>& b) {
    r = add(a, b);
}
template <class P>
[[gnu::noinline]] void sub_to(Lanes2<P>& r, const Lanes2<P>& a, const Lanes2<P>& b) {
    r = sub(a, b);
}
template <class P>
[[gnu::noinline]] void mul_to(Lanes2<P>& r, const Lanes2<P>& a, const Lanes2<P>& b) {
    r = mul(a, b);
}
template <class P>
[[gnu::noinline]] void sqr_to(Lanes2<P>& r, const Lanes2<P>& a) {
    r = sqr(a);
}
template <class P>
[[gnu::noinline]] void scale_to(Lanes2<P>& r, const Lanes2<P>& a, const Lanes<P>& k) {
    r = mul(a, k);
}

}  // namespace
}  // namespace ifma

// Coefficients below 2p, in the form x R' of the lanes.
template <class P>
struct Fp2<ifma::LaneField<P>> {
    using Base = ifma::LaneField<P>;
    using Lanes2 = ifma::Lanes2<P>;

    Lanes2 v;

    static Fp2 zero() { return {Lanes2::zero()}; }
    static Fp2 one() { return {Lanes2::one()}; }

    friend Fp2 operator+(const Fp2& a, const Fp2& b) {
        Fp2 r;
        ifma::add_to(r.v, a.v, b.v);
        return r;
    }
    friend Fp2 operator-(const Fp2& a, const Fp2& b) {
        Fp2 r;
        ifma::sub_to(r.v, a.v, b.v);
        return r;
    }
    friend Fp2 operator*(const Fp2& a, const Fp2& b) {
        Fp2 r;
        ifma::mul_to(r.v, a.v, b.v);
        return r;
    }
    friend Fp2 operator*(const Fp2& a, const Base& k) {
        Fp2 r;
        ifma::scale_to(r.v, a.v, k.lanes);
        return r;
    }
    Fp2 operator-() const { return zero() - *this; }
    Fp2 dbl() const { return *this + *this; }
    Fp2 square() const {
        Fp2 r;
        ifma::sqr_to(r.v, v);
        return r;
    }
    Fp2 conjugate() const { return {{v.c0, ifma::neg(v.c1)}}; }
};

namespace ifma {
namespace {

// x R' of a coefficient in memory form, by doubling.
template <class P>
consteval BigInt<P::kLimbs> to_lanes_form(BigInt<P::kLimbs> x) {
    for (std::size_t i = 0; i < Limbs52<P>::kExtra; ++i) x = portable::add(x, x, P::kModulus);
    return x;
}

template <class C>
struct LaneTower;
template <>
struct LaneTower<Bls12_381> {
    using Fp = LaneField<Bls12_381FpParams>;
    static Fp2<Fp> mul_by_xi(const Fp2<Fp>& a) { return {{sub(a.v.c0, a.v.c1), add(a.v.c0, a.v.c1)}}; }
};
template <>
struct LaneTower<Bn254> {
    using Fp = LaneField<Bn254FpParams>;
    static Fp2<Fp> mul_by_xi(const Fp2<Fp>& a) {
        const Fp2<Fp> nine = a.dbl().dbl().dbl() + a;
        return {{sub(nine.v.c0, a.v.c1), add(nine.v.c1, a.v.c0)}};
    }
};

// What the Miller loop's templates ask of a curve.
template <class Curve>
struct LaneCurve {
    using Params = typename Curve::Fp::Params;
    using Tower = LaneTower<Curve>;
    using F2 = Fp2<typename Tower::Fp>;
    static constexpr Twist kTwist = Curve::kTwist;
    // A copy of this file's own: the original would be shared with ordinary code.
    static constexpr auto kDigits = miller::Loop<Curve>::kDigits;

    struct G2 {
        static F2 b() {
            constexpr auto kB = Curve::G2::b();
            return {{Lanes<Params>::template constant<to_lanes_form<Params>(kB.c0.montgomery())>(),
                     Lanes<Params>::template constant<to_lanes_form<Params>(kB.c1.montgomery())>()}};
        }
    };
};

// 8 pairs side by side.
template <class Curve>
struct Slot {
    using P = typename Curve::Fp::Params;
    using F2 = typename LaneCurve<Curve>::F2;
    using Line = miller::ScaledLine<F2>;
    static constexpr std::size_t kWords = Lanes<P>::kWords;

    LaneField<P> px, py;
    F2 qx, qy;
    miller::TwistPoint<F2> t;
    Mask live;

    // Lanes beyond `count` repeat the first pair, and stay out of the product.
    void load(const u64* const* pairs, std::size_t count) {
        const u64* rows[8];
        for (std::size_t i = 0; i < 8; ++i) rows[i] = pairs[i < count ? i : 0];
        live = static_cast<Mask>(0xff >> (8 - count));
        Lanes<P> words[6];
        for (auto& w : words) {
            w = mul(Lanes<P>::load_each(rows), Lanes<P>::template constant<Lanes<P>::kToLanes>());
            for (const u64*& row : rows) row += kWords;
        }
        px = {words[0]};
        py = {words[1]};
        qx = {{words[2], words[3]}};
        qy = {{words[4], words[5]}};
        t = {qx, qy, F2::one()};
    }

    Line double_line() { return miller::double_step<LaneCurve<Curve>>(t); }
    Line add_line(const F2& y) { return miller::add_step<LaneCurve<Curve>>(t, qx, y); }
    void apply_psi(const F2& cx, const F2& cy) {
        qx = qx.conjugate() * cx;
        qy = qy.conjugate() * cy;
    }

    [[gnu::noinline]] void multiply_line_into(Fp12<LaneTower<Curve>>& f, const Line& line) const {
        F2 vertical = line.vertical * py;
        F2 slope = line.slope * px;
        F2 offset = line.offset;
        constexpr bool kM = Curve::kTwist == Twist::kM;
        if (live != 0xff) [[unlikely]] {
            const F2 one = F2::one();
            const F2 zero = F2::zero();
            vertical.v = select(live, (kM ? zero : one).v, vertical.v);
            slope.v = select(live, zero.v, slope.v);
            offset.v = select(live, (kM ? one : zero).v, offset.v);
        }
        if constexpr (kM) {
            f = mul_by_014(f, offset, slope, vertical);
        } else {
            f = mul_by_034(f, vertical, slope, offset);
        }
    }
};

template <class P>
Lanes2<P> load_constant(const u64* words) {
    const auto scale = Lanes<P>::template constant<Lanes<P>::kToLanes>();
    return {mul(Lanes<P>::load_one(words), scale), mul(Lanes<P>::load_one(words + Lanes<P>::kWords), scale)};
}

template <class P>
void store_raw(u64* first, const Lanes2<P>& a, std::size_t stride) {
    const auto scale = Lanes<P>::template constant<Lanes<P>::kToRaw>();
    store(first, mul(a.c0, scale), stride);
    store(first + Lanes<P>::kWords, mul(a.c1, scale), stride);
}

template <class F12>
[[gnu::noinline]] void square(F12& f) {
    f = f.square();
}

}  // namespace
}  // namespace ifma

template <class C>
void miller_lanes(const u64* const* pairs, std::size_t count, const u64* psi, u64* out) {
    using P = typename C::Fp::Params;
    using F2 = typename ifma::LaneCurve<C>::F2;
    constexpr std::size_t kWords = P::kLimbs;

    ifma::Slot<C> all_slots[kMillerLanesPairs / 8];
    std::size_t slots = 0;
    for (std::size_t first = 0; first < count; first += 8, ++slots) {
        all_slots[slots].load(pairs + first, count - first < 8 ? count - first : 8);
    }

    Fp12<ifma::LaneTower<C>> f{{F2::one(), F2::zero(), F2::zero()}, {F2::zero(), F2::zero(), F2::zero()}};
    const auto apply = [&](const auto& next_line) {
        for (std::size_t i = 0; i < slots; ++i) all_slots[i].multiply_line_into(f, next_line(all_slots[i]));
    };
    bool first = true;
    for (const signed char digit : ifma::LaneCurve<C>::kDigits) {
        if (!first) ifma::square(f);
        first = false;
        apply([](auto& slot) { return slot.double_line(); });
        if (digit > 0) apply([](auto& slot) { return slot.add_line(slot.qy); });
        if (digit < 0) apply([](auto& slot) { return slot.add_line(-slot.qy); });
    }
    if constexpr (miller::Loop<C>::kFrobeniusLines) {
        const F2 cx{ifma::load_constant<P>(psi)};
        const F2 cy{ifma::load_constant<P>(psi + 2 * kWords)};
        apply([&](auto& slot) {
            slot.apply_psi(cx, cy);
            return slot.add_line(slot.qy);
        });
        apply([&](auto& slot) {
            slot.apply_psi(cx, cy);
            return slot.add_line(-slot.qy);
        });
    }

    constexpr std::size_t kStride = 12 * kWords;
    for (const F2* c : {&f.c0.c0, &f.c0.c1, &f.c0.c2, &f.c1.c0, &f.c1.c1, &f.c1.c2}) {
        ifma::store_raw<P>(out, c->v, kStride);
        out += 2 * kWords;
    }
}

template void miller_lanes<Bls12_381>(const u64* const*, std::size_t, const u64*, u64*);
template void miller_lanes<Bn254>(const u64* const*, std::size_t, const u64*, u64*);

}  // namespace cuzk
