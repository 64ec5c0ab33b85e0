/* cuzk as a library: the C ABI of libcuzk. docs/capi.md has the picture and examples in C and Python.
 *
 * What it offers
 *   cuzk_engine_*         the engine of the daemon in this process: Filecoin's proofs and registered circuits, with resident keys,
 *                         priorities, a journal
 *   cuzk_prover_*         one circom circuit: a .zkey kept ready, witnesses in, proof.json and public.json out
 *   cuzk_verify           any proof, with its verifying key and public inputs
 *   cuzk_filecoin_verify  the proof bytes of a Filecoin request or of what the chain records
 *
 * Conventions, for every function unless it says otherwise
 *   Result      A cuzk_status: CUZK_OK (0), or why not. The first codes are the exit codes of the command `cuzk`.
 *   Errors      The last argument, `error`, may be NULL. Where it is not, *error becomes NULL on CUZK_OK, else an error that the caller
 *               frees with cuzk_error_free. There is no "last error" of a thread: runtimes that move a caller from thread to thread
 *               between two calls (Go, async Python) would read another's.
 *   Outputs     Written on CUZK_OK; set to NULL or 0 otherwise. What a function hands out belongs to the caller, who frees it with the
 *               free function of its type. Every free function takes NULL and does nothing then.
 *   Inputs      Borrowed for the call alone. Bytes are a pointer and a length; where the length is 0 the pointer may be NULL. Strings
 *               end with NUL and are UTF-8; paths are the bytes that the file system takes.
 *   Options     A JSON object as a string, or NULL for the defaults. Unknown keys and bad values are CUZK_USAGE, with the key's name.
 *               Sizes are bytes, times milliseconds. New keys may come in any release; none changes its meaning.
 *   Threads     Every function may be called from any thread, also at the same time on the same handle; only a free function must be
 *               the last call on its handle. Calls that wait say so; they hold no lock meanwhile.
 *   Exceptions  None leaves the library. Out of memory is CUZK_ENVIRONMENT.
 *   Processes   After fork() a child must not call the library. The library installs no signal handler, prints nothing, reads the
 *               environment variables CUZK_ISA, CUZK_KEY_CACHE and FIL_PROOFS_PARAMETER_CACHE, and can not be unloaded safely
 *               (dlclose) once used. A thread that is inside a call must not be cancelled (pthread_cancel).
 *   Numbers     The bytes of Filecoin proofs are as on chain: 192 a partition, A (48 bytes), B (96), C (48), compressed, big-endian.
 *               Texts are snarkjs' JSON: decimal numbers.
 *
 * The ABI
 *   Opaque handles, integers of fixed width, pointers, and strings; no structure crosses the boundary, so none can change its size.
 *   Functions and status codes may be added: then CUZK_ABI_VERSION grows. None is removed or changed under the same soname,
 *   libcuzk.so.1. A caller that was compiled against version N runs with any library whose cuzk_abi_version() is at least N. */
#ifndef CUZK_H
#define CUZK_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CUZK_API __attribute__((visibility("default")))
#else
#define CUZK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions ---------------------------------------------------------------------------------------------------------------- */

#define CUZK_ABI_VERSION 1

/* The CUZK_ABI_VERSION of the library. */
CUZK_API uint32_t cuzk_abi_version(void);
/* The release, such as "0.1.0". Static. */
CUZK_API const char* cuzk_version(void);

/* ---- Status and errors ------------------------------------------------------------------------------------------------------- */

typedef int32_t cuzk_status;

#define CUZK_OK ((cuzk_status)0)
#define CUZK_UNSATISFIED \
    ((cuzk_status)1) /* the proof is invalid, or the witness does not satisfy the circuit */
#define CUZK_USAGE \
    ((cuzk_status)2) /* a call that makes no sense: NULL for a handle, an unknown option or name */
#define CUZK_MALFORMED ((cuzk_status)3) /* bytes that break their format, or of a kind that is not handled */
#define CUZK_ENVIRONMENT \
    ((cuzk_status)4) /* memory, device, disk, permissions, a file that is not there; a submission refused */
