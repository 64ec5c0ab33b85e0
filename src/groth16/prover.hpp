// A key in a backend, and proofs that are right: each one is verified before anybody sees it.
#pragma once

#include <memory>
#include <optional>

#include "groth16/backend.hpp"
#include "groth16/verifier.hpp"
#include "r1cs/r1cs.hpp"

namespace cuzk {

// Chosen r and s instead of random ones; see TestRandomness.
template <class Fr>
struct FixedBlinding {
    TestRandomness marker;
    Fr r, s;
};

// Whether to look for the reason why a proof does not verify, which can take minutes and the memory of all rows, or to say no more than
// that: for those who try again first.
enum class Explain { kFully, kBriefly };

template <class Fr>
struct ProveOptions {
    ProveMonitor monitor;
    Explain explain = Explain::kFully;
    // The circuit that the key is for, if known: names the constraint when a witness does not satisfy it.
    const R1cs<Fr>* r1cs = nullptr;
    std::optional<FixedBlinding<Fr>> fixed;  // tests only
};

enum class KeyTrust { kRefuseForgeable, kAllowForgeable };

// Keeps the key loaded while it lives. Thread-safe as far as the backend is.
template <class C>
class Prover {
public:
    using Fr = typename C::Fr;

    // Throws Error(kMalformed) for a key whose parts do not fit together, Error(kUnsupported) for one under
    // which anyone can forge proofs, unless `trust` allows it.
    Prover(Backend<C>& backend, std::shared_ptr<const ProvingKey<C>> key,
           KeyTrust trust = KeyTrust::kRefuseForgeable);
    ~Prover();
    Prover(const Prover&) = delete;
    Prover& operator=(const Prover&) = delete;

    const ProvingKey<C>& key() const { return *key_; }
    const Verifier<C>& verifier() const { return verifier_; }

    // The proof for all variables' values, for ready rows, or for a compact witness; r and s are the operating system's. Where no
    // valid proof comes out, says why: Error(kUnsatisfied) names the violated constraint where it can be
    // known, Error(kMalformed) the damaged part of the key, Error(kInternal) is a fault of ours.
    Proof<C> prove(std::span<const Fr> z, const ProveOptions<Fr>& options = {});
    Proof<C> prove(const Assignment<Fr>& assignment, const ProveOptions<Fr>& options = {});
    Proof<C> prove(const CompactWitness<Fr>& witness, const ProveOptions<Fr>& options = {});

private:
    template <class Input>
    Proof<C> prove_and_verify(const Input& input, std::size_t variables, std::span<const Fr> inputs,
                              const ProveOptions<Fr>& options);

    Backend<C>& backend_;
    std::shared_ptr<const ProvingKey<C>> key_;
    Verifier<C> verifier_;
    KeyHandle handle_;
};

extern template class Prover<Bls12_381>;
extern template class Prover<Bn254>;

}  // namespace cuzk
