/* The C ABI from C. One case a process: test_capi CASE; without one all of them. */
#include "cases.h"

static const struct {
    const char* name;
    void (*run)(void);
} kCases[] = {
    {"versions", versions},
    {"proves_and_verifies", proves_and_verifies},
    {"invalid_proofs", invalid_proofs},
    {"bad_keys", bad_keys},
    {"bad_witnesses", bad_witnesses},
    {"misuse", misuse},
    {"engine_without_parameters", engine_without_parameters},
    {"registered_circuits", registered_circuits},
    {"many_threads", many_threads},
    {"engine_proves", engine_proves},
    {"stop_wakes_waiters", stop_wakes_waiters},
};

int main(int argc, char** argv) {
    int found = 0;
    for (size_t i = 0; i < sizeof kCases / sizeof kCases[0]; ++i) {
        if (argc > 1 && strcmp(argv[1], kCases[i].name) != 0) continue;
        kCases[i].run();
        printf("%s: passed\n", kCases[i].name);
        found = 1;
    }
    if (!found) FAIL("no case is named '%s'", argv[1]);
    return 0;
}
