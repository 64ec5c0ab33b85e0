// What goes into the engine and what comes out: requests, tickets, results.
#pragma once

#include <chrono>
#include <iterator>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"
#include "filecoin/vanilla/request.hpp"

namespace cuzk::engine {

// All times of the engine are monotonic: a changed wall clock moves no deadline.
using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;
using Milliseconds = std::chrono::milliseconds;

// The numbers are those of cuzk.v1.Priority. Order of service: kCritical first.
enum class Priority : u8 { kUnspecified = 0, kLow = 1, kNormal = 2, kHigh = 3, kCritical = 4 };

// What a job proves: Filecoin's kinds under their numbers of cuzk.v1.ProofKind, and registered circuits.
enum class JobKind : u8 {
    kPorepSealCommit = 1,
    kSnapDealsUpdate = 2,
    kWindowPost = 3,
    kWinningPost = 4,
    kCircuit = 5
};
inline constexpr JobKind kAllKinds[] = {JobKind::kPorepSealCommit, JobKind::kSnapDealsUpdate,
                                        JobKind::kWindowPost, JobKind::kWinningPost, JobKind::kCircuit};
inline constexpr std::size_t kKinds = std::size(kAllKinds);
constexpr JobKind job_kind(filecoin::ProofKind kind) {
    return static_cast<JobKind>(kind);
}
constexpr std::size_t kind_index(JobKind kind) {
    return static_cast<std::size_t>(kind) - 1;
}
// "porep-c2", "snap-update", "window-post", "winning-post", "circuit"
const char* kind_name(JobKind kind);

// kUnspecified and unknown numbers become the kind's own: WinningPoSt critical, WindowPoSt high, the others normal.
Priority effective_priority(u32 requested, JobKind kind);
const char* priority_name(Priority priority);  // "low", "normal", "high", "critical"

// A request as bytes: protobuf JSON of cuzk.v1.SubmitProofRequest, a C1 JSON, or Curio's wrapper of one.
struct RawRequest {
    std::vector<u8> json;
    std::string name = "request";  // for messages
};

// A witness for a registered circuit (circuit_work.hpp).
struct CircuitRequest {
    enum class Encoding : u8 {
        kWtns = 1,  // a snarkjs witness file
        kValues =
            2  // the value of every variable, the constant one first: 32 bytes each, canonical, little-endian
    };
    std::string circuit_id;
    Encoding encoding = Encoding::kWtns;
    std::vector<u8> witness;
};

// What a job is about, once it is understood.
using JobContent = std::variant<filecoin::ProofRequest, CircuitRequest>;

struct JobRequest {
    // The caller's name for the request. Empty: the ProofRequest's own, and where that is empty too, a fresh one.
    std::string request_id;
    std::variant<filecoin::ProofRequest, RawRequest, CircuitRequest> content;
    Priority priority = Priority::kUnspecified;  // kUnspecified: the ProofRequest's, else the kind's
    Milliseconds timeout{0};                     // from submission to the end; 0: none
    std::string client;                          // for limits and status: an address, a token's name
};

struct Ticket {
    std::string job_id;
    u32 queue_position = 0;  // unfinished jobs that come before this one
    bool joined = false;     // a running or finished job of the same id and content
};

enum class JobState : u8 { kQueued, kRunning, kCompleted, kFailed, kCancelled, kTimedOut };
constexpr bool is_final(JobState state) {
    return state >= JobState::kCompleted;
}
const char* state_name(JobState state);  // "queued", "running", "completed", ...

// Milliseconds. Sums over partitions where several ran (they may exceed `total`).
struct JobTimings {
    u64 queue_wait = 0;   // submission to the first stage of work
    u64 key_load = 0;     // waiting for keys; 0 if they were resident
    u64 synthesis = 0;    // sum
    u64 gpu_compute = 0;  // sum
    u64 total = 0;        // submission to the end
};

struct JobResult {
    std::string job_id;
    JobState state = JobState::kQueued;
    JobKind kind{};          // in results of the engine itself: the services do not transmit it
    std::string circuit_id;  // empty if the job ended before its request was decoded
    std::vector<u8>
        proof;  // kCompleted: 192 bytes a partition, in order, each verified; 256 bytes over BN254
    // kCompleted, registered circuits only: without the constant one, 32 bytes each, canonical, little-endian.
    std::vector<u8> public_inputs;
    std::string error;                            // kFailed, kCancelled, kTimedOut: why
    ErrorKind error_kind = ErrorKind::kInternal;  // kFailed only
    JobTimings timings;
};

// The answer of await: exactly one of the three.
struct AwaitResult {
    enum class Kind { kUnknownJob, kStillRunning, kDone };
    Kind kind = Kind::kUnknownJob;
    JobResult result;  // kDone only
};

// Why a submission was not accepted. Nothing of a refused job is kept.
enum class Refusal {
    kDraining,     // the engine takes no new jobs
    kQueueFull,    // jobs or bytes of the whole engine
    kClientLimit,  // jobs of this client
    kJournal,      // the job could not be made safe on disk
};

// Thrown by Engine::submit beside the errors of a malformed request. Its kind is kEnvironment.
class RefusedError : public Error {
public:
    RefusedError(Refusal reason, const std::string& message)
        : Error(ErrorKind::kEnvironment, message), reason_(reason) {}
    Refusal reason() const noexcept { return reason_; }

private:
    Refusal reason_;
};

}  // namespace cuzk::engine
