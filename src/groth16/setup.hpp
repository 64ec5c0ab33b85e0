// Development setup: a real Groth16 key, computed from secrets that this process knew. Whoever runs it can
// forge proofs under the key, so it is for tests, benchmarks and development, NEVER for production; keys for
// production come from a ceremony of many parties. Everything that writes such a key says so.
#pragma once

#include <cstddef>

#include "base/progress.hpp"
#include "base/random.hpp"
#include "groth16/instanced_circuit.hpp"
#include "groth16/setup_target.hpp"
#include "r1cs/r1cs.hpp"

namespace cuzk {

inline constexpr const char* kSetupNotice = "cuzk development setup: UNSAFE FOR PRODUCTION";

// The evaluation domain of a circuit: the smallest power of two not below its rows, the appended input rows
// included; at least 2 in the snarkjs family. Throws Error(kUnsupported) beyond what the field has.
template <class Fr>
unsigned log_domain_of(KeyFamily family, const R1cs<Fr>& r1cs);

// Hands a key for the circuit to the target and returns its verifying key. alpha, beta, gamma, delta and tau are uniform from
// `random`, drawn in the order tau, alpha, beta, gamma, delta (equal sources, equal keys, whatever the target and the form of
// the circuit), and wiped at the end; a kSnarkjs key has gamma = 1, as that family's ceremonies do. The target must use the
// same bases. Runs in parallel. Memory: at most 5 field elements a variable or domain point, beside the circuit. A circuit
// with a private variable that no constraint uses is Error(kUnsupported) in the kBellman family, whose files can not hold the
// identity.
template <class C>
VerifyingKey<C> setup(KeyFamily family, const R1cs<typename C::Fr>& r1cs, RandomSource& random,
                      SetupTarget<C>& target, Progress* progress = nullptr, const SetupBases<C>& bases = {});
// The same without ever making the matrices; so there are no keys of the kSnarkjs family, which hold them: Error(kUnsupported).
template <class C>
VerifyingKey<C> setup(KeyFamily family, const InstancedCircuit<typename C::Fr>& circuit, RandomSource& random,
                      SetupTarget<C>& target, Progress* progress = nullptr, const SetupBases<C>& bases = {});

// Streams the key into a sink, its points made on the host.
template <class C, class System>
VerifyingKey<C> setup(KeyFamily family, const System& system, RandomSource& random, KeySink<C>& sink,
                      Progress* progress = nullptr, const SetupBases<C>& bases = {}) {
    SinkTarget<C> target(sink, bases, progress);
    return setup<C>(family, system, random, static_cast<SetupTarget<C>&>(target), progress, bases);
}

// The appended input rows of a matrix of `r1cs`: for A one row {input i: 1} for each input, for B and C empty
// ones.
template <class Fr>
SparseMatrix<Fr> with_input_rows(const SparseMatrix<Fr>& matrix, std::size_t inputs, bool is_a);

#define CUZK_SETUP(prefix, C)                                                                            \
    prefix template unsigned log_domain_of(KeyFamily, const R1cs<C::Fr>&);                               \
    prefix template SparseMatrix<C::Fr> with_input_rows(const SparseMatrix<C::Fr>&, std::size_t, bool);  \
    prefix template VerifyingKey<C> setup(KeyFamily, const R1cs<C::Fr>&, RandomSource&, SetupTarget<C>&, \
                                          Progress*, const SetupBases<C>&);                              \
    prefix template VerifyingKey<C> setup(KeyFamily, const InstancedCircuit<C::Fr>&, RandomSource&,      \
                                          SetupTarget<C>&, Progress*, const SetupBases<C>&);
CUZK_SETUP(extern, Bls12_381)
CUZK_SETUP(extern, Bn254)

}  // namespace cuzk
