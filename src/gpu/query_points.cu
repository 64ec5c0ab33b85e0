#include "gpu/query_points.hpp"

namespace cuzk::gpu {

template <class G>
QueryPoints<G>::QueryPoints(AffineView<G> host, std::size_t kept, bool pin, Arena& arena, Uploader& uploader,
                            const Stream& stream)
    : host_(host) {
    if (kept != 0) {
        const auto points = arena.take<Point>(kept, "points of a key");
        uploader.copy(points.data, host.data(), kept * sizeof(Point), stream);
        resident_ = {points.data, points.size};
    }
    if (is_resident() || !pin) return;
    // The whole query: keys on several devices share its range, whatever each of them keeps.
    if (auto range = PinnedRange::pin(host.data(), bytes()))
        pinned_ = std::make_shared<PinnedRange>(std::move(*range));
}

template <class G>
QueryPoints<G>::QueryPoints(const QueryPoints& other, int other_device, Arena& arena, const Stream& stream)
    : host_(other.host_) {
    const auto points = arena.take<Point>(host_.size(), "points of a key");
    copy_between(points.data, arena.device(), other.resident_.data, other_device, bytes(), stream);
    resident_ = {points.data, points.size};
}

template <class G>
void QueryPoints<G>::prefetch(PieceBuffers& buffers) const {
    if (!is_resident()) start(buffers, resident_.size);
}

template <class G>
std::vector<u32> QueryPoints<G>::cuts(const PieceBuffers& buffers, std::size_t part_bytes) const {
    std::vector<u32> cuts;
    const auto cut = [&](std::size_t begin, std::size_t end, std::size_t step) {
        for (std::size_t first = begin; first < end; first += step) cuts.push_back(static_cast<u32>(first));
    };
    cut(0, resident_.size, part_points(part_bytes));
    cut(resident_.size, size(), is_resident() ? 1 : piece_points(buffers));
    cuts.push_back(static_cast<u32>(size()));
    return cuts;
}

template <class G>
void QueryPoints<G>::start(PieceBuffers& buffers, std::size_t first) const {
    u8* to = buffers.memory[buffers.free].data;
    const u8* from = address(first);
    const std::size_t bytes = std::min(piece_points(buffers), size() - first) * sizeof(Point);
    buffers.ahead_of = from;
    buffers.ahead = std::async(buffers.prefetch ? std::launch::async : std::launch::deferred,
                               [this, &buffers, to, from, bytes] {
                                   // The thread that copies is not the one that chose the device.
                                   const CurrentDevice current(buffers.device);
                                   if (pinned_)
                                       copy_to_device(to, from, bytes, *buffers.stream);
                                   else
                                       buffers.uploader->copy(to, from, bytes, *buffers.stream);
                                   buffers.stream->synchronize();
                               });
}

template class QueryPoints<Bls12_381G1>;
template class QueryPoints<Bls12_381G2>;
template class QueryPoints<Bn254G1>;
template class QueryPoints<Bn254G2>;

}  // namespace cuzk::gpu
