#include <array>

#include "curve/subgroup.hpp"
#include "groth16/key_checks.hpp"

namespace cuzk {

namespace {

template <class G>
std::optional<KeyDamage> first_bad(const char* query, AffineView<G> points) {
    const auto index = find_invalid<G>(points);
    if (!index) return std::nullopt;
    return KeyDamage{
        query, *index,
        points[*index].is_on_curve() ? "is not in the subgroup of prime order" : "is not on the curve"};
}

}  // namespace

template <class C>
std::optional<KeyDamage> find_damage(const ProvingKey<C>& key) {
    using G1 = typename C::G1;
    using G2 = typename C::G2;
    const VerifyingKey<C>& vk = key.vk;
    const std::array<Affine<G1>, 3> fixed_g1{vk.alpha_g1, vk.beta_g1, vk.delta_g1};
    const std::array<Affine<G2>, 3> fixed_g2{vk.beta_g2, vk.gamma_g2, vk.delta_g2};
    if (auto bad = first_bad<G1>("the fixed points in G1 (alpha, beta, delta)",
                                 std::span<const Affine<G1>>(fixed_g1)))
        return bad;
    if (auto bad = first_bad<G2>("the fixed points in G2 (beta, gamma, delta)",
                                 std::span<const Affine<G2>>(fixed_g2)))
        return bad;
    if (auto bad = first_bad<G1>("IC", std::span<const Affine<G1>>(vk.ic))) return bad;
    if (auto bad = first_bad<G1>("the A query", key.a)) return bad;
    if (auto bad = first_bad<G1>("the B query in G1", key.b_g1)) return bad;
    if (auto bad = first_bad<G2>("the B query in G2", key.b_g2)) return bad;
    if (auto bad = first_bad<G1>("the L query", key.l)) return bad;
    return first_bad<G1>("the H query", key.h);
}

template std::optional<KeyDamage> find_damage(const ProvingKey<Bls12_381>&);
template std::optional<KeyDamage> find_damage(const ProvingKey<Bn254>&);

}  // namespace cuzk
