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
    on_->parked.reset();
    parked_bytes_ = 0;
}

// What proofs with the keys that are placed need for themselves.
template <class C>
std::size_t CudaBackend<C>::working_of_keys() const {
    std::size_t most = 0;
    const std::lock_guard lock(keys_mutex_);
    for (const auto& [handle, key] : keys_)
        if (key.placed) most = std::max(most, key.placed->plan.working);
    return most;
}

// Memory for proofs, of the plan's size at least.
template <class C>
void CudaBackend<C>::make_room(const MemoryPlan& plan) {
    if (!on_->working || on_->working->size() < plan.working) {
        drop_working();
        if (const std::size_t room = available(); plan.working > room)
            throw OutOfDeviceMemory("a proof needs " + std::to_string(plan.working) +
                                    " bytes of device memory, the keys leave " + std::to_string(room));
        on_->working = std::make_unique<Arena>(device_.index, plan.working);
        working_bytes_ = plan.working;
    }
    if (plan.host != 0 && (!on_->parked || on_->parked->size() < plan.host)) {
        on_->parked.reset();
        parked_bytes_ = 0;
        on_->parked = std::make_unique<PinnedBuffer>(plan.host);
        parked_bytes_ = plan.host;
        parked_peak_ = std::max<std::size_t>(parked_peak_, plan.host);
    }
}

template <class C>
std::shared_ptr<DeviceKey<C>> CudaBackend<C>::make_key(const std::shared_ptr<const ProvingKey<C>>& key,
                                                       const MemoryPlan& plan) {
    const auto make = [&](const Key* other) {
        return std::make_shared<Key>(key, plan, device_.index, options_.pinned_keys, on_->uploader,
                                     on_->stream, other);
    };
    if (!plan.resident()) return make(nullptr);
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
    if (!helpers_.empty() && plan.piece >= made->h.size()) {
        std::vector<int> devices;
        for (const DeviceInfo& helper : helpers_) devices.push_back(helper.index);
        made->shared_h.emplace(made->h.resident(), device_.index, devices);
    }
    if (options_.exchange) options_.exchange->offer(key.get(), device_.index, made);
    return made;
}

// How much of a key stays on the device where so much turned out to be too much.
inline std::size_t keep_less(std::size_t kept) {
    constexpr std::size_t kWorthIt = std::size_t{16} << 10;
    return kept / 4 < kWorthIt ? 0 : kept / 4;
}

template <class C>
std::shared_ptr<DeviceKey<C>> CudaBackend<C>::place(const std::shared_ptr<const ProvingKey<C>>& key,
                                                    std::size_t most_kept) {
    const ProofSizes sizes = Key::sizes(*key);
    const auto plan_beside = [&](std::size_t least_working) {
        MemoryLimits limits{available(), most_kept, least_working};
        if (options_.piece_points != 0) limits.most_piece = options_.piece_points;
        limits.parked_only = options_.park_vectors;
        return plan_memory(sizes, kScratch, limits, key->name);
    };
    for (;;) {
        MemoryPlan plan;
        try {
            // One arena serves the proofs of all keys.
            plan = plan_beside(working_of_keys());
        } catch (const OutOfDeviceMemory&) {
            if (take_spare_points()) continue;
            // What keys that are there already need is theirs to make up for: they can keep less.
            plan = plan_beside(0);
        }
        // Points of a key that does not fit as a whole are what spare memory is filled with.
        if (!plan.resident() && take_spare_points()) continue;
        try {
            if (plan.key + std::max<std::size_t>(plan.working, working_bytes_) > available()) drop_working();
            make_room(plan);
            return make_key(key, plan);
        } catch (const OutOfDeviceMemory&) {
            if (plan.kept_bytes == 0) throw;
            most_kept = keep_less(plan.kept_bytes);
        }
    }
}

// Lets keys that are not resident as a whole keep nothing. False if there is none that did.
template <class C>
bool CudaBackend<C>::take_spare_points() {
    std::vector<std::pair<KeyHandle, std::shared_ptr<Key>>> taken;
    {
        const std::lock_guard lock(keys_mutex_);
        for (auto& [handle, key] : keys_)
            if (key.placed && !key.placed->plan.resident() && key.placed->plan.kept_bytes != 0) {
                key.made_room = true;
                taken.emplace_back(handle, std::move(key.placed));
            }
    }
    for (auto& [handle, key] : taken) {
        const std::shared_ptr<const ProvingKey<C>> host = key->key;
        take_away(std::move(key));
        try {
            std::shared_ptr<Key> streamed = place(host, 0);
            const std::lock_guard lock(keys_mutex_);
            keys_[handle].placed = std::move(streamed);
        } catch (const OutOfDeviceMemory&) {
            continue;  // its next proof tries again
        }
    }
    return !taken.empty();
}

