#include "groth16/quotient.hpp"

#include "groth16/key_domain.hpp"
#include "poly/pointwise.hpp"

namespace cuzk {

template <class Fr>
Quotient<Fr>::Quotient(KeyFamily family, unsigned log_domain)
    : family_(family),
      domain_(key_domain<Fr>(family, log_domain)),
      shift_(key_coset_shift<Fr>(family, log_domain)),
      z_inverse_((shift_.pow(u64{1} << log_domain) - Fr::one()).inverse()) {}

template <class Fr>
void Quotient<Fr>::compute(std::span<Fr> a, std::span<Fr> b, std::span<Fr> c) const {
    domain_.to_coset(a, shift_);
    domain_.to_coset(b, shift_);
    if (family_ == KeyFamily::kSnarkjs) {
        // The H query divides by Z itself: its points are Lagrange values of the coset within the double
        // domain.
        domain_.to_coset(c, shift_);
        multiply_subtract_into<Fr>(a, b, c);
        return;
    }
    // Z is constant on the coset and interpolation is linear, so C is subtracted as coefficients: one
    // transform less.
    multiply_into<Fr>(a, b);
    domain_.coset_inverse(a, shift_);
    domain_.inverse(c);
    subtract_scale_into<Fr>(a, c, z_inverse_);
}

template class Quotient<Bls12_381Fr>;
template class Quotient<Bn254Fr>;

}  // namespace cuzk