#define CUZK_INTERNAL ((cuzk_status)70) /* a fault of cuzk: please report it */
/* Of jobs alone; no exit code has these numbers. */
#define CUZK_RUNNING ((cuzk_status)100)     /* the wait is over and the job is not: it goes on */
#define CUZK_CANCELLED ((cuzk_status)101)   /* the job was cancelled, or its engine stopped */
#define CUZK_TIMED_OUT ((cuzk_status)102)   /* the job did not end within its own timeout */
#define CUZK_UNKNOWN_JOB ((cuzk_status)103) /* no such job, or its result is not kept any more */

typedef struct cuzk_error cuzk_error;

/* Of NULL: CUZK_OK. */
CUZK_API cuzk_status cuzk_error_status(const cuzk_error* error);
/* A word for programs, finer than the status: "unsatisfied", "usage", "malformed", "unsupported", "environment", "internal",
 * "draining", "queue-full", "client-limit", "journal" (the four: why a submission was refused), "running", "cancelled",
 * "timed-out", "unknown-job". More may come. Of NULL: "ok". Static. */
CUZK_API const char* cuzk_error_kind(const cuzk_error* error);
/* For people: what, where, why. Lives as long as the error. Of NULL: "". */
CUZK_API const char* cuzk_error_message(const cuzk_error* error);
CUZK_API void cuzk_error_free(cuzk_error* error);

/* ---- Buffers: what functions hand out ---------------------------------------------------------------------------------------- */

/* Bytes or text, immutable. A NUL that is not counted follows the last byte, so a text is a C string as it is. */
typedef struct cuzk_buffer cuzk_buffer;

CUZK_API const void* cuzk_buffer_data(const cuzk_buffer* buffer); /* of NULL: NULL */
CUZK_API size_t cuzk_buffer_size(const cuzk_buffer* buffer);      /* of NULL: 0 */
CUZK_API const char* cuzk_buffer_text(const cuzk_buffer* buffer); /* the data as a C string; of NULL: "" */
CUZK_API void cuzk_buffer_free(cuzk_buffer* buffer);

/* ---- The engine -------------------------------------------------------------------------------------------------------------- */

typedef struct cuzk_engine cuzk_engine;

/* Starts an engine, its workers and threads. Options (default):
 *   devices ("auto")      a name or an array of names: "cpu", "cuda" (all GPUs), "cuda:N", a GPU's UUID, "auto" (all GPUs, or the
 *                         processor where there is none)
 *   allow_cpu (true)      the processor proves where there is no GPU, and when none is left
 *   vram_limit (all)      memory of each GPU to stay within
 *   threads (all)         threads of parallel loops; limits the whole process while the engine lives
 *   params_folder         the .params and .vk files (FIL_PROOFS_PARAMETER_CACHE, or the network's default folder)
 *   key_cache ("use")     key caches (docs/formats.md): "use" them where they are, "make" them too, behind a key's first load, or "off"
 *   key_cache_folder      where they are (CUZK_KEY_CACHE, or beside the parameter files)
 *   journal_folder (none) accepted jobs outlive the process: the next engine on this folder takes them up
 *   circuits (none)       an array of objects, the circuits that cuzk_engine_submit_witness takes: id (1 to 64 of A-Z a-z 0-9 . _ -),
 *                         key (path of a .zkey or bellman's .params), r1cs (path; may be left out for a .zkey),
 *                         allow_insecure_key (false)
 *   and the limits that docs/engine.md explains: host_budget, host_margin, pinned_budget, critical_reserve, eviction_min_idle_ms,
 *   decode_workers, synthesis_workers, gpu_workers_per_device, pipeline_depth, max_jobs, max_request_bytes, max_jobs_per_client,
 *   max_results, max_result_bytes, result_retention_ms, max_proof_retries, max_device_retries
 * CUZK_ENVIRONMENT: a device or a file that is not there, a journal that can not be used. */
CUZK_API cuzk_status cuzk_engine_create(const char* options, cuzk_engine** engine, cuzk_error** error);