// A key is gone: those that have made room are placed anew by their next proofs.
template <class C>
void CudaBackend<C>::give_spare_points() {
    std::vector<std::shared_ptr<Key>> taken;
    {
        const std::lock_guard lock(keys_mutex_);
        for (auto& [handle, key] : keys_)
            if (std::exchange(key.made_room, false) && key.placed && !key.placed->plan.resident())
                taken.push_back(std::move(key.placed));
    }
    for (auto& key : taken) take_away(std::move(key));
}

template <class C>
std::vector<std::optional<MemoryPlan>> CudaBackend<C>::plans(
    const std::string& device, const std::shared_ptr<const InstancedCircuit<Fr>>& circuit,
    std::span<const u64> limits) {
    const CurrentDevice current(find_device(device).index);  // scratch depends on it
    const ProofSizes sizes = Key::sizes(circuit);
    std::vector<std::optional<MemoryPlan>> out;
    for (const u64 limit : limits) {
        try {
            const std::size_t available = limit > kDriverBytes ? limit - kDriverBytes : 0;
            out.push_back(plan_memory(sizes, kScratch, {available}, circuit->name));
        } catch (const OutOfDeviceMemory&) {
            out.emplace_back();
        }
    }
    return out;
}

template <class C>
KeyHandle CudaBackend<C>::load(std::shared_ptr<const ProvingKey<C>> key, Progress* progress) {
    check_shape(*key);
    const Turn::Holder turn = turn_.take();
    const CurrentDevice current(device_.index);
    report_progress(progress, "key to the device", 0, 1);
    std::shared_ptr<Key> placed;
    try {
        placed = place(key, most_kept());
    } catch (...) {
        const std::lock_guard lock(keys_mutex_);
        if (keys_.empty()) drop_working();  // nobody would take it away
        throw;
    }
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
    give_spare_points();
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

// The key on the device; placed anew where it is not there or keeps too much there.
template <class C>
std::shared_ptr<DeviceKey<C>> CudaBackend<C>::placed(KeyHandle handle, std::size_t most_kept) {
    const std::shared_ptr<const ProvingKey<C>> host = find(handle);
    std::shared_ptr<Key> taken;
    {
        const std::lock_guard lock(keys_mutex_);
        std::shared_ptr<Key>& key = keys_[handle].placed;
        if (key && key->plan.kept_bytes <= most_kept) return key;
        taken = std::move(key);
    }
    take_away(std::move(taken));
    std::shared_ptr<Key> key = place(host, most_kept);
    const std::lock_guard lock(keys_mutex_);
    return keys_[handle].placed = std::move(key);
}

template <class C>
void CudaBackend<C>::take_pieces(const Key& key, PieceBuffers& buffers) {
    buffers.device = device_.index;
    buffers.uploader = &on_->prefetcher;
    buffers.stream = &on_->copies;
    buffers.prefetch = options_.prefetch;
    if (key.plan.resident()) return;
    for (auto& memory : buffers.memory)
        memory = on_->working->template take<u8>(key.plan.piece * sizeof(Affine<G1>), "pieces of a key");
    // What is queued for the witness may still use this memory.
    on_->pieces_free.record(on_->stream);
    on_->pieces_free.block(on_->copies);
    key.h.prefetch(buffers);
}

template <class C>
template <class Work>
Sums<C> CudaBackend<C>::on_device(KeyHandle handle, const Work& work) {
    const Turn::Holder turn = turn_.take();
    const CurrentDevice current(device_.index);
    std::size_t kept = 0;
    const auto attempt = [&](std::size_t most) {
        kept = 0;
        const std::shared_ptr<Key> key = placed(handle, most);
        kept = key->plan.kept_bytes;
        make_room(key->plan);
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
    for (std::size_t most = most_kept();;) {
        try {
            return attempt(most);
        } catch (const OutOfDeviceMemory&) {
            if (kept == 0) throw;
        }
        // Somebody else has taken memory of the device, or the plan was too tight: go on with fewer resident points.
        drop_working();
        most = keep_less(kept);
    }
}

template <class C>
std::vector<MemoryReport> CudaBackend<C>::memory() const {
    MemoryReport report{"device " + device_.uuid, 0, 0, 0, 0};
    report.working = working_bytes_;
    report.working_peak = working_peak_;
    const std::lock_guard lock(keys_mutex_);
    for (const auto& [handle, key] : keys_)
        if (key.placed) {
            report.keys += key.placed->arena.size();
            report.streamed += key.placed->plan.streamed_bytes;
        }
    std::vector<MemoryReport> reports{report};
    if (parked_peak_ != 0) reports.push_back({"host", 0, parked_bytes_, parked_peak_, 0});
    for (const DeviceInfo& helper : helpers_) {
        MemoryReport shares{"device " + helper.uuid, 0, 0, 0, 0};
        for (const auto& [handle, key] : keys_)
            if (key.placed && key.placed->shared_h)
                shares.keys += key.placed->shared_h->bytes_on(helper.index);
        reports.push_back(shares);
    }
    return reports;
}

}  // namespace cuzk::gpu
