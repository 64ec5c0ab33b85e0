// Which curve a file is about, known only at run time.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "curve/curves.hpp"

namespace cuzk {

enum class CurveId { kBn254, kBls12_381 };

template <class C>
constexpr CurveId curve_id() {
    static_assert(std::is_same_v<C, Bn254> || std::is_same_v<C, Bls12_381>);
    return std::is_same_v<C, Bn254> ? CurveId::kBn254 : CurveId::kBls12_381;
}

// As snarkjs writes it: "bn128", "bls12381".
constexpr const char* curve_name(CurveId id) {
    return id == CurveId::kBn254 ? Bn254::kName : Bls12_381::kName;
}

// Any spelling in use ("bn128", "bn254", "alt_bn128", "bls12-381", ...), letter case aside; nothing for other curves.
std::optional<CurveId> curve_from_name(std::string_view name);

// By a modulus as the iden3 files hold it: little-endian, its length included.
std::optional<CurveId> curve_from_scalar_modulus(std::span<const u8> modulus);
std::optional<CurveId> curve_from_base_modulus(std::span<const u8> modulus);

// Calls f(Bn254{}) or f(Bls12_381{}).
template <class F>
decltype(auto) with_curve(CurveId id, F&& f) {
    if (id == CurveId::kBn254) return f(Bn254{});
    return f(Bls12_381{});
}

}  // namespace cuzk
