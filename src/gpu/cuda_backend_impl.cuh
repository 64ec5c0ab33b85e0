// Included by cuda_backend.cuh: keys, memory and turns.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "gpu/check.hpp"

namespace cuzk::gpu {

template <class C>
CudaBackend<C>::CudaBackend(const BackendOptions& options)
    : options_(options), device_(find_device(options.device)) {
    for (const std::string& name : options.helpers) {
        helpers_.push_back(find_device(name));
        if (helpers_.back().index == device_.index)
            throw Error(ErrorKind::kUsage, "the helpers name " + device_.uuid +
                                               ", which is the device that proves: name others");
        for (std::size_t i = 0; i + 1 < helpers_.size(); ++i)
            if (helpers_[i].index == helpers_.back().index)
                throw Error(ErrorKind::kUsage,
                            "the helpers name the device " + helpers_[i].uuid + " twice: name each once");
    }
    const CurrentDevice current(device_.index);
    on_ = std::make_unique<Device>();
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    // Of what is free now a little stays free: the driver loads code when it is first used.
    constexpr std::size_t kMargin = std::size_t{300} << 20;
    const std::size_t most = free > kMargin ? free - kMargin : 0;
    limit_ = options.memory_limit == 0
                 ? most
                 : std::min<std::size_t>(
                       most, options.memory_limit > kDriverBytes ? options.memory_limit - kDriverBytes : 0);
}

template <class C>
CudaBackend<C>::~CudaBackend() {
    // Memory of a lost device can not be given back, and need not be.
    forget(cudaSetDevice(device_.index));
    keys_.clear();
    on_.reset();
}

template <class C>
std::size_t CudaBackend<C>::available() const {
    std::size_t used = 0;
    const std::lock_guard lock(keys_mutex_);
    for (const auto& [handle, key] : keys_)
        if (key.placed) used += key.placed->arena.size();
    return limit_ > used ? limit_ - used : 0;
}

template <class C>
void CudaBackend<C>::drop_working() {
    on_->working.reset();
    working_bytes_ = 0;
}

// An arena for proofs of this many bytes at least.
template <class C>
void CudaBackend<C>::make_room(std::size_t bytes) {
    if (on_->working && on_->working->size() >= bytes) return;
    drop_working();
    on_->working = std::make_unique<Arena>(device_.index, bytes);
    working_bytes_ = bytes;
}

template <class C>
std::shared_ptr<DeviceKey<C>> CudaBackend<C>::make_key(const std::shared_ptr<const ProvingKey<C>>& key,
                                                       const MemoryPlan& plan) {
    const auto make = [&](const Key* other) {
        return std::make_shared<Key>(key, plan, device_.index, options_.pinned_keys, on_->uploader,
                                     on_->stream, other);
    };
    if (!plan.resident) return make(nullptr);
    std::shared_ptr<Key> made;
    if (options_.exchange) {
        for (const KeyExchange::Place& place : options_.exchange->find(key.get())) {
            try {
                made = make(static_cast<const Key*>(place.key.get()));
                break;
            } catch (const OutOfDeviceMemory&) {
                throw;
            } catch (const DeviceFailure&) {
                // The other device, or the way from it: there may be a third, and the host has the key too.
                continue;
            }
        }
    }
    if (!made) made = make(nullptr);
    if (!helpers_.empty()) {
        std::vector<int> devices;
        for (const DeviceInfo& helper : helpers_) devices.push_back(helper.index);
        made->shared_h.emplace(made->h.resident(), device_.index, devices);
    }
    if (options_.exchange) options_.exchange->offer(key.get(), device_.index, made);
    return made;
}

template <class C>
std::shared_ptr<DeviceKey<C>> CudaBackend<C>::place(std::shared_ptr<const ProvingKey<C>> key,
                                                    bool may_be_resident) {
    const ProofSizes sizes = Key::sizes(*key);
    const std::size_t room = available();
    const MemoryPlan plan =
        plan_memory(sizes, kScratch, room, may_be_resident, key->name,
                    options_.piece_points == 0 ? kMostPiecePoints : options_.piece_points);
    // The arena of proofs serves all keys: it only grows while they are there.
    const bool fits = plan.key + std::max<std::size_t>(plan.working, working_bytes_) <= room;
    if (fits || !plan.resident) {
        try {
            make_room(plan.working);
            return make_key(key, plan);
        } catch (const OutOfDeviceMemory&) {
            if (!plan.resident) throw;
        }
    }
    return place(std::move(key), false);
}

template <class C>
KeyHandle CudaBackend<C>::load(std::shared_ptr<const ProvingKey<C>> key, Progress* progress) {
    check_shape(*key);
    const Turn::Holder turn = turn_.take();
    const CurrentDevice current(device_.index);
    report_progress(progress, "key to the device", 0, 1);
    auto placed = place(key, options_.resident_keys);
    report_progress(progress, "key to the device", 1, 1);
    const std::lock_guard lock(keys_mutex_);
    const KeyHandle handle{next_handle_++};
    keys_.emplace(handle, Loaded{std::move(key), std::move(placed)});
    return handle;
}

template <class C>
void CudaBackend<C>::evict(KeyHandle handle) {
    // Memory is given back whether or not the device can still be made current.
    const Turn::Holder turn = turn_.take();
    Loaded last;
    bool none_left = false;
    {
        const std::lock_guard lock(keys_mutex_);
        const auto it = keys_.find(handle);
        if (it == keys_.end()) throw Error(ErrorKind::kUsage, "no such key is loaded");
        last = std::move(it->second);
        keys_.erase(it);
        none_left = keys_.empty();
    }
    take_away(std::move(last.placed));
    if (none_left) drop_working();
}

template <class C>
std::shared_ptr<const ProvingKey<C>> CudaBackend<C>::find(KeyHandle handle) const {
    const std::lock_guard lock(keys_mutex_);
    const auto it = keys_.find(handle);
    if (it == keys_.end()) throw Error(ErrorKind::kUsage, "no such key is loaded");
    return it->second.host;
}

// Frees the key's memory on the device. Another device that copies from it is waited for: memory that is not free must not be planned with.
template <class C>
void CudaBackend<C>::take_away(std::shared_ptr<Key> key) {
    if (!key) return;
    if (options_.exchange) options_.exchange->withdraw(key.get());
    while (key.use_count() > 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// The key on the device; placed anew where it is not there or, being resident, must not be.
template <class C>
std::shared_ptr<DeviceKey<C>> CudaBackend<C>::placed(KeyHandle handle, bool may_be_resident) {
    std::shared_ptr<const ProvingKey<C>> host = find(handle);
    std::shared_ptr<Key> taken;
    {
        const std::lock_guard lock(keys_mutex_);
        std::shared_ptr<Key>& key = keys_[handle].placed;
        if (key && (may_be_resident || !key->plan.resident)) return key;
        taken = std::move(key);
    }
    take_away(std::move(taken));
    std::shared_ptr<Key> key = place(std::move(host), may_be_resident);
    const std::lock_guard lock(keys_mutex_);
    return keys_[handle].placed = std::move(key);
}

template <class C>
void CudaBackend<C>::take_pieces(const Key& key, PieceBuffers& buffers) {
    buffers.device = device_.index;
    buffers.uploader = &on_->prefetcher;
    buffers.stream = &on_->copies;
    buffers.prefetch = options_.prefetch;
    if (key.plan.resident) return;
    for (auto& memory : buffers.memory)
        memory = on_->working->template take<u8>(key.plan.piece * sizeof(Affine<G1>), "pieces of a key");
    key.h.prefetch(buffers);
}

template <class C>
template <class Work>
Sums<C> CudaBackend<C>::on_device(KeyHandle handle, const Work& work) {
    const Turn::Holder turn = turn_.take();
    const CurrentDevice current(device_.index);
    bool resident = false;
    const auto attempt = [&](bool may_be_resident) {
        const std::shared_ptr<Key> key = placed(handle, may_be_resident);
        resident = key->plan.resident;
        make_room(key->plan.working);
        const Arena::Scope scope(*on_->working);
        try {
            return work(*key);
        } catch (...) {
            // Memory of this scope, and of the caller, may still be read by what is queued.
            for (const Stream* stream : {&on_->stream, &on_->copies, &on_->rows})
                forget(cudaStreamSynchronize(stream->get()));
            for (const Stream& lane : on_->lanes) forget(cudaStreamSynchronize(lane.get()));
            throw;
        }
    };
    try {
        return attempt(options_.resident_keys);
    } catch (const OutOfDeviceMemory&) {
        if (!resident) throw;
    }
    // Somebody else has taken memory of the device, or the plan was too tight: go on without the resident points.
    drop_working();
    return attempt(false);
}

template <class C>
std::vector<MemoryReport> CudaBackend<C>::memory() const {
    MemoryReport report{"device " + device_.uuid, 0, 0, 0};
    report.working = working_bytes_;
    report.working_peak = working_peak_;
    const std::lock_guard lock(keys_mutex_);
    for (const auto& [handle, key] : keys_)
        if (key.placed) report.keys += key.placed->arena.size();
    std::vector<MemoryReport> reports{report};
    for (const DeviceInfo& helper : helpers_) {
        MemoryReport shares{"device " + helper.uuid, 0, 0, 0};
        for (const auto& [handle, key] : keys_)
            if (key.placed && key.placed->shared_h)
                shares.keys += key.placed->shared_h->bytes_on(helper.index);
        reports.push_back(shares);
    }
    return reports;
}

}  // namespace cuzk::gpu
