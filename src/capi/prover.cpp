// cuzk_prover_*: one circom circuit.
#include <optional>

#include "base/parallel.hpp"
#include "capi/circuit_prover.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"

struct cuzk_prover {  // NOLINT(readability-identifier-naming)
    std::optional<cuzk::ThreadLimit> threads;
    std::unique_ptr<cuzk::capi::CircuitProver> circuit;
};

namespace cuzk::capi {

namespace {

std::unique_ptr<cuzk_prover> open(const char* zkey_path, const char* text) {
    Options options(text);
    CircuitProverOptions chosen;
    chosen.device = options.text("device").value_or(chosen.device);
    options.set_number("vram_limit", chosen.backend.memory_limit);
    chosen.r1cs = options.text("r1cs").value_or("");
    chosen.allow_insecure_key = options.boolean("allow_insecure_key").value_or(false);
    const auto threads = options.number("threads", 4096);
    options.finish();

    auto handle = std::make_unique<cuzk_prover>();
    if (threads) handle->threads.emplace(*threads);
    handle->circuit = open_circuit_prover(zkey_path, chosen);
    return handle;
}

void hand_out(CircuitProver::Texts texts, cuzk_buffer** proof_json, cuzk_buffer** public_json) {
    auto proof = make_buffer(std::move(texts.proof));
    if (public_json != nullptr) *public_json = make_buffer(std::move(texts.inputs)).release();
    *proof_json = proof.release();
}

}  // namespace

}  // namespace cuzk::capi

using namespace cuzk::capi;  // NOLINT(google-build-using-namespace): below are the functions of cuzk.h alone

extern "C" {

cuzk_status cuzk_prover_open(const char* zkey_path, const char* options, cuzk_prover** prover,
                             cuzk_error** error) {
    if (prover != nullptr) *prover = nullptr;
    return guarded(error, [&] {
        required(prover, "prover");
        *prover = open(&required(zkey_path, "zkey_path"), options).release();
    });
}

void cuzk_prover_free(cuzk_prover* prover) {
    delete prover;
}

cuzk_status cuzk_prover_prove(cuzk_prover* prover, const void* witness, size_t witness_size,
                              cuzk_buffer** proof_json, cuzk_buffer** public_json, cuzk_error** error) {
    if (proof_json != nullptr) *proof_json = nullptr;
    if (public_json != nullptr) *public_json = nullptr;
    return guarded(error, [&] {
        required(proof_json, "proof_json");
        CircuitProver& circuit = *required(prover, "prover").circuit;
        hand_out(circuit.prove(borrowed(witness, witness_size, "witness")), proof_json, public_json);
    });
}

cuzk_status cuzk_prover_prove_file(cuzk_prover* prover, const char* witness_path, cuzk_buffer** proof_json,
                                   cuzk_buffer** public_json, cuzk_error** error) {
    if (proof_json != nullptr) *proof_json = nullptr;
    if (public_json != nullptr) *public_json = nullptr;
    return guarded(error, [&] {
        required(proof_json, "proof_json");
        CircuitProver& circuit = *required(prover, "prover").circuit;
        const auto witness = cuzk::ByteSource::open(&required(witness_path, "witness_path"));
        hand_out(circuit.prove(witness), proof_json, public_json);
    });
}

cuzk_status cuzk_prover_verifying_key(cuzk_prover* prover, cuzk_buffer** json, cuzk_error** error) {
    if (json != nullptr) *json = nullptr;
    return guarded(error, [&] {
        required(json, "json");
        *json = make_buffer(required(prover, "prover").circuit->verifying_key()).release();
    });
}

}  // extern "C"
