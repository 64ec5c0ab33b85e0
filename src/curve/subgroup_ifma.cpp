// Jacobian arithmetic on 8 points side by side, without case distinctions. Adding equal or opposite points, or anything to
// infinity, gives Z = 0 in these formulas, and every later step keeps it at 0: a lane whose final Z is not 0 met no such case.
#include "curve/curves.hpp"
#include "curve/subgroup_lanes.hpp"
#include "field/ifma_lanes2.hpp"

namespace cuzk {

namespace ifma {
namespace {

// Calls for the long operations, so that the loops fit the instruction cache.
template <class F>
[[gnu::noinline]] void mul_to(F& r, const F& a, const F& b) {
    r = mul(a, b);
}
template <class F>
[[gnu::noinline]] void sqr_to(F& r, const F& a) {
    r = sqr(a);
}

template <class F>
F product(const F& a, const F& b) {
    F r;
    mul_to(r, a, b);
    return r;
}
template <class F>
F square(const F& a) {
    F r;
    sqr_to(r, a);
    return r;
}
template <class F>
F twice(const F& a) {
    return add(a, a);
}

template <class F>
struct LanePoint {
    F x, y, z;
};

// dbl-2009-l
template <class F>
[[gnu::noinline]] void double_point(LanePoint<F>& p) {
    const F a = square(p.x);
    const F b = square(p.y);
    const F c = square(b);
    const F d = twice(sub(square(add(p.x, b)), add(a, c)));
    const F e = add(twice(a), a);
    const F z = twice(product(p.y, p.z));
    p.x = sub(square(e), twice(d));
    p.y = sub(product(e, sub(d, p.x)), twice(twice(twice(c))));
    p.z = z;
}

// add-2007-bl with Z3 = 2 Z1 Z2 H
template <class F>
[[gnu::noinline]] void add_point(LanePoint<F>& p, const LanePoint<F>& q) {
    const F z1z1 = square(p.z);
    const F z2z2 = square(q.z);
    const F u1 = product(p.x, z2z2);
    const F s1 = product(product(p.y, q.z), z2z2);
    const F h = sub(product(q.x, z1z1), u1);
    const F r = twice(sub(product(product(q.y, p.z), z1z1), s1));
    const F i = square(twice(h));
    const F j = product(h, i);
    const F v = product(u1, i);
    p.x = sub(sub(square(r), j), twice(v));
    p.y = sub(product(r, sub(v, p.x)), twice(product(s1, j)));
    p.z = twice(product(product(p.z, q.z), h));
}

// madd-2007-bl with Z3 = 2 Z1 H
template <class F>
[[gnu::noinline]] void add_affine(LanePoint<F>& p, const F& qx, const F& qy) {
    const F z1z1 = square(p.z);
    const F h = sub(product(qx, z1z1), p.x);
    const F r = twice(sub(product(product(qy, p.z), z1z1), p.y));
    const F i = square(twice(h));
    const F j = product(h, i);
    const F v = product(p.x, i);
    p.x = sub(sub(square(r), j), twice(v));
    const F y = product(p.y, j);
    p.y = sub(product(r, sub(v, p.x)), twice(y));
    p.z = twice(product(p.z, h));
}

// |x| p
template <class C, class F>
LanePoint<F> times_x(const LanePoint<F>& p) {
    LanePoint<F> r = p;
    for (int i = 62 - __builtin_clzll(C::kX); i >= 0; --i) {
        double_point(r);
        if (((C::kX >> i) & 1) != 0) add_point(r, p);
    }
    return r;
}
template <class C, class F>
LanePoint<F> times_x(const F& qx, const F& qy) {
    LanePoint<F> r{qx, qy, F::one()};
    for (int i = 62 - __builtin_clzll(C::kX); i >= 0; --i) {
        double_point(r);
        if (((C::kX >> i) & 1) != 0) add_affine(r, qx, qy);
    }
    return r;
}

template <class F>
LaneVerdicts verdicts(Mask same, const F& z) {
    const auto known = static_cast<Mask>(~is_zero(z));
    return {static_cast<u8>(same & known), static_cast<u8>(~same & known)};
}

// p = (x, y), without an inversion
template <class F>
LaneVerdicts compare(const LanePoint<F>& p, const F& x, const F& y) {
    const F zz = square(p.z);
    return verdicts(equal(product(x, zz), p.x) & equal(product(product(y, zz), p.z), p.y), p.z);
}

template <class P>
Lanes<P> to_lanes(const Lanes<P>& raw) {
    return mul(raw, Lanes<P>::template constant<Lanes<P>::kToLanes>());
}
template <class P>
Lanes2<P> to_lanes(const Lanes2<P>& raw) {
    return {to_lanes(raw.c0), to_lanes(raw.c1)};
}
template <class P>
Lanes2<P> load_constant(const u64* words) {
    return to_lanes(Lanes2<P>{Lanes<P>::load_one(words), Lanes<P>::load_one(words + Lanes<P>::kWords)});
}

template <class F>
struct LaneAffine {
    F x, y;

