// cuzk_verify, cuzk_filecoin_verify: verdicts without an engine.
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "filecoin/chain/claim.hpp"
#include "filecoin/params/store.hpp"
#include "filecoin/prove/prove.hpp"
#include "formats/bellman.hpp"
#include "formats/convert.hpp"
#include "formats/detect.hpp"
#include "formats/snarkjs_json.hpp"
#include "groth16/key_checks.hpp"
#include "groth16/verifier.hpp"

namespace cuzk::capi {

namespace {

namespace fil = filecoin;

template <class C>
void verify(const ByteSource& key, const ByteSource& inputs, const ByteSource& proof, bool allow_insecure) {
    VerifyingKey<C> vk = read_any_vk<C>(key);
    const auto weakness = forgeable(vk);
    if (weakness && !allow_insecure)
        throw Error(ErrorKind::kUnsupported,
                    key.name + ": anyone can forge proofs under this key (" + *weakness +
                        "), as with a key straight from a setup without contributions");
    const Verifier<C> verifier(std::move(vk));
    const Statement<C> statement{read_any_proof<C>(proof), read_public_json<C>(inputs)};
    if (!verifier.verify(statement))
        throw Error(ErrorKind::kUnsatisfied,
                    "the proof is invalid: " + verifier.invalid_reason(statement.inputs.size()));
}

void verify(const ByteSource& key, const ByteSource& inputs, const ByteSource& proof, const char* text) {
    Options options(text);
    const bool allow_insecure = options.boolean("allow_insecure_key").value_or(false);
    options.finish();
    const DetectedFile file =
        expect_kind(key, {FileKind::kVkJson, FileKind::kBellmanVk, FileKind::kZkey, FileKind::kParams});
    with_curve(curve_of(file, key.name), [&]<class C>(C) { verify<C>(key, inputs, proof, allow_insecure); });
}

// Whether the bytes prove the statement, under the key that key_of(circuit, shape) gives.
template <class KeyOf>
bool proves(const ByteSource& statement, const ByteSource& proof, const KeyOf& key_of) {
    if (fil::is_claim(statement.bytes)) {
        const fil::Claim claim = fil::parse_claim(statement);
        return fil::verify_partitions(fil::public_inputs(claim),
                                      Verifier(key_of(fil::circuit_of(claim), fil::shape_of(claim))),
                                      proof.bytes, proof.name);
    }
    const fil::ProofJob job =
        fil::prepare(fil::parse_request(statement.bytes, statement.name), statement.name);
    return fil::verify_job(job, Verifier(key_of(job.circuit, job.shape)), proof.bytes, proof.name);
}

void verify_filecoin(const ByteSource& statement, const ByteSource& proof, const char* text) {
    Options options(text);
    const std::string folder = options.text("params_folder").value_or(fil::parameter_folder());
    const auto vk = options.text("vk");
    options.finish();
    const auto key_of = [&](fil::CircuitKind kind, const fil::SectorShape& shape) {
        return vk ? read_bellman_vk(ByteSource::open(*vk)) : fil::load_vk(folder, kind, shape);
    };
    if (!proves(statement, proof, key_of))
        throw Error(ErrorKind::kUnsatisfied, "the proof is invalid: the pairing equation does not hold");
}

}  // namespace

}  // namespace cuzk::capi

using namespace cuzk::capi;  // NOLINT(google-build-using-namespace): below are the functions of cuzk.h alone

extern "C" {

cuzk_status cuzk_verify(const void* key, size_t key_size, const void* inputs, size_t inputs_size,
                        const void* proof, size_t proof_size, const char* options, cuzk_error** error) {
    return guarded(error, [&] {
        verify(borrowed(key, key_size, "key"), borrowed(inputs, inputs_size, "inputs"),
               borrowed(proof, proof_size, "proof"), options);
    });
}

cuzk_status cuzk_filecoin_verify(const void* statement, size_t statement_size, const void* proof,
                                 size_t proof_size, const char* options, cuzk_error** error) {
    return guarded(error, [&] {
        verify_filecoin(borrowed(statement, statement_size, "statement"),
                        borrowed(proof, proof_size, "proof"), options);
    });
}

}  // extern "C"
