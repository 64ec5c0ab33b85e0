// The points of one query of a key: in device memory, or brought there piece by piece.
#pragma once

#include <algorithm>
#include <future>
#include <memory>

#include "curve/affine.hpp"
#include "gpu/pinned_range.hpp"
#include "gpu/upload.hpp"

namespace cuzk::gpu {

// Two pieces of device memory and what fills them. One proof at a time uses it.
struct PieceBuffers {
    DeviceSpan<u8> memory[2];
    int device = 0;
    Uploader* uploader = nullptr;
    const Stream* stream = nullptr;  // of the copies
    bool prefetch = true;
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

    std::size_t size() const { return host_.size(); }
    bool is_resident() const { return resident_.size != 0 || host_.empty(); }
    std::size_t bytes() const { return size() * sizeof(Point); }

    // Calls use(first, points) for pieces that follow each other, the whole query at once if it is resident. A piece is ready
    // when use() is called, and may be overwritten after it returns: use() waits for its work. The next piece is copied
    // meanwhile.
    template <class Use>
    void for_each_piece(PieceBuffers& buffers, const Use& use) const;

private:
    // Copies a piece and waits until it is there.
    void bring(PieceBuffers& buffers, int which, std::size_t first, std::size_t count) const;

    AffineView<G> host_;
    DeviceSpan<const Point> resident_;
    std::shared_ptr<PinnedRange> pinned_;
};

template <class G>
template <class Use>
void QueryPoints<G>::for_each_piece(PieceBuffers& buffers, const Use& use) const {
    if (host_.empty()) return;
    if (is_resident()) {
        use(std::size_t{0}, resident_);
        return;
    }
    const std::size_t piece = buffers.memory[0].size / sizeof(Point);
    const auto count_at = [&](std::size_t first) { return std::min(piece, size() - first); };
    bring(buffers, 0, 0, count_at(0));
    for (std::size_t first = 0, which = 0; first < size(); first += piece, which ^= 1) {
        const std::size_t next = first + piece;
        std::future<void> copy;  // waits in its destructor, so the buffers outlive it
        if (next < size())
            copy = std::async(
                buffers.prefetch ? std::launch::async : std::launch::deferred,
                [&, next, which] { bring(buffers, static_cast<int>(which ^ 1), next, count_at(next)); });
        use(first, DeviceSpan<const Point>{reinterpret_cast<const Point*>(buffers.memory[which].data),
                                           count_at(first)});
        if (copy.valid()) copy.get();
    }
}

extern template class QueryPoints<Bls12_381G1>;
extern template class QueryPoints<Bls12_381G2>;
extern template class QueryPoints<Bn254G1>;
extern template class QueryPoints<Bn254G2>;

}  // namespace cuzk::gpu
