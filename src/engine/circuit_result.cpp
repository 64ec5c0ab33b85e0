#include "engine/circuit_result.hpp"

#include "formats/field_arrays.hpp"
#include "formats/proof_bytes.hpp"
#include "formats/snarkjs_json.hpp"

namespace cuzk::engine {

namespace {

template <class C>
CircuitTexts texts_of(const Proof<C>& proof, std::span<const u8> public_inputs) {
    using Fr = typename C::Fr;
    std::vector<Fr> values(public_inputs.size() / Fr::kBytes);
    if (decode_field_array<Fr>(public_inputs, std::span<Fr>(values)))
        throw Error(ErrorKind::kInternal, "a public input of a finished job is beyond the modulus");
    return {C::kName, proof_to_json(proof), public_to_json<C>(std::span<const Fr>(values))};
}

}  // namespace

CircuitTexts circuit_texts(const JobResult& result) {
    const ByteSource proof = ByteSource::borrow("proof", result.proof);
    if (result.proof.size() == kBn254ProofBytes)
        return texts_of(read_bn254_proof_bytes(proof), result.public_inputs);
    return texts_of(read_proof_bytes(proof).front(), result.public_inputs);
}

}  // namespace cuzk::engine
