// snarkjs' JSON documents: proof.json, public.json, verification_key.json.
//
// Numbers are decimal strings of canonical values; points are projective with third coordinate 1 (G2: ["1","0"]), infinity
// is (0 : 1 : 0). Reading is strict: every coordinate below p and every public input below r, points on the curve and
// in the subgroup, arrays of exact length. Accepting a value modulo r would let one proof stand for many statements.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/byte_source.hpp"
#include "formats/curve_id.hpp"
#include "groth16/types.hpp"

namespace cuzk {

// The curve that a proof or key names; nothing if it has no "curve" member (older tools left it out). Throws
// Error(kUnsupported) for a curve or protocol that is not ours.
std::optional<CurveId> json_curve(const ByteSource& source);

// Infinity in a proof is refused: no honest prover makes it.
template <class C>
Proof<C> read_proof_json(const ByteSource& source);
// The text as snarkjs writes it, with a newline at the end. The same for the two below.
template <class C>
std::string proof_to_json(const Proof<C>& proof);

// Public inputs without the constant one, Montgomery.
template <class C>
std::vector<typename C::Fr> read_public_json(const ByteSource& source);
template <class C>
std::string public_to_json(std::span<const typename C::Fr> values);

// beta_g1 and delta_g1 are absent (infinity) in the result. IC has nPublic + 1 points.
template <class C>
VerifyingKey<C> read_vk_json(const ByteSource& source);
template <class C>
std::string vk_to_json(const VerifyingKey<C>& vk);

// Whether vk_alphabeta_12, which some verifiers trust, is the pairing of alpha and beta; nothing if it is absent.
template <class C>
std::optional<bool> vk_json_alphabeta_matches(const ByteSource& source, const VerifyingKey<C>& vk);

// Arguments of the Solidity verifier's verifyProof, as `snarkjs zkey export soliditycalldata` prints them (one line
// with its newline).
template <class C>
std::string solidity_calldata(const Proof<C>& proof, std::span<const typename C::Fr> public_inputs);

#define CUZK_DECLARE_SNARKJS_JSON(C)                                                          \
    extern template Proof<C> read_proof_json<C>(const ByteSource&);                           \
    extern template std::string proof_to_json<C>(const Proof<C>&);                            \
    extern template std::vector<C::Fr> read_public_json<C>(const ByteSource&);                \
    extern template std::string public_to_json<C>(std::span<const C::Fr>);                    \
    extern template VerifyingKey<C> read_vk_json<C>(const ByteSource&);                       \
    extern template std::string vk_to_json<C>(const VerifyingKey<C>&);                        \
    extern template std::optional<bool> vk_json_alphabeta_matches<C>(const ByteSource&,       \
                                                                     const VerifyingKey<C>&); \
    extern template std::string solidity_calldata<C>(const Proof<C>&, std::span<const C::Fr>)
CUZK_DECLARE_SNARKJS_JSON(Bn254);
CUZK_DECLARE_SNARKJS_JSON(Bls12_381);
#undef CUZK_DECLARE_SNARKJS_JSON

}  // namespace cuzk
