#include "groth16/assemble.hpp"

namespace cuzk {

template <class C>
Proof<C> assemble(const VerifyingKey<C>& vk, const Sums<C>& sums, const Blinding<typename C::Fr>& blinding) {
    using J1 = Jacobian<typename C::G1>;
    using J2 = Jacobian<typename C::G2>;
    const auto& r = blinding.r();
    const auto& s = blinding.s();
    const J1 delta = J1::from_affine(vk.delta_g1);
    const J1 a = sums.a + vk.alpha_g1 + delta * r;
    const J1 b_g1 = sums.b_g1 + vk.beta_g1 + delta * s;
    const J2 b_g2 = sums.b_g2 + vk.beta_g2 + J2::from_affine(vk.delta_g2) * s;
    const J1 c = sums.l + sums.h + a * s + b_g1 * r - delta * (r * s);
    return {a.to_affine(), b_g2.to_affine(), c.to_affine()};
}

template Proof<Bls12_381> assemble(const VerifyingKey<Bls12_381>&, const Sums<Bls12_381>&,
                                   const Blinding<Bls12_381Fr>&);
template Proof<Bn254> assemble(const VerifyingKey<Bn254>&, const Sums<Bn254>&, const Blinding<Bn254Fr>&);

}  // namespace cuzk
