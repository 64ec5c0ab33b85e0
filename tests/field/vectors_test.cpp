// Known answers of an unrelated implementation: tests/data/vectors.
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "field/operands.hpp"
#include "field/tower.hpp"

namespace cuzk {
namespace {

using Json = nlohmann::json;

Json load(const std::string& curve) {
    std::ifstream in(std::string(CUZK_TEST_DATA_DIR) + "/vectors/" + curve + ".json");
    return Json::parse(in);
}

template <class F>
F parse(const Json& hex) {
    const auto text = hex.get<std::string>();
    EXPECT_EQ(text.size(), 2 * F::kBytes);
    return F::from_int(F::Int::from_hex(text));
}

template <class F>
std::string to_hex(const typename F::Int& x) {
    std::string text;
    for (std::size_t i = 16 * F::kLimbs; i-- > 0;) text += "0123456789abcdef"[x.bits(4 * i, 4)];
    return text;
}

template <class F>
void check_prime_field(const Json& cases) {
    ASSERT_GE(cases.size(), 10u);
    for (const Json& c : cases) {
        const F a = parse<F>(c["a"]), b = parse<F>(c["b"]);
        EXPECT_EQ(to_hex<F>((a + b).to_int()), c["add"]);
        EXPECT_EQ(to_hex<F>((a - b).to_int()), c["sub"]);
        EXPECT_EQ(to_hex<F>((a * b).to_int()), c["mul"]);
        EXPECT_EQ(to_hex<F>(a.square().to_int()), c["square"]);
        EXPECT_EQ(to_hex<F>((-a).to_int()), c["neg"]);
        EXPECT_EQ(to_hex<F>(a.montgomery()), c["montgomery"]);
        if (c["inverse"].is_null()) {
            EXPECT_TRUE(a.is_zero());
        } else {
            EXPECT_EQ(to_hex<F>(a.inverse().to_int()), c["inverse"]);
        }
        EXPECT_EQ(a.legendre() >= 0, c["is_square"].get<bool>());
        EXPECT_EQ(a.sqrt().has_value(), c["is_square"].get<bool>());
    }
}

template <class F>
void read_element(const Json& list, std::size_t& next, Fp2<F>& out) {
    out.c0 = parse<F>(list[next++]);
    out.c1 = parse<F>(list[next++]);
}
template <class T>
void read_element(const Json& list, std::size_t& next, Fp6<T>& out) {
    for (auto* c : {&out.c0, &out.c1, &out.c2}) read_element(list, next, *c);
}
template <class T>
void read_element(const Json& list, std::size_t& next, Fp12<T>& out) {
    for (auto* c : {&out.c0, &out.c1}) read_element(list, next, *c);
}
template <class E>
E element(const Json& list) {
    E x;
    std::size_t next = 0;
    read_element(list, next, x);
    EXPECT_EQ(next, list.size());
    return x;
}

template <class E>
void check_extension(const Json& cases) {
    ASSERT_GE(cases.size(), 3u);
    for (const Json& c : cases) {
        const E a = element<E>(c["a"]), b = element<E>(c["b"]);
        EXPECT_EQ(a * b, element<E>(c["mul"]));
        EXPECT_EQ(a.square(), element<E>(c["square"]));
        EXPECT_EQ(a.inverse(), element<E>(c["inverse"]));
    }
}

template <class Fr, class F, class T>
void check_curve(const std::string& name) {
    const Json vectors = load(name);
    EXPECT_EQ(to_hex<F>(F::Constants::kModulus), vectors["p"]);
    EXPECT_EQ(to_hex<Fr>(Fr::Constants::kModulus), vectors["r"]);
    check_prime_field<F>(vectors["fp"]);
    check_prime_field<Fr>(vectors["fr"]);
    check_extension<Fp2<F>>(vectors["fp2"]);
    check_extension<Fp6<T>>(vectors["fp6"]);
    check_extension<Fp12<T>>(vectors["fp12"]);
    // The first power of Frobenius by its definition.
    for (const Json& c : vectors["fp2"]) {
        const auto a = element<Fp2<F>>(c["a"]);
        EXPECT_EQ(a.conjugate(), element<Fp2<F>>(c["frobenius"][0]));
        EXPECT_EQ(a.pow(F::Constants::kModulus), a.conjugate());
    }
    for (const Json& c : vectors["fp12"]) {
        const auto a = element<Fp12<T>>(c["a"]);
        EXPECT_EQ(a.pow(F::Constants::kModulus), element<Fp12<T>>(c["frobenius"][0]));
    }
}

TEST(FieldVectorsTest, Bls12_381) {
    check_curve<Bls12_381Fr, Bls12_381Fp, Bls12_381Tower>("bls12_381");
}
TEST(FieldVectorsTest, Bn254) {
    check_curve<Bn254Fr, Bn254Fp, Bn254Tower>("bn254");
}

}  // namespace
}  // namespace cuzk
