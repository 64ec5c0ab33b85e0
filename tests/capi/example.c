/* Proves a circom witness and verifies the proof: example circuit.zkey witness.wtns */
#include <cuzk.h>
#include <stdio.h>

static int report(const char* what, cuzk_status status, cuzk_error* error) {
    fprintf(stderr, "%s: %s (%s)\n", what, cuzk_error_message(error), cuzk_error_kind(error));
    cuzk_error_free(error);
    return status;
}

int main(int argc, char** argv) {
    if (argc != 3) return CUZK_USAGE;
    cuzk_error* error = NULL;
    cuzk_prover* prover = NULL;
    cuzk_status status = cuzk_prover_open(argv[1], NULL, &prover, &error);
    if (status != CUZK_OK) return report("key", status, error);

    /* As many witnesses as there are, from any thread. */
    cuzk_buffer *proof = NULL, *inputs = NULL, *key = NULL;
    status = cuzk_prover_prove_file(prover, argv[2], &proof, &inputs, &error);
    if (status == CUZK_OK) {
        printf("%s", cuzk_buffer_text(proof));
        status = cuzk_prover_verifying_key(prover, &key, &error);
    }
    if (status == CUZK_OK)
        status = cuzk_verify(cuzk_buffer_data(key), cuzk_buffer_size(key), cuzk_buffer_data(inputs),
                             cuzk_buffer_size(inputs), cuzk_buffer_data(proof), cuzk_buffer_size(proof), NULL,
                             &error);
    cuzk_buffer_free(proof);
    cuzk_buffer_free(inputs);
    cuzk_buffer_free(key);
    cuzk_prover_free(prover);
    return status == CUZK_OK ? 0 : report("proof", status, error);
}
