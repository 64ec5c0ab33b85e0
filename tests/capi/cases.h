/* The cases of the C test, and the fixtures that they share. */
#ifndef CUZK_TESTS_CAPI_CASES_H
#define CUZK_TESTS_CAPI_CASES_H

#include "check.h"

void versions(void);
void proves_and_verifies(void);
void invalid_proofs(void);
void bad_keys(void);
void bad_witnesses(void);
void misuse(void);
void engine_without_parameters(void);
void registered_circuits(void);
void many_threads(void);
void engine_proves(void);
void stop_wakes_waiters(void);

static const char* const kCurves[] = {"bn128", "bls12381"};

/* The fixture folder of a circuit on one of the curves. */
static inline const char* folder_of(const char* circuit, const char* curve) {
    static _Thread_local char folder[256];
    CHECK(snprintf(folder, sizeof folder, "%s-%s", circuit, curve) < (int)sizeof folder);
    return folder;
}

static inline File fixture(const char* circuit, const char* curve, const char* name) {
    return read_file(path_of(CUZK_TEST_DATA_DIR, folder_of(circuit, curve), name));
}

static inline cuzk_prover* open_prover(const char* circuit, const char* curve, const char* options) {
    cuzk_prover* prover = NULL;
    cuzk_error* error = NULL;
    CHECK_OK(cuzk_prover_open(path_of(CUZK_TEST_DATA_DIR, folder_of(circuit, curve), "circuit.zkey"), options,
                              &prover, &error));
    return prover;
}

#endif
