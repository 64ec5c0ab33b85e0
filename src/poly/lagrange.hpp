// The Lagrange basis of a domain at one point, for setup.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "poly/domain.hpp"

namespace cuzk {

// L_i(tau) for i in [0, domain.size()), where L_i is 1 at root^i and 0 at the other points of the domain. tau
// may lie in the domain (the result is a unit vector then). Parallel; Montgomery form.
template <class Fr>
std::vector<Fr> lagrange_at(const Domain<Fr>& domain, const Fr& tau);
// The same into `out`, of domain.size() elements, else Error(kInternal).
template <class Fr>
void lagrange_at(const Domain<Fr>& domain, const Fr& tau, std::type_identity_t<std::span<Fr>> out);

// tau^n - 1, the vanishing polynomial of the domain at tau.
template <class Fr>
Fr vanishing_at(const Domain<Fr>& domain, const Fr& tau) {
    Fr power = tau;
    for (unsigned i = 0; i < domain.log_size(); ++i) power = power.square();
    return power - Fr::one();
}

extern template void lagrange_at(const Domain<Bls12_381Fr>&, const Bls12_381Fr&, std::span<Bls12_381Fr>);
extern template void lagrange_at(const Domain<Bn254Fr>&, const Bn254Fr&, std::span<Bn254Fr>);
extern template std::vector<Bls12_381Fr> lagrange_at(const Domain<Bls12_381Fr>&, const Bls12_381Fr&);
extern template std::vector<Bn254Fr> lagrange_at(const Domain<Bn254Fr>&, const Bn254Fr&);

}  // namespace cuzk
