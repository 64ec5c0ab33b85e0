// Known answers of tests/data/vectors, and points for the tests.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/random.hpp"
#include "curve/jacobian.hpp"

namespace cuzk::test {

template <class C>
const nlohmann::json& vectors() {
    static const nlohmann::json kVectors = [] {
        const std::string name = std::is_same_v<C, Bls12_381> ? "bls12_381" : "bn254";
        std::ifstream file(std::string(CUZK_TEST_DATA_DIR) + "/vectors/" + name + ".json");
        return nlohmann::json::parse(file);
    }();
    return kVectors;
}

template <std::size_t N>
void parse(const nlohmann::json& j, BigInt<N>& out) {
    out = BigInt<N>::from_hex(j.get<std::string>());
}

template <class P>
void parse(const nlohmann::json& j, Fp<P>& out) {
    out = Fp<P>::from_int(Fp<P>::Int::from_hex(j.get<std::string>()));
}

// Coefficients in a flat list; `at` advances.
template <class F>
void parse(const nlohmann::json& list, std::size_t& at, F& out) {
    if constexpr (requires { F::kLimbs; }) {
        parse(list.at(at++), out);
    } else {
        parse(list, at, out.c0);
        parse(list, at, out.c1);
        if constexpr (requires { out.c2; }) parse(list, at, out.c2);
    }
}

template <class G>
Affine<G> parse_point(const nlohmann::json& j) {
    if (j.is_null()) return Affine<G>::infinity();
    Affine<G> p;
    std::size_t at = 0;
    parse(j, at, p.x);
    parse(j, at, p.y);
    EXPECT_EQ(at, j.size());
    return p;
}

inline std::vector<u8> parse_bytes(const nlohmann::json& j) {
    const auto hex = j.get<std::string>();
    std::vector<u8> bytes(hex.size() / 2);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<u8>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
    }
    return bytes;
}

// A random point of the subgroup of order r.
template <class G>
Affine<G> random_point(RandomSource& random) {
    return (Jacobian<G>::generator() * G::Scalar::random(random)).to_affine();
}

// A random point of the whole curve; outside the subgroup except with negligible probability where the cofactor is large.
template <class G>
Affine<G> random_curve_point(RandomSource& random) {
    for (;;) {
        const auto x = G::Field::random(random);
        if (const auto y = (x.square() * x + G::b()).sqrt()) return {x, *y};
    }
}

}  // namespace cuzk::test
