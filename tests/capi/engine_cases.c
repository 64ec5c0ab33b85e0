/* The engine, wrong calls of everything, and many threads. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>

#include "cases.h"

void misuse(void) {
    cuzk_error* error = NULL;
    cuzk_buffer* buffer = (cuzk_buffer*)&error; /* any value that must not stay */
    cuzk_engine* engine = (cuzk_engine*)&error;
    cuzk_prover* prover = (cuzk_prover*)&error;
    CHECK_ERROR(cuzk_engine_create("{}", NULL, &error), CUZK_USAGE, "usage", "engine is NULL");
    CHECK_ERROR(cuzk_engine_submit(NULL, "{}", 2, NULL, &buffer, &error), CUZK_USAGE, "usage",
                "engine is NULL");
    CHECK(buffer == NULL);
    CHECK_ERROR(cuzk_engine_await(NULL, "a", 0, &buffer, NULL, &error), CUZK_USAGE, "usage",
                "engine is NULL");
    CHECK_ERROR(cuzk_engine_await(NULL, "a", 0, NULL, NULL, &error), CUZK_USAGE, "usage", "proof is NULL");
    CHECK_ERROR(cuzk_engine_cancel(NULL, "a", NULL, &error), CUZK_USAGE, "usage", "engine is NULL");
    CHECK_ERROR(cuzk_engine_job(NULL, "a", &buffer, &error), CUZK_USAGE, "usage", "engine is NULL");
    CHECK_ERROR(cuzk_engine_status(NULL, &buffer, &error), CUZK_USAGE, "usage", "engine is NULL");
    CHECK_ERROR(cuzk_engine_preload(NULL, "wpost-2k", &error), CUZK_USAGE, "usage", "engine is NULL");
    CHECK_ERROR(cuzk_engine_evict(NULL, "wpost-2k", NULL, &error), CUZK_USAGE, "usage", "engine is NULL");
    CHECK_ERROR(cuzk_engine_drain(NULL, &error), CUZK_USAGE, "usage", "engine is NULL");
    CHECK_ERROR(cuzk_engine_stop(NULL, 0, &error), CUZK_USAGE, "usage", "engine is NULL");
    CHECK_ERROR(cuzk_prover_open(NULL, NULL, &prover, &error), CUZK_USAGE, "usage", "zkey_path is NULL");
    CHECK(prover == NULL);
    CHECK_ERROR(cuzk_prover_open("a", NULL, NULL, &error), CUZK_USAGE, "usage", "prover is NULL");
    CHECK_ERROR(cuzk_prover_prove(NULL, "", 0, &buffer, NULL, &error), CUZK_USAGE, "usage", "prover is NULL");
    CHECK_ERROR(cuzk_prover_verifying_key(NULL, &buffer, &error), CUZK_USAGE, "usage", "prover is NULL");
    CHECK_ERROR(cuzk_verify(NULL, 1, "", 0, "", 0, NULL, &error), CUZK_USAGE, "usage", "key is NULL");
    CHECK_ERROR(cuzk_filecoin_verify("{}", 2, NULL, 7, NULL, &error), CUZK_USAGE, "usage", "proof is NULL");
    /* Without an error to fill the status alone must do. */
    CHECK(cuzk_engine_status(NULL, &buffer, NULL) == CUZK_USAGE);

    static const struct {
        const char *options, *text;
    } kBad[] = {
        {"", "options: "},
        {"[1]", "options: not a JSON object"},
        {"{\"devices\": \"cpu\", \"devices\": \"cpu\"}", "options: "},
        {"{\"device\": \"cpu\"}", "options: 'device' is not known; there are "},
        {"{\"devices\": 7}", "options: devices must be a string or an array of strings"},
        {"{\"devices\": [\"cpu\", \"auto\"]}", "options: devices: \"auto\" is the choice of all devices"},
        {"{\"devices\": \"gpu7\"}", "unknown device 'gpu7'"},
        {"{\"max_jobs\": -1}", "options: max_jobs must be a whole number, 0 or more"},
        {"{\"max_jobs\": 4294967296}", "options: max_jobs is 4294967296, at most 4294967295 is allowed"},
        {"{\"max_jobs\": 0}", "max_jobs is 0, allowed are 1 to 10000000"},
        {"{\"gpu_workers_per_device\": 5}", "gpu_workers_per_device is 5, allowed are 1 to 4"},
        {"{\"allow_cpu\": \"yes\"}", "options: allow_cpu must be true or false"},
        {"{\"params_folder\": \"\xff\"}", "options: "},
    };
    for (size_t i = 0; i < sizeof kBad / sizeof kBad[0]; ++i) {
        CHECK_ERROR(cuzk_engine_create(kBad[i].options, &engine, &error), CUZK_USAGE, "usage", kBad[i].text);
        CHECK(engine == NULL);
    }
    CHECK_ERROR(cuzk_engine_create("{\"devices\": \"cuda:4711\"}", &engine, &error), CUZK_ENVIRONMENT,
                "environment", "");
    CHECK_ERROR(cuzk_prover_open(path_of(CUZK_TEST_DATA_DIR, "multiplier-bn128", "circuit.zkey"),
                                 "{\"device\": \"abacus\"}", &prover, &error),
                CUZK_USAGE, "usage", "unknown device 'abacus'");
}

