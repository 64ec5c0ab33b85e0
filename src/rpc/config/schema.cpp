#include "rpc/config/schema.hpp"

namespace cuzk::rpc {

std::vector<ConfigKey> config_keys(DaemonConfig& c) {
    return {
        {"daemon", "listen", "gRPC: \"host:port\", \"unix:///path\", or an array of them", &c.daemon.listen},
        {"daemon", "status_listen", "HTTP: dashboard, /status, /metrics, /trace; empty: off",
         &c.daemon.status_listen},
        {"daemon", "token_file", "bearer tokens, a line \"NAME TOKEN\" each", &c.daemon.token_file},
        {"daemon", "tls_certificate", "PEM file; with tls_key, TCP listeners speak TLS",
         &c.daemon.tls_certificate},
        {"daemon", "tls_key", "PEM file", &c.daemon.tls_key},
        {"daemon", "allow_insecure", "listen beyond loopback without TLS and tokens",
         &c.daemon.allow_insecure},
        {"daemon", "max_message_bytes", "largest gRPC message", &c.daemon.max_message_bytes},
        {"daemon", "max_jobs_per_client", "unfinished jobs of one client",
         CountKey{&c.daemon.max_jobs_per_client, 1, 1'000'000}},
        {"daemon", "max_bytes_per_client", "requests of one client's unfinished jobs",
         &c.daemon.max_bytes_per_client},
        {"daemon", "max_request_bytes", "requests of all clients' unfinished jobs",
         &c.daemon.max_request_bytes},
        {"daemon", "job_timeout", "of jobs that name none, from submission to the end; 0: none",
         &c.daemon.job_timeout},
        {"daemon", "max_job_timeout", "longest that a job may have; 0: any", &c.daemon.max_job_timeout},
        {"daemon", "shutdown_deadline", "how long SIGTERM lets accepted jobs go on",
         &c.daemon.shutdown_deadline},
        {"daemon", "keep_results", "how long a finished job's result can be asked for",
         &c.daemon.keep_results},
        {"daemon", "keep_results_count", "and how many at most",
         CountKey{&c.daemon.keep_results_count, 1, 10'000'000}},
        {"daemon", "journal", "folder that keeps accepted jobs over a restart; empty: none",
         &c.daemon.journal},

        {"srs", "param_cache", "folder of the parameter files; empty: FIL_PROOFS_PARAMETER_CACHE",
         &c.srs.param_cache},
        {"srs", "preload", "keys to load at start: \"porep-32g\", \"wpost-32g\", ...", &c.srs.preload},
        {"srs", "key_cache",
         "copies of keys that load at once: make them behind first loads, use those there, or off",
         ChoiceKey{&c.srs.key_cache, {"make", "use", "off"}}},
        {"srs", "key_cache_folder", "where they are; empty: CUZK_KEY_CACHE, or beside the parameter files",
         &c.srs.key_cache_folder},

        {"memory", "total_budget", "host memory to stay within; \"auto\": what there is, less the margin",
         &c.memory.total_budget},
        {"memory", "safety_margin", "left to others when the budget is \"auto\"", &c.memory.safety_margin},
        {"memory", "pinned_budget", "page-locked host memory", &c.memory.pinned_budget},
        {"memory", "vram_limit", "device memory to stay within, a GPU", &c.memory.vram_limit},
        {"memory", "eviction_min_idle", "a key is not dropped until it was idle for this long",
         &c.memory.eviction_min_idle},
        {"memory", "working_memory_budget", "", IdleKey{"working memory is planned within total_budget"}},

        {"gpus", "devices", "ordinals or UUIDs; empty: all", &c.gpus.devices},
        {"gpus", "gpu_threads", "",
         IdleKey{"all work shares one pool of threads, which synthesis.threads limits"}},
        {"gpus", "gpu_workers_per_device", "partitions under way on one GPU",
         CountKey{&c.gpus.gpu_workers_per_device, 1, 4}},
        {"gpus", "logical_devices_per_gpu", "use each GPU as so many, each with its part of the memory",
         CountKey{&c.gpus.logical_devices_per_gpu, 1, 8}},
        {"gpus", "allow_cpu", "prove on the processor where no GPU is left", &c.gpus.allow_cpu},

        {"scheduler", "max_batch_size", "",
         IdleKey{"partitions of all jobs share one queue: there are no batches"}},
        {"scheduler", "max_batch_wait_ms", "", IdleKey{"there are no batches to wait for"}},
        {"scheduler", "sort_by_type", "", IdleKey{"the oldest job of the highest priority is always next"}},

        {"synthesis", "threads", "threads of all computation on the processor; 0: all",
         CountKey{&c.synthesis.threads, 0, 4096}},
        {"synthesis", "partition_workers", "",
         IdleKey{"pipeline.max_parallel_synthesis limits what runs at once"}},

        {"pipeline", "max_parallel_synthesis",
         "partitions whose witnesses are computed at once; 0: by memory",
         CountKey{&c.pipeline.max_parallel_synthesis, 0, 1024}},
        {"pipeline", "max_gpu_queue_depth", "witnesses that wait for a GPU; 0: by the number of workers",
         CountKey{&c.pipeline.max_gpu_queue_depth, 0, 1024}},
        {"pipeline", "enabled", "", IdleKey{"every job goes by partitions, whatever its sector size"}},
        {"pipeline", "synthesis_lookahead", "", IdleKey{"pipeline.max_gpu_queue_depth bounds what is ahead"}},
        {"pipeline", "synthesis_concurrency", "", IdleKey{"requests are decoded beside one another"}},
        {"pipeline", "slot_size", "", IdleKey{"a slot is one partition"}},

        {"logging", "level", "trace, debug, info, warn or error",
         ChoiceKey{&c.logging.level, {"trace", "debug", "info", "warn", "error"}}},
        {"logging", "format", "text or json", ChoiceKey{&c.logging.format, {"text", "json"}}},
    };
}

std::vector<ConfigKey> circuit_keys(DaemonConfig::Circuit& c) {
    return {
        {"circuits", "id", "its name: letters, digits, dots, underscores, dashes", &c.id},
        {"circuits", "key", "proving key: .zkey, or bellman's .params with the circuit's .r1cs", &c.key},
        {"circuits", "r1cs", "the circuit: names the constraint that a bad witness breaks", &c.r1cs},
        {"circuits", "preload", "load the key at start", &c.preload},
        {"circuits", "allow_insecure_key", "take a key under which anyone can forge proofs",
         &c.allow_insecure_key},
    };
}

}  // namespace cuzk::rpc
