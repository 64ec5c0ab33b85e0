// What goes into the engine and what comes out: requests, tickets, results.
#pragma once

#include <chrono>
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

// kUnspecified and unknown numbers become the kind's own: WinningPoSt critical, WindowPoSt high, the others normal.
Priority effective_priority(u32 requested, filecoin::ProofKind kind);
const char* priority_name(Priority priority);  // "low", "normal", "high", "critical"

// "porep-c2", "snap-update", "window-post", "winning-post"
const char* kind_name(filecoin::ProofKind kind);
inline constexpr filecoin::ProofKind kAllKinds[] = {
    filecoin::ProofKind::kPorepSealCommit, filecoin::ProofKind::kSnapDealsUpdate,
    filecoin::ProofKind::kWindowPost, filecoin::ProofKind::kWinningPost};
inline std::size_t kind_index(filecoin::ProofKind kind) {
    return static_cast<std::size_t>(kind) - 1;
}

// A request as bytes: protobuf JSON of cuzk.v1.SubmitProofRequest, a C1 JSON, or Curio's wrapper of one.
struct RawRequest {
    std::vector<u8> json;
    std::string name = "request";  // for messages
};

struct JobRequest {
    // The caller's name for the request. Empty: the ProofRequest's own, and where that is empty too, a fresh one.
    std::string request_id;
    std::variant<filecoin::ProofRequest, RawRequest> content;
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
    std::vector<u8> proof;  // kCompleted: 192 bytes a partition, in order, each verified
    std::string error;      // kFailed, kCancelled, kTimedOut: why
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