static cuzk_engine* start_engine(const char* options) {
    cuzk_engine* engine = NULL;
    cuzk_error* error = NULL;
    CHECK_OK(cuzk_engine_create(options, &engine, &error));
    return engine;
}

static cuzk_buffer* submit(cuzk_engine* engine, const char* request, size_t size, const char* options) {
    cuzk_buffer* id = NULL;
    cuzk_error* error = NULL;
    CHECK_OK(cuzk_engine_submit(engine, request, size, options, &id, &error));
    CHECK(cuzk_buffer_size(id) > 0);
    return id;
}

static const char kGarbage[] =
    "{\"request_id\": \"garbage\", \"proof_kind\": \"WINDOW_POST_PARTITION\", \"sector_size\": 2048,"
    " \"registered_proof\": 10, \"miner_id\": 1234, \"vanilla_proofs\": [\"AAAA\"],"
    " \"randomness\": \"KoDKb1N501sia9xH8nrbd/NvK0zEnvKMA3HTKAGScwQ=\"}";

/* All of an engine that needs no parameter files. */
void engine_without_parameters(void) {
    cuzk_error* error = NULL;
    cuzk_buffer *json = NULL, *proof = NULL, *id = NULL;
    cuzk_engine* engine = start_engine(
        "{\"devices\": [\"cpu\"], \"params_folder\": \"/nowhere\", \"host_budget\": 1073741824, \"threads\": "
        "2}");
    CHECK_OK(cuzk_engine_status(engine, &json, &error));
    CHECK(strstr(cuzk_buffer_text(json), "\"kind\":\"cpu\"") != NULL);
    CHECK(strstr(cuzk_buffer_text(json), "\"draining\":false") != NULL);
    cuzk_buffer_free(json);

    CHECK_ERROR(cuzk_engine_submit(engine, "{", 1, NULL, &id, &error), CUZK_MALFORMED, "malformed",
                "request: ");
    CHECK_ERROR(cuzk_engine_submit(engine, NULL, 0, "{\"name\": \"nothing.json\"}", &id, &error),
                CUZK_MALFORMED, "malformed", "nothing.json: ");
    CHECK_ERROR(
        cuzk_engine_submit(engine, kGarbage, strlen(kGarbage), "{\"priority\": \"urgent\"}", &id, &error),
        CUZK_USAGE, "usage", "priority is 'urgent'; it can be low, normal, high, critical");
    CHECK(id == NULL);

    /* What is wrong inside a request is told to those who wait for it, as often as they ask. */
    id = submit(engine, kGarbage, strlen(kGarbage), "{\"priority\": \"critical\", \"client\": \"test\"}");
    CHECK(strcmp(cuzk_buffer_text(id), "garbage") == 0);
    for (int i = 0; i < 2; ++i) {
        CHECK_ERROR(cuzk_engine_await(engine, "garbage", -1, &proof, NULL, &error), CUZK_MALFORMED,
                    "malformed", "vanilla proof 0");
        CHECK(proof == NULL);
    }
    CHECK_OK(cuzk_engine_job(engine, "garbage", &json, &error));
    CHECK(strstr(cuzk_buffer_text(json), "\"state\":\"failed\"") != NULL);
    CHECK(strstr(cuzk_buffer_text(json), "\"priority\":\"critical\"") != NULL);
    CHECK(strstr(cuzk_buffer_text(json), "\"client\":\"test\"") != NULL);
    CHECK(strstr(cuzk_buffer_text(json), "\"partitions\":[") != NULL);
    cuzk_buffer_free(json);
    cuzk_buffer_free(id);

    int32_t was_running = 7;
    CHECK_OK(cuzk_engine_cancel(engine, "garbage", &was_running, &error));
    CHECK(was_running == 0);
    CHECK_ERROR(cuzk_engine_await(engine, "nobody", 0, &proof, NULL, &error), CUZK_UNKNOWN_JOB, "unknown-job",
                "no job 'nobody' is known");
    CHECK_ERROR(cuzk_engine_job(engine, "nobody", &json, &error), CUZK_UNKNOWN_JOB, "unknown-job",
                "'nobody'");
    CHECK_ERROR(cuzk_engine_await(engine, "\xc3(", 0, &proof, NULL, &error), CUZK_USAGE, "usage",
                "job_id is not UTF-8");
    CHECK_ERROR(cuzk_engine_await(engine, NULL, 0, &proof, NULL, &error), CUZK_USAGE, "usage",
                "job_id is NULL");
    CHECK_ERROR(cuzk_engine_preload(engine, "wpost-3k", &error), CUZK_USAGE, "usage", "wpost-3k");
    CHECK_ERROR(cuzk_engine_preload(engine, "wpost-2k", &error), CUZK_ENVIRONMENT, "environment", "/nowhere");
    uint64_t freed = 7;
    CHECK_OK(cuzk_engine_evict(engine, "wpost-2k", &freed, &error));
    CHECK(freed == 0);

    CHECK_OK(cuzk_engine_drain(engine, &error));
    CHECK_ERROR(cuzk_engine_submit(engine, kGarbage, strlen(kGarbage), NULL, &id, &error), CUZK_ENVIRONMENT,
                "draining", "");
    CHECK_OK(cuzk_engine_stop(engine, 1000, &error));
    CHECK_OK(cuzk_engine_stop(engine, -1, &error));
    CHECK_ERROR(cuzk_engine_await(engine, "garbage", -1, &proof, NULL, &error), CUZK_MALFORMED, "malformed",
                "vanilla proof 0");
    cuzk_engine_free(engine);
}

