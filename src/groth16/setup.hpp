// Development setup: a real Groth16 key, computed from secrets that this process knew. Whoever runs it can
// forge proofs under the key, so it is for tests, benchmarks and development, NEVER for production; keys for
// production come from a ceremony of many parties. Everything that writes such a key says so.
#pragma once

#include <cstddef>

#include "base/progress.hpp"
#include "base/random.hpp"
#include "groth16/key_sink.hpp"
#include "r1cs/r1cs.hpp"

namespace cuzk {

inline constexpr const char* kSetupNotice = "cuzk development setup: UNSAFE FOR PRODUCTION";

// The evaluation domain of a circuit: the smallest power of two not below its rows, the appended input rows
// included; at least 2 in the snarkjs family. Throws Error(kUnsupported) beyond what the field has.
template <class Fr>
unsigned log_domain_of(KeyFamily family, const R1cs<Fr>& r1cs);

// What the key's points are multiples of. Proofs hold under any bases; other tools draw theirs at random.
template <class C>
struct SetupBases {
    Affine<typename C::G1> g1 = Affine<typename C::G1>::generator();
    Affine<typename C::G2> g2 = Affine<typename C::G2>::generator();
};

// Streams a key for the circuit into the sink and returns its verifying key. alpha, beta, gamma, delta and
// tau are uniform from `random`, drawn in the order tau, alpha, beta, gamma, delta (equal sources, equal
// keys), and wiped at the end; a kSnarkjs key has gamma = 1, as that family's ceremonies do. Runs in
// parallel. Memory: about 10 field elements a variable or domain point, beside the circuit. A circuit with a
// private variable that no constraint uses is Error(kUnsupported) in the kBellman family, whose files can not
// hold the identity.
template <class C>
VerifyingKey<C> setup(KeyFamily family, const R1cs<typename C::Fr>& r1cs, RandomSource& random,
                      KeySink<C>& sink, Progress* progress = nullptr, const SetupBases<C>& bases = {});

// The appended input rows of a matrix of `r1cs`: for A one row {input i: 1} for each input, for B and C empty
// ones.
template <class Fr>
SparseMatrix<Fr> with_input_rows(const SparseMatrix<Fr>& matrix, std::size_t inputs, bool is_a);

#define CUZK_SETUP(prefix, C)                                                                           \
    prefix template unsigned log_domain_of(KeyFamily, const R1cs<C::Fr>&);                              \
    prefix template SparseMatrix<C::Fr> with_input_rows(const SparseMatrix<C::Fr>&, std::size_t, bool); \
    prefix template VerifyingKey<C> setup(KeyFamily, const R1cs<C::Fr>&, RandomSource&, KeySink<C>&,    \
                                          Progress*, const SetupBases<C>&);
CUZK_SETUP(extern, Bls12_381)
CUZK_SETUP(extern, Bn254)

}  // namespace cuzk
