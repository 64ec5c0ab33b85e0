#include "groth16/prover.hpp"

#include <algorithm>
#include <type_traits>

#include "base/error.hpp"
#include "groth16/diagnosis.hpp"
#include "groth16/key_checks.hpp"

namespace cuzk {

namespace {

template <class C>
std::shared_ptr<const ProvingKey<C>> trusted(std::shared_ptr<const ProvingKey<C>> key, KeyTrust trust) {
    check_shape(*key);
    if (trust == KeyTrust::kRefuseForgeable)
        if (const auto reason = forgeable(key->vk))
            throw Error(ErrorKind::kUnsupported, (key->name.empty() ? "the key" : key->name) +
                                                     ": anyone can forge proofs under this key (" + *reason +
                                                     ")");
    return key;
}

}  // namespace

template <class C>
Prover<C>::Prover(Backend<C>& backend, std::shared_ptr<const ProvingKey<C>> key, KeyTrust trust)
    : backend_(backend),
      key_(trusted<C>(std::move(key), trust)),
      verifier_(key_->vk),
      handle_(backend.load(key_)) {}

template <class C>
Prover<C>::~Prover() {
    try {
        backend_.evict(handle_);
    } catch (const Error&) {
        // A device that is gone has taken its key along, and a destructor has nobody to tell.
    }
}

template <class C>
template <class Input>
Proof<C> Prover<C>::prove_and_verify(const Input& input, std::size_t variables, std::span<const Fr> inputs,
                                     const ProveOptions<Fr>& options) {
    if (variables != key_->variables)
        throw Error(ErrorKind::kMalformed, "the witness has " + std::to_string(variables) +
                                               " values, the key " +
                                               (key_->name.empty() ? "" : key_->name + " ") + "is for " +
                                               std::to_string(key_->variables));
    if (inputs.size() != key_->public_inputs() + 1)
        throw Error(ErrorKind::kMalformed, "the witness has " + std::to_string(inputs.size()) +
                                               " inputs with the constant one, the key is for " +
                                               std::to_string(key_->public_inputs() + 1));
    if (!inputs[0].is_one())
        throw Error(ErrorKind::kMalformed, "witness value 0 is not 1, the constant that it must be");

    const Proof<C> proof = [&] {
        const Blinding<Fr> blinding =
            options.fixed ? Blinding<Fr>::fixed(options.fixed->marker, options.fixed->r, options.fixed->s)
                          : Blinding<Fr>::draw();
        return backend_.prove(handle_, input, blinding, options.monitor);
    }();

    bool valid = false;
    {
        const StageTimer timer(options.monitor.stages, "verify");
        valid = verifier_.verify(proof, inputs.subspan(1));
    }
    if (valid) return proof;
    if (options.explain == Explain::kBriefly)
        throw Error(ErrorKind::kMalformed, (key_->name.empty() ? "" : key_->name + ": ") +
                                               "the proof does not verify; nobody has looked for the reason");
    if constexpr (std::is_same_v<Input, std::span<const Fr>>)
        throw diagnose(*key_, input, options.r1cs);
    else
        throw diagnose(*key_, input);
}

template <class C>
Proof<C> Prover<C>::prove(std::span<const Fr> z, const ProveOptions<Fr>& options) {
    return prove_and_verify(z, z.size(), z.first(std::min(z.size(), key_->public_inputs() + 1)), options);
}

template <class C>
Proof<C> Prover<C>::prove(const Assignment<Fr>& assignment, const ProveOptions<Fr>& options) {
    return prove_and_verify(assignment, assignment.z.size(), assignment.z.first(assignment.inputs), options);
}

template <class C>
Proof<C> Prover<C>::prove(const CompactWitness<Fr>& witness, const ProveOptions<Fr>& options) {
    return prove_and_verify(witness, witness.inputs.size() + witness.aux(),
                            std::span<const Fr>(witness.inputs), options);
}

template class Prover<Bls12_381>;
template class Prover<Bn254>;

}  // namespace cuzk