/* Circuits of both curves beside each other, by witness files and by plain values. */
void registered_circuits(void) {
    cuzk_error* error = NULL;
    cuzk_buffer *proof = NULL, *inputs = NULL, *id = NULL;
    const char* data = CUZK_TEST_DATA_DIR;
    char options[4096];
    snprintf(options, sizeof options,
             "{\"devices\": \"cpu\", \"host_budget\": 1073741824, \"circuits\": ["
             "{\"id\": \"bn128\", \"key\": \"%s/bits-bn128/circuit.zkey\"},"
             "{\"id\": \"bls12381\", \"key\": \"%s/bits-bls12381/circuit.zkey\","
             " \"r1cs\": \"%s/bits-bls12381/circuit.r1cs\"}]}",
             data, data, data);
    cuzk_engine* engine = start_engine(options);
    for (size_t i = 0; i < 2; ++i) {
        const File witness = fixture("bits", kCurves[i], "witness.wtns");
        const File vk = fixture("bits", kCurves[i], "vkey.json");
        static const char* const kOptions[] = {"{\"encoding\": \"values\", \"priority\": \"low\"}", NULL};
        for (size_t j = 0; j < 2; ++j) {
            const size_t header = j == 0 ? 76 : 0; /* where the values of a .wtns begin */
            CHECK_OK(cuzk_engine_submit_witness(engine, kCurves[i], witness.data + header,
                                                witness.size - header, kOptions[j], &id, &error));
            CHECK_OK(cuzk_engine_await(engine, cuzk_buffer_text(id), -1, &proof, &inputs, &error));
            CHECK_OK(cuzk_verify(vk.data, vk.size, cuzk_buffer_data(inputs), cuzk_buffer_size(inputs),
                                 cuzk_buffer_data(proof), cuzk_buffer_size(proof), NULL, &error));
            cuzk_buffer_free(id);
            cuzk_buffer_free(proof);
            cuzk_buffer_free(inputs);
        }
        CHECK_ERROR(
            cuzk_engine_submit_witness(engine, kCurves[1 - i], witness.data, witness.size, NULL, &id, &error),
            CUZK_MALFORMED, "malformed", "");
        free(witness.data);
        free(vk.data);
    }
    CHECK_ERROR(cuzk_engine_submit_witness(engine, "unknown", "", 0, NULL, &id, &error), CUZK_USAGE, "usage",
                "unknown");
    CHECK_ERROR(cuzk_engine_submit_witness(engine, "bn128", "", 0, "{\"encoding\": \"hex\"}", &id, &error),
                CUZK_USAGE, "usage", "encoding is 'hex'; it can be wtns, values");
    CHECK_ERROR(cuzk_engine_submit_witness(engine, NULL, "", 0, NULL, &id, &error), CUZK_USAGE, "usage",
                "circuit_id is NULL");
    CHECK_OK(cuzk_engine_preload(engine, "bn128", &error));
    cuzk_engine_free(engine);

    CHECK_ERROR(cuzk_engine_create("{\"circuits\": {}}", &engine, &error), CUZK_USAGE, "usage",
                "options: circuits must be an array of objects");
    CHECK_ERROR(cuzk_engine_create("{\"circuits\": [{\"id\": \"a\", \"kye\": \"b\"}]}", &engine, &error),
                CUZK_USAGE, "usage", "options: circuits[0].'kye' is not known; there are id, key, ");
    CHECK_ERROR(
        cuzk_engine_create("{\"circuits\": [{\"id\": \"a\", \"key\": \"/nowhere.zkey\"}]}", &engine, &error),
        CUZK_ENVIRONMENT, "environment", "/nowhere.zkey");
}

