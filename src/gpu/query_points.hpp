// The points of one query of a key: in device memory, or brought there piece by piece.
#pragma once

#include <algorithm>
#include <future>
#include <memory>

#include "curve/affine.hpp"
#include "gpu/pinned_range.hpp"
#include "gpu/upload.hpp"

namespace cuzk::gpu {

// Two pieces of device memory and what fills them, for one proof at a time. While one is used the other takes the next piece,
// be it of the same query or of the one that follows. Waits for its copy when it goes.
struct PieceBuffers {
    DeviceSpan<u8> memory[2];
    int device = 0;
    Uploader* uploader = nullptr;
    const Stream* stream = nullptr;  // of the copies
    bool prefetch = true;            // else a piece is copied when it is wanted

    // The copy that runs ahead: of the piece at this host address, into memory[free].
    std::future<void> ahead;
    const u8* ahead_of = nullptr;
    int free = 0;
};

template <class G>
class QueryPoints {
public:
    using Point = Affine<G>;

    QueryPoints() = default;
    // Points that stay where they are in host memory, which the caller keeps; pinned if that is wanted and works.
    QueryPoints(AffineView<G> host, bool pin);
    // Points that go to the arena and stay there.
    QueryPoints(AffineView<G> host, Arena& arena, Uploader& uploader, const Stream& stream);
    // The same, from another device where they are resident.
    QueryPoints(const QueryPoints& other, int other_device, Arena& arena, const Stream& stream);

    std::size_t size() const { return host_.size(); }
    bool is_resident() const { return resident_.size != 0 || host_.empty(); }
    std::size_t bytes() const { return size() * sizeof(Point); }
    // All points, if they are resident.
    DeviceSpan<const Point> resident() const { return resident_; }

    // Starts to bring the first piece, if the query is not resident. No other copy runs ahead.
    void prefetch(PieceBuffers& buffers) const;

    // Calls use(first, points) for pieces that follow each other, the whole query at once if it is resident. A piece is ready
    // when use() is called, and may be overwritten after it returns: use() waits for its work. The next piece is copied
    // meanwhile; before the last piece is used, then() may prefetch another query.
    template <class Use, class Then>
    void for_each_piece(PieceBuffers& buffers, const Use& use, const Then& then) const;

private:
    std::size_t piece_points(const PieceBuffers& buffers) const {
        return buffers.memory[0].size / sizeof(Point);
    }
    // Lets the piece from `first` on be copied into the free buffer.
    void start(PieceBuffers& buffers, std::size_t first) const;

    AffineView<G> host_;
    DeviceSpan<const Point> resident_;
    std::shared_ptr<PinnedRange> pinned_;
};

template <class G>
template <class Use, class Then>
void QueryPoints<G>::for_each_piece(PieceBuffers& buffers, const Use& use, const Then& then) const {
    if (is_resident()) {
        then();
        if (!host_.empty()) use(std::size_t{0}, resident_);
        return;
    }
    const std::size_t piece = piece_points(buffers);
    if (!buffers.ahead.valid() || buffers.ahead_of != host_.data()) start(buffers, 0);
    for (std::size_t first = 0; first < size(); first += piece) {
        buffers.ahead.get();
        const u8* here = buffers.memory[buffers.free].data;
        buffers.free ^= 1;
        if (first + piece < size())
            start(buffers, first + piece);
        else
            then();
        use(first,
            DeviceSpan<const Point>{reinterpret_cast<const Point*>(here), std::min(piece, size() - first)});
    }
}

extern template class QueryPoints<Bls12_381G1>;
extern template class QueryPoints<Bls12_381G2>;
extern template class QueryPoints<Bn254G1>;
extern template class QueryPoints<Bn254G2>;

}  // namespace cuzk::gpu
