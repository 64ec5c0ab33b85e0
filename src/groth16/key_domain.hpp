// The evaluation domain that a key family means, and the coset on which its quotients are taken.
#pragma once

#include "groth16/types.hpp"
#include "poly/domain.hpp"

namespace cuzk {

template <class Fr>
Domain<Fr> key_domain(KeyFamily family, unsigned log_domain) {
    return family == KeyFamily::kSnarkjs ? Domain<Fr>::snarkjs(log_domain) : Domain<Fr>::zcash(log_domain);
}

// kSnarkjs takes the odd half of the domain of twice the size; kBellman the coset of the group's generator.
template <class Fr>
Fr key_coset_shift(KeyFamily family, unsigned log_domain) {
    return family == KeyFamily::kSnarkjs ? Domain<Fr>::snarkjs_coset_shift(log_domain)
                                         : Fr::from_u64(Fr::Params::kGenerator);
}

}  // namespace cuzk
