#include "gpu/device_setup.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "gpu/check.hpp"
#include "gpu/fixed_base.hpp"
#include "gpu/upload.hpp"

namespace cuzk::gpu {

namespace {

// The table of a query's base lies lowest in the arena; above it two sets of buffers, so that scalars of the next chunk go up and
// points of the last one come down while a chunk is multiplied.
template <class C>
class DeviceTarget final : public StreamedTarget<C, DeviceTarget<C>> {
public:
    using Fr = typename C::Fr;

    DeviceTarget(int device, std::size_t memory, KeySink<C>& sink, const SetupBases<C>& bases,
                 Progress* progress)
        : StreamedTarget<C, DeviceTarget>(sink, bases, progress), current_(device), arena_(device, memory) {}

private:
    friend class StreamedTarget<C, DeviceTarget>;

    static constexpr std::size_t kMostPoints = std::size_t{1} << 24;  // of a chunk
    static constexpr std::size_t kPrefixBytes = std::size_t{2}
                                                << 30;  // the most that a multiplication takes for itself
    static constexpr std::size_t kPieceBytes = std::size_t{96} << 20;  // of points on the way to the host

    // Two chunks of scalars and points get the room that a multiplication at full rate leaves, or half of it all.
    template <class G>
    std::size_t chunk_for(std::size_t count) const {
        const std::size_t left = arena_.size() - arena_.used();
        const std::size_t room = left > 2 * kPrefixBytes ? left - kPrefixBytes : left / 2;
        const std::size_t points = room / (2 * (sizeof(Fr) + sizeof(Affine<G>)));
        return std::max<std::size_t>(1, std::min({points, kMostPoints, count}));
    }

    template <class G>
    void write(const std::string& stage, const Affine<G>& base, std::span<const Fr> scalars) {
        const std::size_t count = scalars.size();
        const Arena::Scope scope(arena_);
        const DeviceFixedBase<G> multiples(arena_, base, count, multiply_);
        const std::size_t chunk = chunk_for<G>(count);
        struct Buffers {
            DeviceSpan<Fr> scalars;
            DeviceSpan<Affine<G>> points;
            Event uploaded, multiplied;
        };
        std::array<Buffers, 2> buffers;
        for (Buffers& b : buffers) {
            b.scalars = arena_.take<Fr>(chunk, "scalars");
            b.points = arena_.take<Affine<G>>(chunk, "points");
        }
        const std::size_t chunks = (count + chunk - 1) / chunk;
        const auto size_of = [&](std::size_t k) { return std::min(chunk, count - k * chunk); };
        for (std::size_t k = 0; k <= chunks && count != 0; ++k) {
            if (k < chunks) {  // chunk k - 2, which had these buffers, has come down
                Buffers& b = buffers[k % 2];
                uploader_.copy(b.scalars.data, scalars.data() + k * chunk, size_of(k) * sizeof(Fr), up_);
                b.uploaded.record(up_);
                b.uploaded.block(multiply_);
                multiples.multiply(arena_, b.scalars.first(size_of(k)), b.points.first(size_of(k)),
                                   multiply_);
                b.multiplied.record(multiply_);
            }
            if (k != 0) {
                Buffers& b = buffers[(k - 1) % 2];
                b.multiplied.block(down_);
                hand_over<G>(b.points.first(size_of(k - 1)));
                report_progress(this->progress_, stage, std::min(k * chunk, count), count);
            }
        }
        if (count == 0) report_progress(this->progress_, stage, 0, 0);
    }

    // To the sink by way of two pinned pieces.
    template <class G>
    void hand_over(DeviceSpan<Affine<G>> points) {
        const std::size_t piece = kPieceBytes / sizeof(Affine<G>);
        const auto size_at = [&](std::size_t first) { return std::min(piece, points.size - first); };
        const auto fetch = [&](std::size_t first, int which) {
            copy_to_host(pieces_[which].data(), points.data + first, size_at(first) * sizeof(Affine<G>),
                         down_);
            fetched_[which].record(down_);
        };
        fetch(0, 0);
        for (std::size_t first = 0, which = 0; first < points.size; first += piece, which ^= 1) {
            if (first + piece < points.size) fetch(first + piece, static_cast<int>(which ^ 1));
            fetched_[which].synchronize();
            this->sink_.add(std::span<const Affine<G>>(
                reinterpret_cast<const Affine<G>*>(pieces_[which].data()), size_at(first)));
        }
    }

    CurrentDevice current_;
    Arena arena_;
    Stream up_, multiply_, down_;
    Uploader uploader_;
    std::array<PinnedBuffer, 2> pieces_{PinnedBuffer(kPieceBytes), PinnedBuffer(kPieceBytes)};
    std::array<Event, 2> fetched_;
};

}  // namespace

template <class C>
std::unique_ptr<SetupTarget<C>> make_setup_target(const std::string& device, std::size_t memory_limit,
                                                  KeySink<C>& sink, const SetupBases<C>& bases,
                                                  Progress* progress) {
    constexpr std::size_t kMost = std::size_t{16} << 30;
    const int index = find_device(device).index;
    const CurrentDevice current(index);
    std::size_t available = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
    available -= available / 16;  // what the driver takes for kernels
    if (memory_limit != 0) available = std::min(available, memory_limit);
    return std::make_unique<DeviceTarget<C>>(index, std::min(available, kMost), sink, bases, progress);
}

template std::unique_ptr<SetupTarget<Bls12_381>> make_setup_target(const std::string&, std::size_t,
                                                                   KeySink<Bls12_381>&,
                                                                   const SetupBases<Bls12_381>&, Progress*);
template std::unique_ptr<SetupTarget<Bn254>> make_setup_target(const std::string&, std::size_t,
                                                               KeySink<Bn254>&, const SetupBases<Bn254>&,
                                                               Progress*);

}  // namespace cuzk::gpu
