// What must hold between the parts of a key, whatever file it came from.
#pragma once

#include <optional>
#include <string>

#include "groth16/types.hpp"

namespace cuzk {

// Throws Error(kMalformed), naming the key and the part, unless all queries, matrices and the domain have sizes that fit
// together, delta is not the identity, and the points that only provers use are there. Costs nothing.
template <class C>
void check_shape(const ProvingKey<C>& key);

// Why anyone can forge proofs under this key, if so: gamma equals delta (a key straight from a first setup phase,
// without a contribution), or one of the fixed points is the identity.
template <class C>
std::optional<std::string> forgeable(const VerifyingKey<C>& vk);

// One point of a key that is off its curve or outside its subgroup.
struct BadPoint {
    std::string query;  // "A", "B in G2", "alpha", ...
    std::size_t index = 0;
    std::string reason;  // "is not on the curve", "is not in the subgroup of prime order"
};

// Looks at every point of the key, in parallel; the first bad one of the first bad query. Costs about as much as a proof.
template <class C>
std::optional<BadPoint> find_bad_point(const ProvingKey<C>& key, bool subgroups);

#define CUZK_KEY_CHECKS(prefix, C)                                            \
    prefix template void check_shape(const ProvingKey<C>&);                   \
    prefix template std::optional<std::string> forgeable(const VerifyingKey<C>&); \
    prefix template std::optional<BadPoint> find_bad_point(const ProvingKey<C>&, bool);
CUZK_KEY_CHECKS(extern, Bls12_381)
CUZK_KEY_CHECKS(extern, Bn254)

}  // namespace cuzk