    static LaneAffine load(const u64* const (&points)[8]) {
        const u64* rows[8];
        for (std::size_t i = 0; i < 8; ++i) rows[i] = points[i] + F::kWords;
        return {to_lanes(F::load_each(points)), to_lanes(F::load_each(rows))};
    }
};

template <class P>
Lanes2<P> conjugate(const Lanes2<P>& a) {
    return {a.c0, neg(a.c1)};
}

template <class P>
struct Psi {
    Lanes2<P> cx, cy;

    explicit Psi(const u64* map) : cx(load_constant<P>(map)), cy(load_constant<P>(map + Lanes2<P>::kWords)) {}
    Lanes2<P> x(const Lanes2<P>& a) const { return product(conjugate(a), cx); }
    Lanes2<P> y(const Lanes2<P>& a) const { return product(conjugate(a), cy); }
    LanePoint<Lanes2<P>> operator()(const LanePoint<Lanes2<P>>& q) const {
        return {x(q.x), y(q.y), conjugate(q.z)};
    }
};

}  // namespace
}  // namespace ifma

// -x^2 P = phi(P)
template <>
LaneVerdicts subgroup_lanes<Bls12_381G1>(const u64* const (&points)[8], const u64* map) {
    using F = ifma::Lanes<Bls12_381FpParams>;
    const auto p = ifma::LaneAffine<F>::load(points);
    const auto r = ifma::times_x<Bls12_381>(ifma::times_x<Bls12_381>(p.x, p.y));
    return ifma::compare(r, ifma::product(p.x, ifma::to_lanes(F::load_one(map))), ifma::neg(p.y));
}

// -|x| Q = psi(Q)
template <>
LaneVerdicts subgroup_lanes<Bls12_381G2>(const u64* const (&points)[8], const u64* map) {
    using F = ifma::Lanes2<Bls12_381FpParams>;
    const auto q = ifma::LaneAffine<F>::load(points);
    const ifma::Psi<Bls12_381FpParams> psi(map);
    const auto r = ifma::times_x<Bls12_381>(q.x, q.y);
    return ifma::compare(r, psi.x(q.x), ifma::neg(psi.y(q.y)));
}

// x Q + Q + psi(x Q) + psi^2(x Q) = psi^3(2 x Q)
template <>
LaneVerdicts subgroup_lanes<Bn254G2>(const u64* const (&points)[8], const u64* map) {
    using F = ifma::Lanes2<Bn254FpParams>;
    const auto q = ifma::LaneAffine<F>::load(points);
    const ifma::Psi<Bn254FpParams> psi(map);
    auto left = ifma::times_x<Bn254>(q.x, q.y);
    const auto psi1 = psi(left);
    const auto psi2 = psi(psi1);
    auto right = psi(psi2);
    ifma::double_point(right);
    ifma::add_affine(left, q.x, q.y);
    ifma::add_point(left, psi1);
    ifma::add_point(left, psi2);
    const F left_zz = ifma::square(left.z);
    const F right_zz = ifma::square(right.z);
    const ifma::Mask same = equal(ifma::product(left.x, right_zz), ifma::product(right.x, left_zz)) &
                            equal(ifma::product(left.y, ifma::product(right_zz, right.z)),
                                  ifma::product(right.y, ifma::product(left_zz, left.z)));
    return ifma::verdicts(same, ifma::product(left.z, right.z));
}

}  // namespace cuzk
