// Conversions between the files of snarkjs and those of bellman.
#pragma once

#include <optional>
#include <string>

#include "base/byte_source.hpp"
#include "base/progress.hpp"
#include "formats/detect.hpp"
#include "groth16/types.hpp"

namespace cuzk {

struct ConvertOptions {
    std::optional<ByteSource> r1cs;  // .params to .zkey: the circuit, whose matrices the .params file lacks
    std::size_t proof_index = 0;     // which of several concatenated proofs becomes proof.json
    Progress* progress = nullptr;
};

// Writes `source`, of whatever kind it is, as a file of kind `target`:
//   kZkey       from .params and the circuit's .r1cs           kParams     from a BLS12-381 .zkey, or .params (checked)
//   kVkJson     from .zkey, .params or .vk                     kBellmanVk  from .zkey, .params or vk.json (BLS12-381)
//   kProofJson  from 192-byte proofs                           kProofBytes from a BLS12-381 proof.json
// Throws Error(kUsage) for pairs that make no sense, kUnsupported for keys that the target cannot express, and what the
// readers throw. Setup transcripts are carried over. On key conversions see groth16/family_change.hpp.
void convert(const ByteSource& source, FileKind target, const std::string& path,
             const ConvertOptions& options = {});

// The kind that a file name asks for by its ending: ".zkey", ".params", ".vk", ".bin", ".proof"; for ".json" the source decides.
std::optional<FileKind> target_from_name(const std::string& path, FileKind source);

// The verifying key of any file that holds one: .zkey, .params, .vk or vk.json.
template <class C>
VerifyingKey<C> read_any_vk(const ByteSource& source);

// The proof of a proof.json or of 192 bytes, one in the file. A proof over the other curve is Error(kMalformed).
template <class C>
Proof<C> read_any_proof(const ByteSource& source);

extern template VerifyingKey<Bn254> read_any_vk<Bn254>(const ByteSource&);
extern template VerifyingKey<Bls12_381> read_any_vk<Bls12_381>(const ByteSource&);
extern template Proof<Bn254> read_any_proof<Bn254>(const ByteSource&);
extern template Proof<Bls12_381> read_any_proof<Bls12_381>(const ByteSource&);

}  // namespace cuzk
