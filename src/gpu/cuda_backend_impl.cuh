// Included by cuda_backend.cuh.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

#include "gpu/check.hpp"

namespace cuzk::gpu {

template <class C>
CudaBackend<C>::CudaBackend(const BackendOptions& options)
    : options_(options), device_(find_device(options.device)) {
    for (const std::string& name : options.helpers) {
        helpers_.push_back(find_device(name));
        if (helpers_.back().index == device_.index)
            throw Error(ErrorKind::kUsage, "a device can not help itself: " + device_.uuid);
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
    if (cudaSetDevice(device_.index) != cudaSuccess) cudaGetLastError();
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
        const KeyExchange::Place place = options_.exchange->find(key.get());
        try {
            if (place.key) made = make(static_cast<const Key*>(place.key.get()));
        } catch (const OutOfDeviceMemory&) {
            throw;
        } catch (const DeviceFailure&) {
            // The other device, or the way from it: the host has the key too.
            made.reset();
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
    Loaded last;  // freed with the device at rest
    const Turn::Holder turn = turn_.take();
    const CurrentDevice current(device_.index);
    {
        const std::lock_guard lock(keys_mutex_);
        const auto it = keys_.find(handle);
        if (it == keys_.end()) throw Error(ErrorKind::kUsage, "no such key is loaded");
        last = std::move(it->second);
        keys_.erase(it);
        if (!keys_.empty()) return;
    }
    drop_working();
}

template <class C>
std::shared_ptr<const ProvingKey<C>> CudaBackend<C>::find(KeyHandle handle) const {
    const std::lock_guard lock(keys_mutex_);
    const auto it = keys_.find(handle);
    if (it == keys_.end()) throw Error(ErrorKind::kUsage, "no such key is loaded");
    return it->second.host;
}

// The key on the device; placed anew where it is not there or, being resident, must not be.
template <class C>
std::shared_ptr<DeviceKey<C>> CudaBackend<C>::placed(KeyHandle handle, bool may_be_resident) {
    std::shared_ptr<const ProvingKey<C>> host = find(handle);
    {
        const std::lock_guard lock(keys_mutex_);
        std::shared_ptr<Key>& key = keys_[handle].placed;
        if (key && (may_be_resident || !key->plan.resident)) return key;
        key.reset();
    }
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
            cudaStreamSynchronize(on_->stream.get());
            cudaStreamSynchronize(on_->copies.get());
            cudaStreamSynchronize(on_->rows.get());
            for (const Stream& lane : on_->lanes) cudaStreamSynchronize(lane.get());
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
template <class Rows>
DeviceSpan<const typename C::Fr::Int> CudaBackend<C>::quotient(const Key& key, DeviceSpan<Fr> a,
                                                               const Rows& rows, bool ahead,
                                                               const ProveMonitor& monitor) {
    Arena& arena = *on_->working;
    const Stream& stream = on_->stream;
    const std::size_t n = key.key->domain();
    const Arena::Scope scope(arena);
    DeviceSpan<const Int> scalars;
    const auto b = arena.take<Fr>(n, "values of B");
    if (key.key->family == KeyFamily::kSnarkjs) {
        // The key holds no C matrix; where the witness satisfies the circuit, C z is the product of the other two.
        const auto c = arena.take<Fr>(n, "values of C");
        {
            const Stage stage(monitor, "abc");
            rows(kA, a);
            rows(kB, b);
            check(cudaMemcpyAsync(c.data, a.data, n * sizeof(Fr), cudaMemcpyDeviceToDevice, stream.get()),
                  "cudaMemcpyAsync");
            key.quotient.multiply(c, {b.data, b.size}, stream);
            stream.synchronize();
        }
        const Stage stage(monitor, "ntt", 5 * n * sizeof(Fr));
        key.quotient.extend(a, stream);
        key.quotient.extend_into(a, b, stream);
        scalars = key.quotient.finish(a, c, stream);
        stream.synchronize();
    } else {
        std::optional<Stage> all;
        if (ahead) all.emplace(monitor, "abc and ntt", 10 * n * sizeof(Fr));
        const auto step = [&](const char* name, std::size_t bytes, const auto& work) {
            if (ahead) return work();
            const Stage stage(monitor, name, bytes);
            work();
            stream.synchronize();
        };
        step("abc", 0, [&] {
            rows(kA, a);
            if (!ahead) rows(kB, b);
        });
        step("ntt", 4 * n * sizeof(Fr), [&] {
            key.quotient.extend(a, stream);
            if (ahead) rows(kB, b);
            key.quotient.extend_into(a, b, stream);
        });
        step("c", 0, [&] { rows(kC, b); });  // B is used up: C takes its memory
        step("ntt", 3 * n * sizeof(Fr), [&] { scalars = key.quotient.finish(a, b, stream); });
        stream.synchronize();
    }
    return scalars;
}

template <class C>
Jacobian<typename C::G1> CudaBackend<C>::quotient_sum(const Key& key, Arena& arena, const Stream& stream,
                                                      DeviceSpan<const Int> scalars, PieceBuffers& pieces,
                                                      const ProveMonitor& monitor) {
    const Arena::Scope scope(arena);
    const Stage stage(monitor, "msm h", key.h.bytes() + scalars.size * sizeof(Int));
    if (key.shared_h) return (*key.shared_h)(arena, scalars, stream);
    auto sum = Jacobian<G1>::infinity();
    key.h.for_each_piece(
        pieces,
        [&](std::size_t first, DeviceSpan<const Affine<G1>> points) {
            sum += msm<G1>(arena, points, scalars.subspan(first, points.size), stream);
        },
        [&] { key.l.prefetch(pieces); });
    return sum;
}

template <class C>
template <class G>
Jacobian<G> CudaBackend<C>::query_sum(Arena& arena, const Stream& stream, const char* name,
                                      const QueryPoints<G>& points, const Selection<Fr>& selection,
                                      const ProveMonitor& monitor) {
    const Arena::Scope scope(arena);
    auto sum = Jacobian<G>::infinity();
    {
        const Stage stage(monitor, std::string("batch_add ") + name, selection.ones.size * sizeof(Affine<G>));
        sum = sum_points<G>(arena, points.resident(), selection.ones, stream);
    }
    const Stage stage(monitor, std::string("tail_msm ") + name,
                      selection.wide.size * (sizeof(Affine<G>) + sizeof(Int)));
    return sum + msm<G>(arena, points.resident(), selection.wide, selection.scalars, stream);
}

template <class C>
template <class G, class Then>
Jacobian<G> CudaBackend<C>::streamed_sum(const char* name, const QueryPoints<G>& points,
                                         const Selection<Fr>& selection, PieceBuffers& pieces,
                                         const Then& then, const ProveMonitor& monitor) {
    Arena& arena = *on_->working;
    const Stream& stream = on_->stream;
    const Arena::Scope scope(arena);
    const Stage stage(monitor, std::string("streamed sums ") + name, points.bytes());
    const std::size_t piece = pieces.memory[0].size / sizeof(Affine<G>);
    const std::size_t count = (points.size() + piece - 1) / piece;
    const auto ones = piece_bounds(arena, selection.ones, piece, count, stream);
    const auto wide = piece_bounds(arena, selection.wide, piece, count, stream);
    auto sum = Jacobian<G>::infinity();
    points.for_each_piece(
        pieces,
        [&](std::size_t first, DeviceSpan<const Affine<G>> bases) {
            const std::size_t k = first / piece;
            // The lists name points of the whole query: this is where its first one would be.
            const DeviceSpan<const Affine<G>> whole{bases.data - first, first + bases.size};
            sum +=
                sum_points<G>(arena, whole, selection.ones.subspan(ones[k], ones[k + 1] - ones[k]), stream);
            sum += msm<G>(arena, whole, selection.wide.subspan(wide[k], wide[k + 1] - wide[k]),
                          selection.scalars.subspan(wide[k], wide[k + 1] - wide[k]), stream);
        },
        then);
    return sum;
}

template <class C>
void CudaBackend<C>::wipe(const DeviceWitness<Fr>& witness) {
    const auto zero = [&](const void* data, std::size_t bytes) {
        check(cudaMemsetAsync(const_cast<void*>(data), 0, bytes, on_->stream.get()), "cudaMemsetAsync");
    };
    zero(witness.bits.data, witness.bits.size * sizeof(u32));
    zero(witness.wide.data, witness.wide.size * sizeof(Fr));
}

template <class C>
Selection<typename C::Fr> CudaBackend<C>::choose(const DeviceWitness<Fr>& witness, const QueryLayout& layout,
                                                 const ProveMonitor& monitor) {
    const Stage stage(monitor, "select");
    return select(*on_->working, witness, layout, on_->stream);
}

template <class C>
void CudaBackend<C>::sums_in_turn(const Key& key, const DeviceWitness<Fr>& witness,
                                  const QueryLayout& a_layout, const QueryLayout& b_layout,
                                  PieceBuffers& pieces, Sums<C>& out, const ProveMonitor& monitor) {
    Arena& arena = *on_->working;
    const Stream& stream = on_->stream;
    const auto with = [&](const QueryLayout& layout, const auto& use) {
        const Arena::Scope scope(arena);
        use(choose(witness, layout, monitor));
    };
    const auto sum = [&]<class G>(Jacobian<G>& to, const char* name, const QueryPoints<G>& points,
                                  const Selection<Fr>& s, const auto& then) {
        to = points.is_resident() ? query_sum<G>(arena, stream, name, points, s, monitor)
                                  : streamed_sum<G>(name, points, s, pieces, then, monitor);
    };
    with(key.l_layout,
         [&](const Selection<Fr>& s) { sum(out.l, "l", key.l, s, [&] { key.a.prefetch(pieces); }); });
    with(a_layout,
         [&](const Selection<Fr>& s) { sum(out.a, "a", key.a, s, [&] { key.b_g1.prefetch(pieces); }); });
    with(b_layout, [&](const Selection<Fr>& s) {
        sum(out.b_g1, "b g1", key.b_g1, s, [&] { key.b_g2.prefetch(pieces); });
        sum(out.b_g2, "b g2", key.b_g2, s, [] {});
    });
}

template <class C>
void CudaBackend<C>::sums_side_by_side(const Key& key, const DeviceWitness<Fr>& witness,
                                       const QueryLayout& a_layout, const QueryLayout& b_layout,
                                       DeviceSpan<const Int> h_scalars, Sums<C>& out,
                                       const ProveMonitor& monitor) {
    Arena& arena = *on_->working;
    const Selection<Fr> l = choose(witness, key.l_layout, monitor);
    const Selection<Fr> a = choose(witness, a_layout, monitor);
    const Selection<Fr> b = choose(witness, b_layout, monitor);
    on_->stream.synchronize();
    const auto part = [&](std::size_t bytes) { return Arena(arena, bytes); };
    const auto bytes = [&](const auto& points, const Selection<Fr>& s) {
        return sum_scratch(kScratch, points.size(), s.wide.size);
    };
    Arena part_l = part(bytes(key.l, l).g1);
    Arena part_a = part(bytes(key.a, a).g1);
    Arena part_b1 = part(bytes(key.b_g1, b).g1);
    Arena part_b2 = part(bytes(key.b_g2, b).g2);
    // Futures wait when they go, also when another sum throws.
    const auto beside = [&](std::size_t lane, auto work) {
        return std::async(std::launch::async, [this, lane, work] {
            const CurrentDevice current(device_.index);
            return work(on_->lanes[lane]);
        });
    };
    auto b_g2 = beside(0, [&](const Stream& stream) {
        return query_sum<G2>(part_b2, stream, "b g2", key.b_g2, b, monitor);
    });
    auto sum_l = beside(
        1, [&](const Stream& stream) { return query_sum<G1>(part_l, stream, "l", key.l, l, monitor); });
    auto sum_a = beside(
        2, [&](const Stream& stream) { return query_sum<G1>(part_a, stream, "a", key.a, a, monitor); });
    auto b_g1 = beside(3, [&](const Stream& stream) {
        return query_sum<G1>(part_b1, stream, "b g1", key.b_g1, b, monitor);
    });
    PieceBuffers none;  // the key is resident
    out.h = quotient_sum(key, arena, on_->stream, h_scalars, none, monitor);
    out.l = sum_l.get();
    out.a = sum_a.get();
    out.b_g1 = b_g1.get();
    out.b_g2 = b_g2.get();
}

template <class C>
template <class Rows>
Sums<C> CudaBackend<C>::sums(const Key& key, const DeviceWitness<Fr>& witness, const QueryLayout& a_layout,
                             const QueryLayout& b_layout, const Rows& rows, bool ahead,
                             const ProveMonitor& monitor) {
    Arena& arena = *on_->working;
    Sums<C> out;
    PieceBuffers pieces;
    take_pieces(key, pieces);
    {
        const Arena::Scope scope(arena);
        const auto a = arena.take<Fr>(key.key->domain(), "values of A");
        const DeviceSpan<const Int> h_scalars = quotient(key, a, rows, ahead, monitor);
        if (key.plan.side_by_side)
            sums_side_by_side(key, witness, a_layout, b_layout, h_scalars, out, monitor);
        else
            out.h = quotient_sum(key, arena, on_->stream, h_scalars, pieces, monitor);
    }
    if (!key.plan.side_by_side) sums_in_turn(key, witness, a_layout, b_layout, pieces, out, monitor);
    wipe(witness);
    on_->stream.synchronize();
    working_peak_ = std::max<std::size_t>(working_peak_, arena.peak());
    return out;
}

template <class C>
template <class Place>
Sums<C> CudaBackend<C>::witness_sums(const Key& key, const ProveMonitor& monitor, std::size_t bytes,
                                     const Place& place_witness) {
    const DeviceWitness<Fr> witness = [&] {
        const Stage stage(monitor, "upload", bytes);
        return place_witness();
    }();
    return sums(
        key, witness, key.a_layout, key.b_layout,
        [&](MatrixId m, DeviceSpan<Fr> out) { key.matrices->multiply(m, witness, out, on_->stream); }, false,
        monitor);
}

template <class C>
Proof<C> CudaBackend<C>::prove(KeyHandle handle, std::span<const Fr> z, const Blinding<Fr>& blinding,
                               const ProveMonitor& monitor) {
    const std::shared_ptr<const ProvingKey<C>> key = find(handle);
    if (key->family != KeyFamily::kSnarkjs)
        throw Error(ErrorKind::kUsage,
                    "a bellman key holds no matrices: it proves ready assignments, not a witness");
    if (z.size() != key->variables)
        throw Error(ErrorKind::kMalformed, "the key is for " + std::to_string(key->variables) +
                                               " variables, the witness has " + std::to_string(z.size()));
    const Sums<C> result = on_device(handle, [&](const Key& k) {
        return witness_sums(k, monitor, z.size_bytes(),
                            [&] { return place_values<Fr>(*on_->working, z, on_->uploader, on_->stream); });
    });
    return assemble(key->vk, result, blinding);
}

template <class C>
Proof<C> CudaBackend<C>::prove(KeyHandle handle, const CompactWitness<Fr>& compact,
                               const Blinding<Fr>& blinding, const ProveMonitor& monitor) {
    const std::shared_ptr<const ProvingKey<C>> key = find(handle);
    if (!key->circuit)
        throw Error(ErrorKind::kUsage, "the key came without its circuit: it proves ready assignments only");
    const Sums<C> result = on_device(handle, [&](const Key& k) {
        return witness_sums(k, monitor, compact.bytes(), [&] {
            return k.witness->place(*on_->working, compact, on_->uploader, on_->stream);
        });
    });
    return assemble(key->vk, result, blinding);
}

template <class C>
void CudaBackend<C>::copy_row(DeviceSpan<Fr> out, std::span<const Fr> row, bool pinned) {
    const Stream& stream = on_->stream;
    const Stream& copies = options_.rows_ahead ? on_->rows : stream;
    Event& free = on_->row_free;
    Event& there = on_->row_there;
    if (options_.rows_ahead) {
        free.record(stream);
        free.block(copies);
    }
    if (pinned)
        copy_to_device(out.data, row.data(), row.size_bytes(), copies);
    else
        on_->uploader.copy(out.data, row.data(), row.size_bytes(), copies);
    check(cudaMemsetAsync(out.data + row.size(), 0, (out.size - row.size()) * sizeof(Fr), copies.get()),
          "cudaMemsetAsync");
    if (options_.rows_ahead) {
        there.record(copies);
        there.block(stream);
    }
}

template <class C>
Proof<C> CudaBackend<C>::prove(KeyHandle handle, const Assignment<Fr>& assignment,
                               const Blinding<Fr>& blinding, const ProveMonitor& monitor) {
    const std::shared_ptr<const ProvingKey<C>> key = find(handle);
    if (key->family != KeyFamily::kBellman)
        throw Error(ErrorKind::kUsage, "a snarkjs key proves a witness: ready rows are for bellman keys");
    check_assignment(*key, assignment);
    const std::array<std::span<const Fr>, 3> all_rows{assignment.a, assignment.b, assignment.c};
    std::array<std::optional<PinnedRange>, 3> pinned;  // until the device is free for others
    {
        const CurrentDevice current(device_.index);
        for (std::size_t m = 0; m < all_rows.size(); ++m)
            if (all_rows[m].size_bytes() >= options_.pinned_rows_from)
                if (auto range = PinnedRange::pin(all_rows[m].data(), all_rows[m].size_bytes()))
                    pinned[m].emplace(std::move(*range));
    }
    const Sums<C> result = on_device(handle, [&](const Key& k) {
        Arena& arena = *on_->working;
        DeviceWitness<Fr> witness;
        QueryLayout a_layout, b_layout;
        {
            const Stage stage(monitor, "upload", assignment.z.size_bytes());
            witness = place_values<Fr>(arena, assignment.z, on_->uploader, on_->stream);
            a_layout = Key::place_density(arena, nullptr, assignment.inputs, assignment.a_aux, on_->uploader,
                                          on_->stream);
            b_layout = Key::place_density(arena, &assignment.b_inputs, assignment.inputs, assignment.b_aux,
                                          on_->uploader, on_->stream);
        }
        return sums(
            k, witness, a_layout, b_layout,
            [&](MatrixId m, DeviceSpan<Fr> out) { copy_row(out, all_rows[m], pinned[m].has_value()); },
            options_.rows_ahead, monitor);
    });
    return assemble(key->vk, result, blinding);
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
