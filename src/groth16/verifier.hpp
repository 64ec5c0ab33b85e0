// Verification of Groth16 proofs, one or many at a time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "curve/pairing.hpp"
#include "groth16/types.hpp"

namespace cuzk {

// A proof and what it claims. Public inputs are field elements, so a number of r or above can not be one:
// whoever decodes them refuses it (two numbers that stand for one input are a known way to spend twice).
// Groth16 proofs are malleable: a valid proof can be turned into another one of the same statement, so never
// use proof bytes as an identity.
template <class C>
struct Statement {
    Proof<C> proof;
    std::vector<typename C::Fr> inputs;
};

// A verifying key made ready. Immutable and thread-safe. The points of keys and proofs must be on their
// curves and in their subgroups, which decoders check. Says what the key says: whether the key itself
// deserves trust is forgeable()'s question (key_checks.hpp).
template <class C>
class Verifier {
public:
    using Fr = typename C::Fr;

    // Throws Error(kMalformed) if the key has no IC point.
    explicit Verifier(VerifyingKey<C> vk);

    const VerifyingKey<C>& key() const { return vk_; }

    // e(A, B) = e(alpha, beta) e(sum x_j IC_j, gamma) e(C, delta). False as well if the number of inputs is
    // not the key's.
    bool verify(const Proof<C>& proof, std::span<const Fr> inputs) const;
    bool verify(const Statement<C>& statement) const { return verify(statement.proof, statement.inputs); }

    // Why a statement with that many inputs that does not hold does not.
    std::string invalid_reason(std::size_t inputs) const;

    // Whether all statements hold, by one random linear combination with 128-bit coefficients from `random`:
    // a false statement slips through with probability 2^-128 if nobody can foresee them (hence OsRandom
    // outside tests). One multi-Miller loop of n + 3 pairs. Nothing to verify is true.
    bool verify_all(std::span<const Statement<C>> statements, RandomSource& random) const;
    // The indices of the statements that do not hold, by bisection: fast where they are few.
    std::vector<std::size_t> find_invalid(std::span<const Statement<C>> statements,
                                          RandomSource& random) const;

private:
    void bisect(std::span<const Statement<C>> statements, std::size_t first, bool known_bad,
                RandomSource& random, std::vector<std::size_t>& invalid) const;

    VerifyingKey<C> vk_;
    G2Prepared<C> gamma_, delta_, beta_;
    typename C::Gt alpha_beta_;
};

extern template class Verifier<Bls12_381>;
extern template class Verifier<Bn254>;

}  // namespace cuzk
