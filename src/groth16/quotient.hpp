// The quotient polynomial h = (A B - C) / Z of a Groth16 proof, in the basis that a key family's H query
// wants.
#pragma once

#include <memory>
#include <span>

#include "groth16/types.hpp"
#include "poly/domain.hpp"

namespace cuzk {

// Transform tables of one domain size; immutable, shared by the proofs of a key.
template <class Fr>
class Quotient {
public:
    Quotient(KeyFamily family, unsigned log_domain);

    KeyFamily family() const { return family_; }
    std::size_t domain() const { return domain_.size(); }
    // Scalars that the H query multiplies: domain() for kSnarkjs, domain() - 1 for kBellman.
    std::size_t size() const { return family_ == KeyFamily::kSnarkjs ? domain() : domain() - 1; }

    // a, b, c hold the rows' values, zero-padded to domain() (Montgomery). On return the first size()
    // elements of a are the H scalars; b and c are scratch.
    void compute(std::span<Fr> a, std::span<Fr> b, std::span<Fr> c) const;

private:
    KeyFamily family_;
    Domain<Fr> domain_;
    Fr shift_;      // the coset on which the product is taken
    Fr z_inverse_;  // 1 / Z there, a constant
};

extern template class Quotient<Bls12_381Fr>;
extern template class Quotient<Bn254Fr>;

}  // namespace cuzk
