#include "engine/types.hpp"

#include "engine/status.hpp"

namespace cuzk::engine {

Priority effective_priority(u32 requested, JobKind kind) {
    if (requested >= static_cast<u32>(Priority::kLow) && requested <= static_cast<u32>(Priority::kCritical))
        return static_cast<Priority>(requested);
    switch (kind) {
        case JobKind::kWinningPost: return Priority::kCritical;
        case JobKind::kWindowPost: return Priority::kHigh;
        case JobKind::kPorepSealCommit:
        case JobKind::kSnapDealsUpdate:
        case JobKind::kCircuit: break;
    }
    return Priority::kNormal;
}

const char* priority_name(Priority priority) {
    switch (priority) {
        case Priority::kLow: return "low";
        case Priority::kHigh: return "high";
        case Priority::kCritical: return "critical";
        case Priority::kNormal:
        case Priority::kUnspecified: break;
    }
    return "normal";
}

const char* kind_name(JobKind kind) {
    switch (kind) {
        case JobKind::kPorepSealCommit: return "porep-c2";
        case JobKind::kSnapDealsUpdate: return "snap-update";
        case JobKind::kWindowPost: return "window-post";
        case JobKind::kWinningPost: return "winning-post";
        case JobKind::kCircuit: break;
    }
    return "circuit";
}

const char* state_name(JobState state) {
    switch (state) {
        case JobState::kQueued: return "queued";
        case JobState::kRunning: return "running";
        case JobState::kCompleted: return "completed";
        case JobState::kFailed: return "failed";
        case JobState::kCancelled: return "cancelled";
        case JobState::kTimedOut: break;
    }
    return "timed out";
}

const char* partition_state_name(PartitionState state) {
    switch (state) {
        case PartitionState::kPending: return "pending";
        case PartitionState::kSynthesizing: return "synthesizing";
        case PartitionState::kSynthesized: return "synth_done";
        case PartitionState::kProving: return "gpu";
        case PartitionState::kDone: return "done";
        case PartitionState::kFailed: break;
    }
    return "failed";
}

const char* tier_name(KeyTier tier) {
    switch (tier) {
        case KeyTier::kHot: return "hot";
        case KeyTier::kPinned: return "pinned";
        case KeyTier::kMapped: return "mapped";
        case KeyTier::kCold: break;
    }
    return "cold";
}

}  // namespace cuzk::engine
