// cuzk_engine_*: the engine behind C functions.
#include <chrono>

#include "base/parallel.hpp"
#include "capi/handles.hpp"
#include "capi/options.hpp"
#include "engine/circuit_result.hpp"
#include "engine/circuit_work.hpp"
#include "engine/devices.hpp"
#include "engine/engine.hpp"
#include "engine/filecoin_work.hpp"
#include "engine/status_json.hpp"
#include "gpu/choose_backend.hpp"

struct cuzk_engine {  // NOLINT(readability-identifier-naming)
    std::optional<cuzk::ThreadLimit> threads;
    std::unique_ptr<cuzk::engine::Engine> engine;
};

namespace cuzk::capi {

namespace {

using engine::Clock;
using engine::Milliseconds;
using engine::TimePoint;

engine::DeviceChoice device_choice(Options& options) {
    engine::DeviceChoice choice;
    const auto names = options.texts("devices").value_or(std::vector<std::string>{"auto"});
    for (const std::string& name : names) {
        if (name == "auto" && names.size() > 1)
            throw Error(
                ErrorKind::kUsage,
                "options: devices: \"auto\" is the choice of all devices and stands alone, but here are "
                "other names beside it");
        if (name == "cpu") {
            choice.names.push_back(name);
        } else if (name == "cuda") {
            const auto cards = gpu::list_devices();
            if (cards.empty()) gpu::find_device("");  // says that there is none
            for (const gpu::DeviceInfo& card : cards) choice.names.push_back(card.uuid);
        } else if (name != "auto") {
            choice.names.push_back(*gpu::cuda_name(name));
        }
    }
    choice.allow_cpu = options.boolean("allow_cpu").value_or(true);
    options.set_number("vram_limit", choice.vram_limit);
    return choice;
}

void set_milliseconds(Options& options, const char* key, Milliseconds& target) {
    constexpr u64 kCentury = u64{100} * 366 * 24 * 3600 * 1000;
    if (const auto value = options.number(key, kCentury)) target = Milliseconds(*value);
}

engine::EngineConfig engine_config(Options& options) {
    engine::EngineConfig config;
    config.params_folder = options.text("params_folder").value_or("");
    config.journal_folder = options.text("journal_folder").value_or("");
    constexpr engine::KeyCaches kModes[] = {engine::KeyCaches::kOff, engine::KeyCaches::kUse,
                                            engine::KeyCaches::kMake};
    if (const auto mode = options.choice("key_cache", {"off", "use", "make"}))
        config.key_caches = kModes[*mode];
    config.key_cache_folder = options.text("key_cache_folder").value_or("");
    options.set_number("host_budget", config.host_budget);
    options.set_number("host_margin", config.host_margin);
    options.set_number("pinned_budget", config.pinned_budget);
    options.set_number("critical_reserve", config.critical_reserve);
    set_milliseconds(options, "eviction_min_idle_ms", config.eviction_min_idle);
    options.set_number("decode_workers", config.decode_workers);
    options.set_number("synthesis_workers", config.synthesis_workers);
    options.set_number("gpu_workers_per_device", config.gpu_workers_per_device);
    options.set_number("pipeline_depth", config.pipeline_depth);
    options.set_number("max_jobs", config.max_jobs);
    options.set_number("max_request_bytes", config.max_request_bytes);
    options.set_number("max_jobs_per_client", config.max_jobs_per_client);
    options.set_number("max_results", config.max_results);
    options.set_number("max_result_bytes", config.max_result_bytes);
    set_milliseconds(options, "result_retention_ms", config.result_retention);
    options.set_number("max_proof_retries", config.max_proof_retries);
    options.set_number("max_device_retries", config.max_device_retries);
    config.check();
    return config;
}

std::vector<engine::CircuitSpec> circuit_specs(Options& options) {
    std::vector<engine::CircuitSpec> specs;
    for (Options& entry : options.objects("circuits")) {
        engine::CircuitSpec spec;
        spec.id = entry.text("id").value_or("");
        spec.key = entry.text("key").value_or("");
        spec.r1cs = entry.text("r1cs").value_or("");
        spec.allow_insecure_key = entry.boolean("allow_insecure_key").value_or(false);
        entry.finish();
        specs.push_back(std::move(spec));
    }
    return specs;
}

std::unique_ptr<cuzk_engine> create(const char* text) {
    Options options(text);
    const engine::EngineConfig config = engine_config(options);
    engine::DeviceChoice choice = device_choice(options);
    const auto threads = options.number("threads", 4096);
    const std::vector<engine::CircuitSpec> circuits = circuit_specs(options);
    options.finish();

    auto handle = std::make_unique<cuzk_engine>();
    if (threads) handle->threads.emplace(*threads);
    engine::CircuitRegistry registry;
    for (const engine::CircuitSpec& circuit : circuits) registry.add(circuit);
    choice.bn254_memory = registry.bn254_device_memory();
    std::vector<engine::DeviceSpec> devices = engine::make_devices(choice);
    auto workload = engine::make_circuit_workload(
        std::move(registry),
        engine::make_filecoin_workload(config.params_folder, config.key_caches, config.key_cache_folder));
    handle->engine = std::make_unique<engine::Engine>(config, std::move(workload), std::move(devices));
    return handle;
}

// What all jobs may say of themselves.
engine::JobRequest job_request(Options& options) {
    engine::JobRequest request;
    request.request_id = options.text("request_id").value_or("");
    if (const auto priority = options.choice("priority", {"low", "normal", "high", "critical"}))
        request.priority = static_cast<engine::Priority>(*priority + 1);
    set_milliseconds(options, "timeout_ms", request.timeout);
    request.client = options.text("client").value_or("");
    return request;
}

engine::JobRequest filecoin_request(const ByteSource& content, const char* text) {
    Options options(text);
    engine::JobRequest request = job_request(options);
    request.content = engine::RawRequest{{content.bytes.begin(), content.bytes.end()},
                                         options.text("name").value_or("request")};
    options.finish();
    return request;
}

engine::JobRequest circuit_request(std::string circuit_id, const ByteSource& witness, const char* text) {
    using Encoding = engine::CircuitRequest::Encoding;
    Options options(text);
    engine::JobRequest request = job_request(options);
    const bool values = options.choice("encoding", {"wtns", "values"}).value_or(0) == 1;
    options.finish();
    request.content = engine::CircuitRequest{std::move(circuit_id),
                                             values ? Encoding::kValues : Encoding::kWtns,
                                             {witness.bytes.begin(), witness.bytes.end()}};
    return request;
}

// None for a negative timeout, or one beyond what the clock can count to.
std::optional<TimePoint> deadline_after(int64_t timeout_ms) {
    constexpr int64_t kCentury = int64_t{100} * 366 * 24 * 3600 * 1000;
    if (timeout_ms < 0 || timeout_ms > kCentury) return std::nullopt;
    return Clock::now() + Milliseconds(timeout_ms);
}

[[noreturn]] void unknown_job(const std::string& id) {
    throw JobAnswer(CUZK_UNKNOWN_JOB, "unknown-job",
                    "no job '" + id + "' is known, or its result is not kept any more");
}

// Of a job that has ended well; throws for any other.
engine::JobResult await(engine::Engine& engine, const std::string& id, int64_t timeout_ms) {
    engine::AwaitResult answer = engine.await(id, deadline_after(timeout_ms));
    using Kind = engine::AwaitResult::Kind;
    if (answer.kind == Kind::kUnknownJob) unknown_job(id);
    if (answer.kind == Kind::kStillRunning)
        throw JobAnswer(CUZK_RUNNING, "running", "job '" + id + "' has not ended yet");
    engine::JobResult& result = answer.result;
    switch (result.state) {
        case engine::JobState::kCompleted: return std::move(result);
        case engine::JobState::kCancelled: throw JobAnswer(CUZK_CANCELLED, "cancelled", result.error);
        case engine::JobState::kTimedOut: throw JobAnswer(CUZK_TIMED_OUT, "timed-out", result.error);
        case engine::JobState::kFailed: throw Error(result.error_kind, result.error);
        default: break;
    }
    throw Error(ErrorKind::kInternal, "a job that has ended is " + std::string(state_name(result.state)));
}

struct ProofBuffers {
    std::unique_ptr<cuzk_buffer> proof, inputs;  // inputs: null for Filecoin's, which follow from the request
};

ProofBuffers proof_buffers(const engine::JobResult& result) {
    if (result.kind != engine::JobKind::kCircuit)
        return {make_buffer(std::string(result.proof.begin(), result.proof.end())), nullptr};
    engine::CircuitTexts texts = engine::circuit_texts(result);
    return {make_buffer(std::move(texts.proof)), make_buffer(std::move(texts.inputs))};
}

// Names of files in messages may hold any bytes; they become valid UTF-8 here.
std::unique_ptr<cuzk_buffer> json_buffer(const nlohmann::ordered_json& json) {
    return make_buffer(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

}  // namespace cuzk::capi

using namespace cuzk::capi;  // NOLINT(google-build-using-namespace): below are the functions of cuzk.h alone

extern "C" {

cuzk_status cuzk_engine_create(const char* options, cuzk_engine** engine, cuzk_error** error) {
    if (engine != nullptr) *engine = nullptr;
    return guarded(error, [&] {
        required(engine, "engine");
        *engine = create(options).release();
    });
}

void cuzk_engine_free(cuzk_engine* engine) {
    delete engine;
}

cuzk_status cuzk_engine_submit(cuzk_engine* engine, const void* request, size_t request_size,
                               const char* options, cuzk_buffer** job_id, cuzk_error** error) {
    if (job_id != nullptr) *job_id = nullptr;
    return guarded(error, [&] {
        required(job_id, "job_id");
        cuzk::engine::Engine& target = *required(engine, "engine").engine;
        auto job = filecoin_request(borrowed(request, request_size, "request"), options);
        *job_id = make_buffer(target.submit(std::move(job)).job_id).release();
    });
}

cuzk_status cuzk_engine_submit_witness(cuzk_engine* engine, const char* circuit_id, const void* witness,
                                       size_t witness_size, const char* options, cuzk_buffer** job_id,
                                       cuzk_error** error) {
    if (job_id != nullptr) *job_id = nullptr;
    return guarded(error, [&] {
        required(job_id, "job_id");
        cuzk::engine::Engine& target = *required(engine, "engine").engine;
        auto job = circuit_request(required_text(circuit_id, "circuit_id"),
                                   borrowed(witness, witness_size, "witness"), options);
        *job_id = make_buffer(target.submit(std::move(job)).job_id).release();
    });
}

cuzk_status cuzk_engine_await(cuzk_engine* engine, const char* job_id, int64_t timeout_ms,
                              cuzk_buffer** proof, cuzk_buffer** public_json, cuzk_error** error) {
    if (proof != nullptr) *proof = nullptr;
    if (public_json != nullptr) *public_json = nullptr;
    return guarded(error, [&] {
        required(proof, "proof");
        cuzk::engine::Engine& target = *required(engine, "engine").engine;
        const auto result = await(target, required_text(job_id, "job_id"), timeout_ms);
        ProofBuffers buffers = proof_buffers(result);
        if (public_json != nullptr) *public_json = buffers.inputs.release();
        *proof = buffers.proof.release();
    });
}

cuzk_status cuzk_engine_cancel(cuzk_engine* engine, const char* job_id, int32_t* was_running,
                               cuzk_error** error) {
    if (was_running != nullptr) *was_running = 0;
    return guarded(error, [&] {
        const bool ran = required(engine, "engine").engine->cancel(required_text(job_id, "job_id"));
        if (was_running != nullptr) *was_running = ran ? 1 : 0;
    });
}

cuzk_status cuzk_engine_job(cuzk_engine* engine, const char* job_id, cuzk_buffer** json, cuzk_error** error) {
    if (json != nullptr) *json = nullptr;
    return guarded(error, [&] {
        required(json, "json");
        const std::string id = required_text(job_id, "job_id");
        const auto job = required(engine, "engine").engine->job(id);
        if (!job) unknown_job(id);
        *json = json_buffer(cuzk::engine::job_json(*job)).release();
    });
}

cuzk_status cuzk_engine_status(cuzk_engine* engine, cuzk_buffer** json, cuzk_error** error) {
    if (json != nullptr) *json = nullptr;
    return guarded(error, [&] {
        required(json, "json");
        *json = json_buffer(cuzk::engine::status_json(required(engine, "engine").engine->status())).release();
    });
}

cuzk_status cuzk_engine_preload(cuzk_engine* engine, const char* circuit_id, cuzk_error** error) {
    return guarded(
        error, [&] { required(engine, "engine").engine->preload(required_text(circuit_id, "circuit_id")); });
}

cuzk_status cuzk_engine_evict(cuzk_engine* engine, const char* circuit_id, uint64_t* freed_bytes,
                              cuzk_error** error) {
    if (freed_bytes != nullptr) *freed_bytes = 0;
    return guarded(error, [&] {
        const auto result = required(engine, "engine").engine->evict(required_text(circuit_id, "circuit_id"));
        if (freed_bytes != nullptr) *freed_bytes = result.freed_bytes;
    });
}

cuzk_status cuzk_engine_drain(cuzk_engine* engine, cuzk_error** error) {
    return guarded(error, [&] { required(engine, "engine").engine->drain(); });
}

cuzk_status cuzk_engine_stop(cuzk_engine* engine, int64_t timeout_ms, cuzk_error** error) {
    return guarded(error, [&] {
        constexpr auto kForEver = std::chrono::hours(24) * 366 * 100;
        required(engine, "engine").engine->stop(deadline_after(timeout_ms).value_or(Clock::now() + kForEver));
    });
}

}  // extern "C"