typedef struct {
    cuzk_prover* prover;
    cuzk_engine* engine;
    const File *witness, *vk;
    int number;
} Worker;

/* One thread's share: proofs of one prover, verdicts, jobs of one engine, and errors that are its own. */
static void* work(void* argument) {
    const Worker* worker = argument;
    cuzk_error* error = NULL;
    for (int round = 0; round < 4; ++round) {
        cuzk_buffer *proof = NULL, *inputs = NULL;
        CHECK_OK(cuzk_prover_prove(worker->prover, worker->witness->data, worker->witness->size, &proof,
                                   &inputs, &error));
        CHECK_OK(cuzk_verify(worker->vk->data, worker->vk->size, cuzk_buffer_data(inputs),
                             cuzk_buffer_size(inputs), cuzk_buffer_data(proof), cuzk_buffer_size(proof), NULL,
                             &error));
        cuzk_buffer_free(proof);
        cuzk_buffer_free(inputs);

        char options[64], unknown[64];
        snprintf(options, sizeof options, "{\"request_id\": \"job-%d-%d\"}", worker->number, round);
        snprintf(unknown, sizeof unknown, "unknown-%d-%d", worker->number, round);
        cuzk_buffer* id = submit(worker->engine, kGarbage, strlen(kGarbage), options);
        CHECK_ERROR(cuzk_engine_await(worker->engine, unknown, 0, &proof, NULL, &error), CUZK_UNKNOWN_JOB,
                    "unknown-job", unknown);
        CHECK_ERROR(cuzk_engine_await(worker->engine, cuzk_buffer_text(id), 60000, &proof, NULL, &error),
                    CUZK_MALFORMED, "malformed", "vanilla proof 0");
        cuzk_buffer_free(id);
    }
    return NULL;
}

