// Included by cuda_backend.cuh: from a witness to the sums of a proof.
#pragma once

#include <cuda_runtime.h>

#include <future>

#include "gpu/check.hpp"

namespace cuzk::gpu {

template <class C>
template <class Rows>
DeviceSpan<const typename C::Fr::Int> CudaBackend<C>::quotient(const Key& key, DeviceSpan<Fr> a,
                                                               const Rows& rows, bool ahead,
                                                               const ProveMonitor& monitor) {
    Arena& arena = *on_->working;
    const Stream& stream = on_->stream;
    const std::size_t n = key.key->domain();
    if (key.plan.parked) return parked_quotient(key, a, rows, monitor);
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
template <class Rows>
DeviceSpan<const typename C::Fr::Int> CudaBackend<C>::parked_quotient(const Key& key, DeviceSpan<Fr> values,
                                                                      const Rows& rows,
                                                                      const ProveMonitor& monitor) {
    Arena& arena = *on_->working;
    const Stream& stream = on_->stream;
    const DeviceQuotient<Fr>& quotient = key.quotient;
    const KeyFamily family = quotient.family();
    const std::size_t n = values.size;
    const Stage stage(monitor, "abc and ntt", parked_copies(family) * n * sizeof(Fr));
    const Arena::Scope scope(arena);
    ParkedPieces<Fr> pieces{{}, &on_->rows, &on_->piece_there, &on_->piece_used};
    for (auto& piece : pieces.memory)
        piece = arena.take<Fr>(std::min(kParkedPiece, n), "pieces of a parked vector");
    Fr* const parked = reinterpret_cast<Fr*>(on_->parked->data());
    const auto leave = [&](Fr* to) { park<Fr>(to, {values.data, n}, stream); };
    const auto multiply_by = [&](const Fr* from) {
        bring_back(from, n, pieces, stream, [&](std::size_t first, DeviceSpan<const Fr> piece) {
            quotient.multiply(values.subspan(first, piece.size), piece, stream);
        });
    };
    // Of A z and B z, extended to the coset.
    const auto make_product = [&] {
        rows(kA, values);
        quotient.extend(values, stream);
        leave(parked);
        rows(kB, values);
        quotient.extend(values, stream);
        multiply_by(parked);
    };
    if (family == KeyFamily::kSnarkjs) {
        // C z first, which is A z times B z: it waits while A and B are made once more.
        Fr* const parked_too = parked + n;
        rows(kA, values);
        leave(parked);
        rows(kB, values);
        multiply_by(parked);
        quotient.extend(values, stream);
        leave(parked_too);
        make_product();
        bring_back(parked_too, n, pieces, stream, [&](std::size_t first, DeviceSpan<const Fr> c) {
            const auto part = values.subspan(first, c.size);
            quotient.subtract(part, {part.data, part.size}, c, stream);
        });
    } else {
        make_product();
        quotient.interpolate_product(values, stream);
        leave(parked);
        rows(kC, values);
        quotient.interpolate_c(values, stream);
        bring_back(parked, n, pieces, stream, [&](std::size_t first, DeviceSpan<const Fr> product) {
            const auto part = values.subspan(first, product.size);
            quotient.subtract(part, product, {part.data, part.size}, stream);
        });
    }
    const DeviceSpan<const Int> scalars = quotient.order(values, stream);
    stream.synchronize();
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
        pieces, key.plan.piece * sizeof(Affine<G1>),
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
Jacobian<G> CudaBackend<C>::sum_in_pieces(const char* name, const QueryPoints<G>& points,
                                          std::size_t part_bytes, const Selection<Fr>& selection,
                                          PieceBuffers& pieces, const Then& then,
                                          const ProveMonitor& monitor) {
    Arena& arena = *on_->working;
    const Stream& stream = on_->stream;
    const Arena::Scope scope(arena);
    const Stage stage(monitor, std::string(points.is_resident() ? "sums in parts " : "streamed sums ") + name,
                      points.streamed_bytes());
    const std::vector<u32> cuts = points.cuts(pieces, part_bytes);
    const auto ones = piece_bounds(arena, selection.ones, cuts, stream);
    const auto wide = piece_bounds(arena, selection.wide, cuts, stream);
    auto sum = Jacobian<G>::infinity();
    std::size_t next = 0;
    points.for_each_piece(
        pieces, part_bytes,
        [&](std::size_t first, DeviceSpan<const Affine<G>> bases) {
            const std::size_t k = next++;
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
        const std::size_t part_bytes = key.plan.part * sizeof(Affine<G1>);
        if (points.is_resident() && points.bytes() <= part_bytes) {
            then();
            to = query_sum<G>(arena, stream, name, points, s, monitor);
        } else {
            to = sum_in_pieces<G>(name, points, part_bytes, s, pieces, then, monitor);
        }
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
void CudaBackend<C>::copy_row(DeviceSpan<Fr> out, std::span<const Fr> row, bool pinned, bool is_free) {
    const Stream& stream = on_->stream;
    const Stream& copies = options_.rows_ahead ? on_->rows : stream;
    Event& free = on_->row_free;
    Event& there = on_->row_there;
    if (options_.rows_ahead && !is_free) {
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
    const CurrentDevice current(device_.index);
    std::array<std::optional<PinnedRange>, 3> pinned;  // until the device is free for others
    for (std::size_t m = 0; m < all_rows.size(); ++m)
        if (all_rows[m].size_bytes() >= options_.pinned_rows_from)
            if (auto range = PinnedRange::pin(all_rows[m].data(), all_rows[m].size_bytes()))
                pinned[m].emplace(std::move(*range));
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
            [&](MatrixId m,
                DeviceSpan<Fr>
                    out) {  // The memory of B is free since that of A is, and its copy comes after A's.
                copy_row(out, all_rows[m], pinned[m].has_value(), m == kB && !k.plan.parked);
            },
            options_.rows_ahead, monitor);
    });
    return assemble(key->vk, result, blinding);
}

}  // namespace cuzk::gpu
