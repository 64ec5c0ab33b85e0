// Inputs for the tests of sums: points with known discrete logarithms, and scalars of all shapes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "curve/curves.hpp"
#include "msm/fixed_base.hpp"
#include "msm/msm.hpp"

namespace cuzk::testing_msm {

template <class G>
using Ints = std::vector<typename G::Scalar::Int>;

template <class G>
struct Points {
    std::vector<typename G::Scalar> logarithms;
    std::vector<Affine<G>> points;

    AffineView<G> view(std::size_t n) const {
        return AffineView<G>(std::span<const Affine<G>>(points).first(n));
    }
};

template <class G>
Points<G> points_of(std::vector<typename G::Scalar> logarithms) {
    auto points = fixed_base_mul<G>(Affine<G>::generator(), logarithms);
    return {std::move(logarithms), std::move(points)};
}

template <class G>
Points<G> random_points(std::size_t n, u64 seed) {
    SeededRandom random(seed);
    std::vector<typename G::Scalar> k(n);
    for (auto& x : k) x = G::Scalar::random(random);
    return points_of<G>(std::move(k));
}

// sum of logarithm times scalar, times the generator: what the sum must be.
template <class G>
Jacobian<G> expected(const Points<G>& points, std::span<const typename G::Scalar::Int> scalars) {
    auto sum = G::Scalar::zero();
    for (std::size_t i = 0; i < scalars.size(); ++i)
        sum += points.logarithms[i] * G::Scalar::from_int(scalars[i]);
    return Jacobian<G>::generator() * sum;
}

template <class Fr>
struct ScalarShape {
    std::string name;
    std::function<typename Fr::Int(std::size_t, SeededRandom&)> make;
};

template <class Fr>
std::vector<ScalarShape<Fr>> scalar_shapes() {
    using Int = typename Fr::Int;
    const auto uniform = [](SeededRandom& random) { return Fr::random(random).to_int(); };
    const auto minus = [](u64 x) { return (-Fr::from_u64(x)).to_int(); };
    const auto low_bits = [uniform](SeededRandom& random, std::size_t bits) {
        return Int::from_u64(uniform(random).bits(0, bits));
    };
    const auto power = [](std::size_t k) {
        Int r;
        k %= Fr::kBits - 1;
        r.limb[k / 64] = u64{1} << (k % 64);
        return r;
    };
    return {
        {"uniform", [=](std::size_t, SeededRandom& random) { return uniform(random); }},
        {"zero", [](std::size_t, SeededRandom&) { return Int{}; }},
        {"one", [](std::size_t, SeededRandom&) { return Int::from_u64(1); }},
        {"minus one", [=](std::size_t, SeededRandom&) { return minus(1); }},
        {"all equal",
         [](std::size_t, SeededRandom&) {
             return (Fr::from_u64(3).inverse() * Fr::from_u64(12345678)).to_int();
         }},
        {"two values", [=](std::size_t i, SeededRandom&) { return minus(i % 2 != 0 ? 77777777 : 5); }},
        {"mostly bits",
         [=](std::size_t i, SeededRandom& random) {
             return i % 50 == 49 ? uniform(random) : Int::from_u64(uniform(random).limb[0] & 1);
         }},
        {"below 2^8", [=](std::size_t, SeededRandom& random) { return low_bits(random, 8); }},
        {"below 2^40", [=](std::size_t, SeededRandom& random) { return low_bits(random, 40); }},
        {"above r - 2^8",
         [=](std::size_t, SeededRandom& random) { return minus(1 + low_bits(random, 8).limb[0]); }},
        {"2^k", [=](std::size_t i, SeededRandom&) { return power(i); }},
        {"2^k - 1",
         [=](std::size_t i, SeededRandom&) {
             Int r = power(i);
             r.sub(Int::from_u64(1));
             return r;
         }},
        {"around r / 2",
         [](std::size_t i, SeededRandom&) {
             Int r = Fr::Constants::kHalf;
             if (i % 3 == 0) r.sub(Int::from_u64(i));
             if (i % 3 == 1) r.add(Int::from_u64(i));
             return r;
         }},
        {"top bits",
         [](std::size_t i, SeededRandom&) {
             Int r = Fr::Constants::kModulusMinusOne;
             for (std::size_t k = 0; k + 1 < Int::kLimbs; ++k) r.limb[k] = 0;
             r.sub(Int::from_u64(i));
             return r;
         }},
        {"mixture",
         [=](std::size_t i, SeededRandom& random) {
             switch (i % 6) {
                 case 0: return Int{};
                 case 1: return Int::from_u64(1);
                 case 2: return minus(1);
                 case 3: return low_bits(random, 14);
                 case 4: return low_bits(random, 60);
                 default: return uniform(random);
             }
         }},
    };
}

template <class Fr>
std::vector<typename Fr::Int> scalars_of(const ScalarShape<Fr>& shape, std::size_t n, u64 seed = 2) {
    SeededRandom random(seed);
    std::vector<typename Fr::Int> s(n);
    for (std::size_t i = 0; i < n; ++i) s[i] = shape.make(i, random);
    return s;
}

}  // namespace cuzk::testing_msm