void many_threads(void) {
    enum { kThreads = 6 };
    const File witness = fixture("chain30", "bls12381", "witness.wtns");
    const File vk = fixture("chain30", "bls12381", "vkey.json");
    cuzk_prover* prover = open_prover("chain30", "bls12381", NULL);
    cuzk_engine* engine = start_engine("{\"devices\": \"cpu\", \"host_budget\": 1073741824}");
    pthread_t threads[kThreads];
    Worker workers[kThreads];
    for (int i = 0; i < kThreads; ++i) {
        workers[i] = (Worker){prover, engine, &witness, &vk, i};
        CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
    }
    for (int i = 0; i < kThreads; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
    cuzk_engine_free(engine);
    cuzk_prover_free(prover);
    free(witness.data);
    free(vk.data);
}

typedef struct {
    cuzk_engine* engine;
    const char* job_id;
    cuzk_status status;
} Waiter;

static void* wait_for_ever(void* argument) {
    Waiter* waiter = argument;
    cuzk_buffer* proof = NULL;
    waiter->status = cuzk_engine_await(waiter->engine, waiter->job_id, -1, &proof, NULL, NULL);
    cuzk_buffer_free(proof);
    return NULL;
}

/* Leaves the test out where the vectors are not. */
static const char* oracle_folder(void) {
    if (!file_exists(CUZK_SHARED_DIR "/oracle/README.md")) {
        printf("skipped: the vectors of ../shared/oracle are not beside this checkout\n");
        exit(SKIPPED);
    }
    return CUZK_SHARED_DIR "/oracle";
}

/* The real path, on the smallest WindowPoSt under the network's development parameters. */
void engine_proves(void) {
    const char* oracle = oracle_folder();
    cuzk_error* error = NULL;
    cuzk_buffer *proof = NULL, *json = NULL;
    char options[4096];
    snprintf(options, sizeof options,
             "{\"devices\": \"cpu\", \"params_folder\": \"%s/params\", \"host_budget\": 4294967296}", oracle);
    cuzk_engine* engine = start_engine(options);
    const File request = read_file(path_of(oracle, "wpost-2KiB", "request.json"));
    const File other = read_file(path_of(oracle, "wpost-2KiB-v10", "request.json"));
    CHECK_OK(cuzk_engine_preload(engine, "wpost-2k", &error));

    cuzk_buffer* id = submit(engine, request.data, request.size, NULL);
    /* It runs still, or has ended before this thread went on. */
    const cuzk_status at_once = cuzk_engine_await(engine, cuzk_buffer_text(id), 0, &proof, NULL, &error);
    CHECK(at_once == CUZK_RUNNING || at_once == CUZK_OK);
    CHECK((proof != NULL) == (at_once == CUZK_OK));
    if (at_once == CUZK_RUNNING) {
        CHECK(strcmp(cuzk_error_kind(error), "running") == 0);
        CHECK(strstr(cuzk_error_message(error), "has not ended yet") != NULL);
    }
    cuzk_error_free(error);
    error = NULL;
    cuzk_buffer_free(proof);
    proof = NULL;
    /* The same content under the same id is the same job. */
    cuzk_buffer* same = submit(engine, request.data, request.size, NULL);
    CHECK(strcmp(cuzk_buffer_text(id), cuzk_buffer_text(same)) == 0);
    cuzk_buffer_free(same);

    /* One that is cancelled while somebody waits, and one that has no time. */
    cuzk_buffer* cancelled = submit(engine, request.data, request.size, "{\"request_id\": \"cancelled\"}");
    cuzk_buffer* late =
        submit(engine, request.data, request.size, "{\"request_id\": \"late\", \"timeout_ms\": 1}");
    Waiter waiter = {engine, cuzk_buffer_text(cancelled), CUZK_OK};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, wait_for_ever, &waiter) == 0);
    int32_t was_running = 0;
    CHECK_OK(cuzk_engine_cancel(engine, cuzk_buffer_text(cancelled), &was_running, &error));
    CHECK(pthread_join(thread, NULL) == 0);
    /* Whether the job was cancelled or had ended before is a race that the answers must agree on. */
    CHECK(waiter.status == (was_running == 1 ? CUZK_CANCELLED : CUZK_OK));
    if (was_running == 1)
        CHECK_ERROR(cuzk_engine_await(engine, cuzk_buffer_text(cancelled), 0, &proof, NULL, &error),
                    CUZK_CANCELLED, "cancelled", "");
    CHECK_ERROR(cuzk_engine_await(engine, cuzk_buffer_text(late), -1, &proof, NULL, &error), CUZK_TIMED_OUT,
                "timed-out", "");

    CHECK_OK(cuzk_engine_await(engine, cuzk_buffer_text(id), 600000, &proof, NULL, &error));
    CHECK(cuzk_buffer_size(proof) == 192);
    CHECK_OK(cuzk_engine_job(engine, cuzk_buffer_text(id), &json, &error));
    CHECK(strstr(cuzk_buffer_text(json), "\"state\":\"completed\"") != NULL);
    CHECK(strstr(cuzk_buffer_text(json), "\"partitions_done\":1") != NULL);
    cuzk_buffer_free(json);

    snprintf(options, sizeof options, "{\"params_folder\": \"%s/params\"}", oracle);
    CHECK_OK(cuzk_filecoin_verify(request.data, request.size, cuzk_buffer_data(proof),
                                  cuzk_buffer_size(proof), options, &error));
    CHECK_ERROR(cuzk_filecoin_verify(other.data, other.size, cuzk_buffer_data(proof), cuzk_buffer_size(proof),
                                     options, &error),
                CUZK_UNSATISFIED, "unsatisfied", "the proof is invalid");
    CHECK_ERROR(
        cuzk_filecoin_verify(request.data, request.size, cuzk_buffer_data(proof), 191, options, &error),
        CUZK_MALFORMED, "malformed", "proof: ");
    CHECK_ERROR(cuzk_filecoin_verify(request.data, request.size, cuzk_buffer_data(proof), 192,
                                     "{\"vk\": \"/nowhere/a.vk\"}", &error),
                CUZK_ENVIRONMENT, "environment", "/nowhere/a.vk");

    uint64_t freed = 0;
    CHECK_OK(cuzk_engine_stop(engine, 600000, &error));
    CHECK_OK(cuzk_engine_evict(engine, "wpost-2k", &freed, &error));
    CHECK(freed > 10u << 20);
    cuzk_buffer_free(proof);
    cuzk_buffer_free(id);
    cuzk_buffer_free(cancelled);
    cuzk_buffer_free(late);
    cuzk_engine_free(engine);
    free(request.data);
    free(other.data);
}

/* Who waits is told when the engine stops, and then it can be freed. */
void stop_wakes_waiters(void) {
    const char* oracle = oracle_folder();
    cuzk_error* error = NULL;
    char options[4096];
    snprintf(options, sizeof options,
             "{\"devices\": \"cpu\", \"params_folder\": \"%s/params\", \"host_budget\": 4294967296}", oracle);
    cuzk_engine* engine = start_engine(options);
    const File request = read_file(path_of(oracle, "wpost-2KiB", "request.json"));
    cuzk_buffer* id = submit(engine, request.data, request.size, NULL);
    Waiter waiter = {engine, cuzk_buffer_text(id), CUZK_OK};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, wait_for_ever, &waiter) == 0);
    CHECK_OK(cuzk_engine_stop(engine, 0, &error));
    CHECK(pthread_join(thread, NULL) == 0);
    /* OK if the proof was done before the engine was told to stop, on a machine that was busy with other things. */
    CHECK(waiter.status == CUZK_CANCELLED || waiter.status == CUZK_OK);
    cuzk_engine_free(engine);
    cuzk_buffer_free(id);
    free(request.data);
}