/* Stops at once (as cuzk_engine_stop with a timeout of 0, so stages under way are waited for) and frees. No other call may be under
 * way: where threads wait for jobs, cuzk_engine_stop makes them return, and then it can be freed. */
CUZK_API void cuzk_engine_free(cuzk_engine* engine);

/* Accepts a job; with a journal it is on disk when this returns. `request`: protobuf JSON of cuzk.v1.SubmitProofRequest
 * (docs/filecoin.md), or a C1 document. Options (default):
 *   request_id (the request's own, else a fresh one)   equal id and content join the job that is there
 *   priority (the request's own, else the kind's)      "low", "normal", "high", "critical"
 *   timeout_ms (none)                                  from submission to the end
 *   client ("")                                        who asks, for max_jobs_per_client and the status
 *   name ("request")                                   what messages call the request
 * *job_id becomes the job's id, a text. CUZK_MALFORMED: no request. CUZK_ENVIRONMENT: refused, see cuzk_error_kind. What is
 * wrong inside the request shows when the job is awaited. */
CUZK_API cuzk_status cuzk_engine_submit(cuzk_engine* engine, const void* request, size_t request_size,
                                        const char* options, cuzk_buffer** job_id, cuzk_error** error);

/* The same for a witness of a registered circuit, the bytes of a .wtns file. Options: request_id, priority, timeout_ms, client as
 * above, and
 *   encoding ("wtns")   "values": the value of every variable, the constant one first, 32 bytes each, canonical, little-endian
 * CUZK_USAGE: no such circuit. CUZK_MALFORMED: no witness of it. */
CUZK_API cuzk_status cuzk_engine_submit_witness(cuzk_engine* engine, const char* circuit_id,
                                                const void* witness, size_t witness_size, const char* options,
                                                cuzk_buffer** job_id, cuzk_error** error);

/* Waits until the job has ended, `timeout_ms` at most (0: only looks; negative: for ever). CUZK_OK: *proof is its verified proof, of a
 * Filecoin request 192 bytes a partition, of a registered circuit the text of proof.json; *public_json (may be NULL) is the text
 * of public.json, or NULL for a Filecoin request, whose public inputs follow from itself. CUZK_RUNNING, CUZK_CANCELLED, CUZK_TIMED_OUT, CUZK_UNKNOWN_JOB: as above. Any other status is why the
 * job failed. Several may wait for one job, and ask again; a waiter that gives up changes nothing. */
CUZK_API cuzk_status cuzk_engine_await(cuzk_engine* engine, const char* job_id, int64_t timeout_ms,
                                       cuzk_buffer** proof, cuzk_buffer** public_json, cuzk_error** error);

/* Ends an unfinished job, at once for its waiters. *was_running (may be NULL) becomes 1, or 0 if there was no such job. */
CUZK_API cuzk_status cuzk_engine_cancel(cuzk_engine* engine, const char* job_id, int32_t* was_running,
                                        cuzk_error** error);

/* The job as a JSON object: job_id, proof_kind, state ("queued", "running", "completed", "failed", "cancelled", "timed out"), phase,
 * partitions[], error, ...: the fields of GET /api/jobs and of its partitions (docs/api.md). CUZK_UNKNOWN_JOB. */
CUZK_API cuzk_status cuzk_engine_job(cuzk_engine* engine, const char* job_id, cuzk_buffer** json,
                                     cuzk_error** error);

/* The engine as a JSON object: the fields of GET /status (docs/api.md). */
CUZK_API cuzk_status cuzk_engine_status(cuzk_engine* engine, cuzk_buffer** json, cuzk_error** error);

/* Loads a circuit's key ("porep-32g", "wpost-2k", ...) and waits for it. CUZK_USAGE: unknown name; CUZK_ENVIRONMENT: can not be loaded. */
CUZK_API cuzk_status cuzk_engine_preload(cuzk_engine* engine, const char* circuit_id, cuzk_error** error);
/* Drops it. *freed_bytes (may be NULL) becomes what that gave back, 0 if it was not loaded. CUZK_ENVIRONMENT while jobs need it. */
CUZK_API cuzk_status cuzk_engine_evict(cuzk_engine* engine, const char* circuit_id, uint64_t* freed_bytes,
                                       cuzk_error** error);

