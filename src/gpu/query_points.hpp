// The points of one query of a key: in device memory, or brought there piece by piece, or the first ones so and the others so.
#pragma once

#include <algorithm>
#include <future>
#include <memory>
#include <vector>

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
    // The first `kept` points go to the arena and stay there. The others stay where they are in host memory, which the caller keeps;
    // pinned if that is wanted and works.
    QueryPoints(AffineView<G> host, std::size_t kept, bool pin, Arena& arena, Uploader& uploader,
                const Stream& stream);
    // All points, from another device where they are resident.
    QueryPoints(const QueryPoints& other, int other_device, Arena& arena, const Stream& stream);

    std::size_t size() const { return host_.size(); }
    bool is_resident() const { return resident_.size == host_.size(); }
    std::size_t bytes() const { return size() * sizeof(Point); }
    std::size_t streamed_bytes() const { return bytes() - resident_.size * sizeof(Point); }
    // The first points: those that are resident.
    DeviceSpan<const Point> resident() const { return resident_; }

    // Starts to bring the first piece that is streamed, if there is one. No other copy runs ahead.
    void prefetch(PieceBuffers& buffers) const;

    // Where the pieces of for_each_piece begin, and where the last one ends.
    std::vector<u32> cuts(const PieceBuffers& buffers, std::size_t part_bytes) const;

    // Calls use(first, points) for pieces that follow each other: resident points in parts of so many bytes at most, then the others as
    // they come. A piece is ready when use() is called, and may be overwritten after it returns: use() waits for its work. The next
    // streamed piece is copied meanwhile; before the last one is used, then() may prefetch another query.
    template <class Use, class Then>
    void for_each_piece(PieceBuffers& buffers, std::size_t part_bytes, const Use& use,
                        const Then& then) const;

private:
    std::size_t piece_points(const PieceBuffers& buffers) const {
        return buffers.memory[0].size / sizeof(Point);
    }
    static std::size_t part_points(std::size_t bytes) {
        return std::max<std::size_t>(bytes / sizeof(Point), 1);
    }
    const u8* address(std::size_t first) const { return host_.data() + first * sizeof(Point); }
    // Lets the piece from `first` on be copied into the free buffer.
    void start(PieceBuffers& buffers, std::size_t first) const;

    AffineView<G> host_;
    DeviceSpan<const Point> resident_;
    std::shared_ptr<PinnedRange> pinned_;
};

template <class G>
template <class Use, class Then>
void QueryPoints<G>::for_each_piece(PieceBuffers& buffers, std::size_t part_bytes, const Use& use,
                                    const Then& then) const {
    const std::size_t kept = resident_.size;
    if (is_resident())
        then();
    else if (!buffers.ahead.valid() || buffers.ahead_of != address(kept))
        start(buffers, kept);
    const std::size_t part = part_points(part_bytes);
    for (std::size_t first = 0; first < kept; first += part)
        use(first, resident_.subspan(first, std::min(part, kept - first)));
    const std::size_t piece = piece_points(buffers);
    for (std::size_t first = kept; first < size(); first += piece) {
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
