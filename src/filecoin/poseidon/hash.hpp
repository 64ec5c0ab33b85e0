// Native Poseidon (out of circuit) with the optimised constants: the value side of the circuit gadget.
#pragma once

#include <span>

#include "filecoin/poseidon/constants.hpp"

namespace cuzk::filecoin {

// Domain tags: what element 0 of the state starts with.
enum class PoseidonDomain {
    kMerkle,         // 2^arity - 1
    kGenRandomness,  // 2^40 (SnapDeals' phi, rho and challenge digests)
};

Fr poseidon_tag(PoseidonDomain domain, std::size_t arity);

// Digest of inputs.size() in {2, 4, 8, 11} elements: element 1 of the permuted state. Thread-safe.
Fr poseidon(std::span<const Fr> inputs, PoseidonDomain domain = PoseidonDomain::kMerkle);

// The same by the textbook permutation (full matrices, plain round keys): an independent check of the constants.
Fr poseidon_plain(std::span<const Fr> inputs, PoseidonDomain domain = PoseidonDomain::kMerkle);

}  // namespace cuzk::filecoin
