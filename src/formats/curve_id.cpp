#include "formats/curve_id.hpp"

#include <string>

namespace cuzk {

namespace {

template <class P>
bool is_modulus(std::span<const u8> bytes) {
    if (bytes.size() != 8 * P::kLimbs) return false;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        if (bytes[i] != static_cast<u8>(P::kModulus.limb[i / 8] >> (8 * (i % 8)))) return false;
    return true;
}

}  // namespace

std::optional<CurveId> curve_from_name(std::string_view name) {
    std::string plain;
    for (const char c : name) {
        if (c == '-' || c == '_') continue;
        plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    if (plain == "bn128" || plain == "bn254" || plain == "altbn128") return CurveId::kBn254;
    if (plain == "bls12381") return CurveId::kBls12_381;
    return std::nullopt;
}

std::optional<CurveId> curve_from_scalar_modulus(std::span<const u8> modulus) {
    if (is_modulus<Bn254FrParams>(modulus)) return CurveId::kBn254;
    if (is_modulus<Bls12_381FrParams>(modulus)) return CurveId::kBls12_381;
    return std::nullopt;
}

std::optional<CurveId> curve_from_base_modulus(std::span<const u8> modulus) {
    if (is_modulus<Bn254FpParams>(modulus)) return CurveId::kBn254;
    if (is_modulus<Bls12_381FpParams>(modulus)) return CurveId::kBls12_381;
    return std::nullopt;
}

}  // namespace cuzk
