// XYZZ points: (X, Y, ZZ, ZZZ) stands for (X / ZZ, Y / ZZZ) with ZZ^3 = ZZZ^2; infinity has ZZ = 0. The cheapest form for
// accumulating affine points (8M + 2S). Formulas "shortw/xyzz" of the Explicit-Formulas Database.
#pragma once

#include "curve/jacobian.hpp"

namespace cuzk {

template <class G>
struct Xyzz {
    using Group = G;
    using Field = typename G::Field;

    Field x, y, zz, zzz;

    CUZK_HD static constexpr Xyzz infinity() { return {}; }
    CUZK_HD static constexpr Xyzz from_affine(const Affine<G>& p) {
        return p.is_infinity() ? infinity() : Xyzz{p.x, p.y, Field::one(), Field::one()};
    }
    CUZK_HD constexpr bool is_infinity() const { return zz.is_zero(); }
    CUZK_HD constexpr Xyzz operator-() const { return {x, -y, zz, zzz}; }

    // Same point with Z = ZZZ / ZZ scaled out: no inversion, since (X ZZ, Y ZZZ, ZZ) is Jacobian.
    CUZK_HD constexpr Jacobian<G> to_jacobian() const {
        return is_infinity() ? Jacobian<G>::infinity() : Jacobian<G>{x * zz, y * zzz, zz};
    }
    CUZK_HD constexpr Affine<G> to_affine() const { return to_jacobian().to_affine(); }

    // dbl-2008-s-1 with a = 0
    CUZK_HD constexpr Xyzz dbl() const {
        const Field u = y.dbl();
        const Field v = u.square();
        const Field w = u * v;
        const Field s = x * v;
        const Field xx = x.square();
        const Field m = xx.dbl() + xx;
        const Field x3 = m.square() - s.dbl();
        return {x3, m * (s - x3) - w * y, v * zz, w * zzz};
    }

    // madd-2008-s, complete by case distinction
    CUZK_HD friend constexpr Xyzz operator+(const Xyzz& p, const Affine<G>& q) {
        if (q.is_infinity()) return p;
        if (p.is_infinity()) return from_affine(q);
        const Field pp_ = q.x * p.zz - p.x;
        const Field r = q.y * p.zzz - p.y;
        if (pp_.is_zero()) return r.is_zero() ? from_affine(q).dbl() : infinity();
        const Field pp = pp_.square();
        const Field ppp = pp_ * pp;
        const Field qv = p.x * pp;
        const Field x3 = r.square() - ppp - qv.dbl();
        return {x3, r * (qv - x3) - p.y * ppp, p.zz * pp, p.zzz * ppp};
    }

    // add-2008-s
    CUZK_HD friend constexpr Xyzz operator+(const Xyzz& p, const Xyzz& q) {
        if (p.is_infinity()) return q;
        if (q.is_infinity()) return p;
        const Field u1 = p.x * q.zz;
        const Field s1 = p.y * q.zzz;
        const Field d = q.x * p.zz - u1;
        const Field r = q.y * p.zzz - s1;
        if (d.is_zero()) return r.is_zero() ? p.dbl() : infinity();
        const Field dd = d.square();
        const Field ddd = d * dd;
        const Field qv = u1 * dd;
        const Field x3 = r.square() - ddd - qv.dbl();
        return {x3, r * (qv - x3) - s1 * ddd, p.zz * q.zz * dd, p.zzz * q.zzz * ddd};
    }
    CUZK_HD constexpr Xyzz& operator+=(const Affine<G>& q) { return *this = *this + q; }
    CUZK_HD constexpr Xyzz& operator+=(const Xyzz& q) { return *this = *this + q; }
};

}  // namespace cuzk
