/* The library without an engine: versions, proofs of a circuit, verdicts. */
#include "cases.h"

void versions(void) {
    CHECK(cuzk_abi_version() == CUZK_ABI_VERSION);
    CHECK(strcmp(cuzk_version(), CUZK_EXPECTED_VERSION) == 0);
    /* What can be asked of nothing. */
    CHECK(cuzk_error_status(NULL) == CUZK_OK);
    CHECK(strcmp(cuzk_error_kind(NULL), "ok") == 0);
    CHECK(strcmp(cuzk_error_message(NULL), "") == 0);
    CHECK(cuzk_buffer_data(NULL) == NULL && cuzk_buffer_size(NULL) == 0);
    CHECK(strcmp(cuzk_buffer_text(NULL), "") == 0);
    cuzk_error_free(NULL);
    cuzk_buffer_free(NULL);
    cuzk_engine_free(NULL);
    cuzk_prover_free(NULL);
}

/* Our proofs under snarkjs' keys, and snarkjs' proofs under ours, on both curves. */
void proves_and_verifies(void) {
    cuzk_error* error = NULL;
    for (size_t i = 0; i < 2; ++i) {
        const char* curve = kCurves[i];
        cuzk_prover* prover = open_prover("mimc_merkle", curve, NULL);
        const File vk = fixture("mimc_merkle", curve, "vkey.json");
        const File inputs = fixture("mimc_merkle", curve, "public.json");
        const File their_proof = fixture("mimc_merkle", curve, "proof.json");
        const File witness = fixture("mimc_merkle", curve, "witness.wtns");

        cuzk_buffer *proof = NULL, *public_json = NULL, *key = NULL;
        CHECK_OK(cuzk_prover_prove(prover, witness.data, witness.size, &proof, &public_json, &error));
        CHECK(strstr(cuzk_buffer_text(proof), curve) != NULL);
        CHECK(cuzk_buffer_size(proof) == strlen(cuzk_buffer_text(proof)));
        CHECK(cuzk_buffer_data(proof) == (const void*)cuzk_buffer_text(proof));
        CHECK_OK(cuzk_verify(vk.data, vk.size, inputs.data, inputs.size, cuzk_buffer_data(proof),
                             cuzk_buffer_size(proof), NULL, &error));

        CHECK_OK(cuzk_prover_verifying_key(prover, &key, &error));
        CHECK_OK(cuzk_verify(cuzk_buffer_data(key), cuzk_buffer_size(key), cuzk_buffer_data(public_json),
                             cuzk_buffer_size(public_json), their_proof.data, their_proof.size, NULL,
                             &error));

        /* The same from a file, where the public inputs are not wanted. Two proofs of one statement differ. */
        cuzk_buffer* again = NULL;
        CHECK_OK(cuzk_prover_prove_file(
            prover, path_of(CUZK_TEST_DATA_DIR, folder_of("mimc_merkle", curve), "witness.wtns"), &again,
            NULL, &error));
        CHECK(strcmp(cuzk_buffer_text(again), cuzk_buffer_text(proof)) != 0);
        CHECK_OK(cuzk_verify(vk.data, vk.size, inputs.data, inputs.size, cuzk_buffer_data(again),
                             cuzk_buffer_size(again), NULL, NULL));

        cuzk_buffer_free(proof);
        cuzk_buffer_free(public_json);
        cuzk_buffer_free(key);
        cuzk_buffer_free(again);
        cuzk_prover_free(prover);
        free(vk.data);
        free(inputs.data);
        free(their_proof.data);
        free(witness.data);
    }
}

void invalid_proofs(void) {
    cuzk_error* error = NULL;
    for (size_t i = 0; i < 2; ++i) {
        const char *curve = kCurves[i], *other = kCurves[1 - i];
        const File vk = fixture("chain30", curve, "vkey.json");
        const File inputs = fixture("chain30", curve, "public.json");
        const File proof = fixture("chain30", curve, "proof.json");
        const File wrong_proof = fixture("bits", curve, "proof.json");
        const File few_inputs = fixture("multiplier", curve, "public.json");
        const File other_proof = fixture("chain30", other, "proof.json");
        CHECK_OK(
            cuzk_verify(vk.data, vk.size, inputs.data, inputs.size, proof.data, proof.size, "{}", &error));
        CHECK_ERROR(cuzk_verify(vk.data, vk.size, inputs.data, inputs.size, wrong_proof.data,
                                wrong_proof.size, NULL, &error),
                    CUZK_UNSATISFIED, "unsatisfied", "the pairing equation does not hold");
        CHECK_ERROR(cuzk_verify(vk.data, vk.size, few_inputs.data, few_inputs.size, proof.data, proof.size,
                                NULL, &error),
                    CUZK_UNSATISFIED, "unsatisfied", "1 public inputs given, the key takes 2");
        CHECK_ERROR(cuzk_verify(vk.data, vk.size, inputs.data, inputs.size, other_proof.data,
                                other_proof.size, NULL, &error),
                    CUZK_MALFORMED, "malformed", "proof: a proof over ");
        CHECK_ERROR(
            cuzk_verify(vk.data, vk.size / 2, inputs.data, inputs.size, proof.data, proof.size, NULL, &error),
            CUZK_MALFORMED, "malformed", "key: ");
        CHECK_ERROR(cuzk_verify(vk.data, vk.size, inputs.data, inputs.size, NULL, 0, NULL, &error),
                    CUZK_MALFORMED, "malformed", "proof: the file is empty");
        free(vk.data);
        free(inputs.data);
        free(proof.data);
        free(wrong_proof.data);
        free(few_inputs.data);
        free(other_proof.data);
    }
}

