// Jacobian points: (X : Y : Z) stands for (X / Z^2, Y / Z^3), infinity has Z = 0. The general-purpose form.
#pragma once

#include <vector>

#include "curve/affine.hpp"
#include "field/batch_inverse.hpp"

namespace cuzk {

template <class G>
struct Jacobian {
    using Group = G;
    using Field = typename G::Field;
    using Scalar = typename G::Scalar;

    Field x, y, z;

    CUZK_HD static constexpr Jacobian infinity() { return {Field::one(), Field::one(), Field::zero()}; }
    static constexpr Jacobian generator() { return from_affine(Affine<G>::generator()); }
    CUZK_HD static constexpr Jacobian from_affine(const Affine<G>& p) {
        return p.is_infinity() ? infinity() : Jacobian{p.x, p.y, Field::one()};
    }
    CUZK_HD constexpr bool is_infinity() const { return z.is_zero(); }
    CUZK_HD constexpr Jacobian operator-() const { return {x, -y, z}; }

    CUZK_HD constexpr Affine<G> to_affine() const {
        if (is_infinity()) return Affine<G>::infinity();
        const Field zi = z.inverse();
        const Field zi2 = zi.square();
        return {x * zi2, y * zi2 * zi};
    }

    // Equality of the points, not of the representations.
    CUZK_HD friend constexpr bool operator==(const Jacobian& a, const Jacobian& b) {
        if (a.is_infinity() || b.is_infinity()) return a.is_infinity() == b.is_infinity();
        const Field za = a.z.square();
        const Field zb = b.z.square();
        return a.x * zb == b.x * za && a.y * zb * b.z == b.y * za * a.z;
    }

    // dbl-2009-l of the Explicit-Formulas Database (a = 0): 2M + 5S.
    CUZK_HD constexpr Jacobian dbl() const {
        const Field a = x.square();
        const Field b = y.square();
        const Field c = b.square();
        const Field d = ((x + b).square() - a - c).dbl();
        const Field e = a.dbl() + a;
        const Field x3 = e.square() - d.dbl();
        return {x3, e * (d - x3) - c.dbl().dbl().dbl(), (y * z).dbl()};
    }

    // add-2007-bl, complete by case distinction: 11M + 5S.
    CUZK_HD friend constexpr Jacobian operator+(const Jacobian& p, const Jacobian& q) {
        if (p.is_infinity()) return q;
        if (q.is_infinity()) return p;
        const Field z1z1 = p.z.square();
        const Field z2z2 = q.z.square();
        const Field u1 = p.x * z2z2;
        const Field u2 = q.x * z1z1;
        const Field s1 = p.y * q.z * z2z2;
        const Field s2 = q.y * p.z * z1z1;
        const Field h = u2 - u1;
        const Field r = (s2 - s1).dbl();
        if (h.is_zero()) return r.is_zero() ? p.dbl() : infinity();
        const Field i = h.dbl().square();
        const Field j = h * i;
        const Field v = u1 * i;
        const Field x3 = r.square() - j - v.dbl();
        return {x3, r * (v - x3) - (s1 * j).dbl(), ((p.z + q.z).square() - z1z1 - z2z2) * h};
    }

    // madd-2007-bl: 7M + 4S.
    CUZK_HD friend constexpr Jacobian operator+(const Jacobian& p, const Affine<G>& q) {
        if (q.is_infinity()) return p;
        if (p.is_infinity()) return from_affine(q);
        const Field z1z1 = p.z.square();
        const Field u2 = q.x * z1z1;
        const Field s2 = q.y * p.z * z1z1;
        const Field h = u2 - p.x;
        const Field r = (s2 - p.y).dbl();
        if (h.is_zero()) return r.is_zero() ? p.dbl() : infinity();
        const Field hh = h.square();
        const Field i = hh.dbl().dbl();
        const Field j = h * i;
        const Field v = p.x * i;
        const Field x3 = r.square() - j - v.dbl();
        return {x3, r * (v - x3) - (p.y * j).dbl(), (p.z + h).square() - z1z1 - hh};
    }
    CUZK_HD friend constexpr Jacobian operator-(const Jacobian& p, const Jacobian& q) { return p + (-q); }
    CUZK_HD constexpr Jacobian& operator+=(const Jacobian& q) { return *this = *this + q; }
    CUZK_HD constexpr Jacobian& operator+=(const Affine<G>& q) { return *this = *this + q; }

    // Double-and-add by a plain integer; not constant-time.
    template <std::size_t M>
    CUZK_HD constexpr Jacobian mul(const BigInt<M>& k) const {
        Jacobian r = infinity();
        for (std::size_t i = k.bit_length(); i-- > 0;) {
            r = r.dbl();
            if (k.bit(i)) r += *this;
        }
        return r;
    }
    CUZK_HD friend constexpr Jacobian operator*(const Jacobian& p, const Scalar& k) {
        return p.mul(k.to_int());
    }
};

// All points to affine form with one field inversion.
template <class G>
std::vector<Affine<G>> batch_to_affine(std::span<const Jacobian<G>> points) {
    using Field = typename G::Field;
    std::vector<Field> inverses(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) inverses[i] = points[i].z;
    batch_inverse(std::span<Field>(inverses));
    std::vector<Affine<G>> out(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Field zi2 = inverses[i].square();
        out[i] = {points[i].x * zi2, points[i].y * zi2 * inverses[i]};
    }
    return out;
}

}  // namespace cuzk
