// What must hold between the parts of a key, whatever file it came from.
#pragma once

#include <optional>
#include <string>

#include "groth16/types.hpp"

namespace cuzk {

// Throws Error(kMalformed), naming the key and the part, unless all queries, matrices and the domain have
// sizes that fit together, delta is not the identity, and the points that only provers use are there. Costs
// nothing.
template <class C>
void check_shape(const ProvingKey<C>& key);

// The same between a ready assignment and the key that is to prove it.
template <class C>
void check_assignment(const ProvingKey<C>& key, const Assignment<typename C::Fr>& assignment);

// Why anyone can forge proofs under this key, if so: gamma equals delta (a key straight from a first setup
// phase, without a contribution), or one of the fixed points is the identity.
template <class C>
std::optional<std::string> forgeable(const VerifyingKey<C>& vk);

// One point of a key that is off its curve or outside its subgroup.
struct KeyDamage {
    std::string query;  // "the A query", "the fixed points of the key", ...
    std::size_t index = 0;
    std::string reason;  // "is not on the curve", "is not in the subgroup of prime order"
};

// Looks at every point of the key, in parallel; the first bad one of the first bad query. Costs about as much
// as a proof.
template <class C>
std::optional<KeyDamage> find_damage(const ProvingKey<C>& key);

#define CUZK_KEY_CHECKS(prefix, C)                                                         \
    prefix template void check_shape(const ProvingKey<C>&);                                \
    prefix template void check_assignment(const ProvingKey<C>&, const Assignment<C::Fr>&); \
    prefix template std::optional<std::string> forgeable(const VerifyingKey<C>&);          \
    prefix template std::optional<KeyDamage> find_damage(const ProvingKey<C>&);
CUZK_KEY_CHECKS(extern, Bls12_381)
CUZK_KEY_CHECKS(extern, Bn254)

}  // namespace cuzk