void bad_keys(void) {
    cuzk_error* error = NULL;
    cuzk_prover* prover = NULL;
    CHECK_ERROR(cuzk_prover_open("/nowhere/circuit.zkey", NULL, &prover, &error), CUZK_ENVIRONMENT,
                "environment", "/nowhere/circuit.zkey");
    CHECK(prover == NULL);
    CHECK_ERROR(
        cuzk_prover_open(path_of(CUZK_TEST_DATA_DIR, "chain30-bn128", "witness.wtns"), NULL, &prover, &error),
        CUZK_MALFORMED, "malformed", "this is not a snarkjs proving key but a snarkjs witness");
    const char* insecure = path_of(CUZK_TEST_DATA_DIR, "insecure-bn128", "circuit.zkey");
    CHECK_ERROR(cuzk_prover_open(insecure, NULL, &prover, &error), CUZK_MALFORMED, "unsupported", "forge");
    CHECK_OK(cuzk_prover_open(insecure, "{\"allow_insecure_key\": true}", &prover, &error));
    cuzk_prover_free(prover);

    const File vk = fixture("insecure", "bn128", "vkey.json");
    const File inputs = fixture("insecure", "bn128", "public.json");
    const File proof = fixture("insecure", "bn128", "proof.json");
    CHECK_ERROR(cuzk_verify(vk.data, vk.size, inputs.data, inputs.size, proof.data, proof.size, NULL, &error),
                CUZK_MALFORMED, "unsupported", "key: anyone can forge");
    CHECK_OK(cuzk_verify(vk.data, vk.size, inputs.data, inputs.size, proof.data, proof.size,
                         "{\"allow_insecure_key\": true}", &error));
    free(vk.data);
    free(inputs.data);
    free(proof.data);
}

void bad_witnesses(void) {
    cuzk_error* error = NULL;
    char options[4200];
    snprintf(options, sizeof options, "{\"r1cs\": \"%s\", \"threads\": 2}",
             path_of(CUZK_TEST_DATA_DIR, "multiplier-bn128", "circuit.r1cs"));
    cuzk_prover* prover = open_prover("multiplier", "bn128", options);
    const File witness = fixture("multiplier", "bn128", "witness.wtns");
    const File other_curve = fixture("multiplier", "bls12381", "witness.wtns");
    const File other_circuit = fixture("chain30", "bn128", "witness.wtns");
    cuzk_buffer *proof = NULL, *inputs = NULL;

    /* Values of 32 bytes begin at 76; the third is a factor. */
    witness.data[76 + 2 * 32] ^= 1;
    CHECK_ERROR(cuzk_prover_prove(prover, witness.data, witness.size, &proof, &inputs, &error),
                CUZK_UNSATISFIED, "unsatisfied", "constraint 0");
    CHECK(proof == NULL && inputs == NULL);
    CHECK_ERROR(cuzk_prover_prove(prover, witness.data, witness.size - 1, &proof, &inputs, &error),
                CUZK_MALFORMED, "malformed", "witness: ");
    CHECK_ERROR(cuzk_prover_prove(prover, other_curve.data, other_curve.size, &proof, &inputs, &error),
                CUZK_MALFORMED, "malformed", "witness: a witness over bls12381");
    CHECK_ERROR(cuzk_prover_prove(prover, other_circuit.data, other_circuit.size, &proof, &inputs, &error),
                CUZK_MALFORMED, "malformed", "32");
    CHECK_ERROR(cuzk_prover_prove(prover, NULL, 0, &proof, &inputs, &error), CUZK_MALFORMED, "malformed",
                "witness: the file is empty");
    CHECK_ERROR(cuzk_prover_prove_file(prover, "/nowhere/witness.wtns", &proof, &inputs, &error),
                CUZK_ENVIRONMENT, "environment", "/nowhere/witness.wtns");
    /* And the prover is as good as before. */
    witness.data[76 + 2 * 32] ^= 1;
    CHECK_OK(cuzk_prover_prove(prover, witness.data, witness.size, &proof, &inputs, &error));
    CHECK(strstr(cuzk_buffer_text(inputs), "33") != NULL);

    cuzk_buffer_free(proof);
    cuzk_buffer_free(inputs);
    cuzk_prover_free(prover);
    free(witness.data);
    free(other_curve.data);
    free(other_circuit.data);
}