/* Takes no new jobs from now on; accepted ones go on. */
CUZK_API cuzk_status cuzk_engine_drain(cuzk_engine* engine, cuzk_error** error);
/* Drains, waits `timeout_ms` at most (negative: for ever) for the jobs, then stops the workers: what is unfinished ends as cancelled
 * for its waiters, and stays open in a journal. Results can still be awaited. Idempotent. */
CUZK_API cuzk_status cuzk_engine_stop(cuzk_engine* engine, int64_t timeout_ms, cuzk_error** error);

/* ---- One circom circuit ------------------------------------------------------------------------------------------------------ */

typedef struct cuzk_prover cuzk_prover;

/* Maps and checks a .zkey (BN254 or BLS12-381) and keeps it ready. The file must stay as it is while the prover lives. Options (default):
 *   device ("cpu")              "cpu", "cuda", "cuda:N", a GPU's UUID, "auto"
 *   vram_limit (what is free)   memory of the GPU to stay within
 *   threads (all)               threads of parallel loops; limits the whole process while the prover lives
 *   r1cs (none)                 path of the circuit: names the constraint that a bad witness breaks
 *   allow_insecure_key (false)  use a key under which anyone can forge proofs; else that is CUZK_MALFORMED, "unsupported" */
CUZK_API cuzk_status cuzk_prover_open(const char* zkey_path, const char* options, cuzk_prover** prover,
                                      cuzk_error** error);
CUZK_API void cuzk_prover_free(cuzk_prover* prover);

/* Proves a witness, the bytes of a .wtns file; waits for the proof, which has been verified. The texts are snarkjs' proof.json and
 * public.json; `public_json` may be NULL. CUZK_UNSATISFIED: the witness does not satisfy the circuit; CUZK_MALFORMED: it is no
 * witness, not for this curve or circuit, or the key is damaged. */
CUZK_API cuzk_status cuzk_prover_prove(cuzk_prover* prover, const void* witness, size_t witness_size,
                                       cuzk_buffer** proof_json, cuzk_buffer** public_json,
                                       cuzk_error** error);
/* The same for a file, which is mapped. */
CUZK_API cuzk_status cuzk_prover_prove_file(cuzk_prover* prover, const char* witness_path,
                                            cuzk_buffer** proof_json, cuzk_buffer** public_json,
                                            cuzk_error** error);
/* The verifying key, snarkjs' verification_key.json. */
CUZK_API cuzk_status cuzk_prover_verifying_key(cuzk_prover* prover, cuzk_buffer** json, cuzk_error** error);

/* ---- Verifying --------------------------------------------------------------------------------------------------------------- */

/* CUZK_OK: the proof is valid. CUZK_UNSATISFIED: it is not, and *error says why. `key`: a verification_key.json, or the bytes of a
 * bellman .vk; `inputs`: a public.json; `proof`: a proof.json, or 192 bytes (BLS12-381). Either curve. Options (default):
 *   allow_insecure_key (false)   as for cuzk_prover_open */
CUZK_API cuzk_status cuzk_verify(const void* key, size_t key_size, const void* inputs, size_t inputs_size,
                                 const void* proof, size_t proof_size, const char* options,
                                 cuzk_error** error);

/* The same for proofs of a Filecoin statement, all its partitions together. `statement`: a claim (public data alone), a request with
 * its vanilla proofs, or a C1 document (docs/filecoin.md). Options (default):
 *   params_folder   the .vk files (FIL_PROOFS_PARAMETER_CACHE, or the network's default folder)
 *   vk (none)       path of the verifying key, instead */
CUZK_API cuzk_status cuzk_filecoin_verify(const void* statement, size_t statement_size, const void* proof,
                                          size_t proof_size, const char* options, cuzk_error** error);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_H */
