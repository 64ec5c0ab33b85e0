// What happens when memory, a device or a proof fails: the partition goes on elsewhere, or its job ends with the reason.
#include <algorithm>
#include <limits>

#include "engine/engine_impl.hpp"

namespace cuzk::engine {

namespace {

const char* fault_name(DeviceFault fault) {
    switch (fault) {
        case DeviceFault::kOutOfMemory: return "out of memory";
        case DeviceFault::kBadProof: return "bad proof";
        case DeviceFault::kBadKey: return "bad key";
        case DeviceFault::kLost: break;
    }
    return "lost";
}

}  // namespace

// Whether a device should leave this work to others. If it failed wherever its key is, or will be soon, it may try again there.
bool Engine::Impl::avoided(const DeviceWork& work, u32 device) const {
    if (!work.avoid.contains(device)) return false;
    const std::vector<u32> targets = pool_.targets();
    return std::any_of(targets.begin(), targets.end(), [&](u32 d) {
        return !work.avoid.contains(d) && keys_->expected_on(work.circuit_id, d);
    });
}

void Engine::Impl::requeue(DeviceWork work) {
    const WorkKey key = work.job->key(work.partition);
    const JobPtr job = work.job;
    device_queue_.push(key, std::move(work));
    // A job that ended between the caller's look at it and the push has been swept from the queue before; sweep again.
    if (!table_.unfinished(job)) device_queue_.remove_if([&](const DeviceWork& w) { return w.job == job; });
}

void Engine::Impl::retire(u32 device, const std::string& reason) {
    if (!pool_.retire(device, reason)) return;
    note_error("", "device " + std::to_string(device) + " (" + pool_.device(device).name() +
                       ") is retired: " + reason);
    keys_->drop_device(device);
    device_queue_.poke();
}

void Engine::Impl::device_failed(u32 device, DeviceWork work, DeviceFault fault, const std::string& message) {
    const JobPtr job = work.job;
    const Labels of_device = {{"device", std::to_string(device)}};
    metrics_.add("cuzk_device_failures_total",
                 {{"device", std::to_string(device)}, {"fault", fault_name(fault)}});
    note_error(job->id, "device " + std::to_string(device) + ", partition " + std::to_string(work.partition) +
                            ": " + fault_name(fault) + ": " + message);

    bool give_up = false;
    const bool running = table_.update(job, [&](Job& j) {
        Partition& p = j.partitions[work.partition];
        p.state = PartitionState::kSynthesized;
        if (fault == DeviceFault::kBadProof)
            give_up = ++p.bad_proofs > config_.max_proof_retries;
        else
            give_up = ++p.device_faults > config_.max_device_retries;
        if (give_up) p.state = PartitionState::kFailed;
    });

    switch (fault) {
        case DeviceFault::kBadProof:
            metrics_.add("cuzk_selfcheck_failures_total", of_device);
            work.avoid.insert(device);
            work.wrong_on.insert(device);
            break;
        case DeviceFault::kBadKey:  // no device is to blame, and the key is on its way again
            metrics_.add("cuzk_selfcheck_failures_total", of_device);
            break;
        case DeviceFault::kOutOfMemory: {
            // Less beside it, first; where it was alone, somewhere else.
            const bool shrunk = pool_.shrink(device);
            if (!shrunk) work.avoid.insert(device);
            keys_->evict_idle(device_spaces_[device].value_or(host_space_), std::numeric_limits<u64>::max(),
                              true);
            break;
        }
        case DeviceFault::kLost:
            work.avoid.insert(device);
            retire(device, message);
            break;
    }
    if (!running) return;
    if (give_up)
        return fail_job(job,
                        job->id + ": partition " + std::to_string(work.partition) +
                            " failed too often, at last with: " + message,
                        ErrorKind::kEnvironment);
    metrics_.add("cuzk_partition_retries_total", {{"reason", fault_name(fault)}});
    requeue(std::move(work));
}

// Synthesis ran out of host memory in spite of the plan: caches go, and the partition starts again.
void Engine::Impl::synthesis_out_of_memory(const PartitionWork& work) {
    keys_->evict_idle(host_space_, std::numeric_limits<u64>::max(), true);
    bool give_up = false;
    if (!table_.update(work.job, [&](Job& j) {
            Partition& p = j.partitions[work.partition];
            p.state = PartitionState::kPending;
            give_up = ++p.device_faults > config_.max_device_retries;
        }))
        return;
    if (give_up)
        return fail_job(work.job,
                        work.job->id + ": partition " + std::to_string(work.partition) +
                            ": not enough host memory for synthesis",
                        ErrorKind::kEnvironment);
    metrics_.add("cuzk_partition_retries_total", {{"reason", "synthesis out of memory"}});
    synthesis_queue_.push(work.job->key(work.partition), work);
}

}  // namespace cuzk::engine
