// A vector that waits in pinned host memory while others use its place on the device.
#pragma once

#include <algorithm>
#include <array>

#include "gpu/upload.hpp"

namespace cuzk::gpu {

// Two pieces of device memory by which parked vectors come back, and what orders their copies. For one proof at a time.
template <class Fr>
struct ParkedPieces {
    std::array<DeviceSpan<Fr>, 2> memory;  // of equal sizes
    const Stream* copies = nullptr;
    std::array<Event, 2>*there = nullptr, *used = nullptr;
};

// Queued: the host memory, which is pinned, holds the vector for what is queued afterwards.
template <class Fr>
void park(Fr* parked, DeviceSpan<const Fr> values, const Stream& stream) {
    copy_to_host(parked, values.data, values.size * sizeof(Fr), stream);
}

// Calls use(first, piece) for the pieces of a parked vector of so many elements. `use` queues its work on `stream`, after all that is
// queued there already; the next piece is copied meanwhile. All of it is queued only.
template <class Fr, class Use>
void bring_back(const Fr* parked, std::size_t size, const ParkedPieces<Fr>& pieces, const Stream& stream,
                const Use& use) {
    // The vector may still be on its way down, and the pieces in use.
    for (Event& used : *pieces.used) used.record(stream);
    const std::size_t step = pieces.memory[0].size;
    std::size_t turn = 0;
    for (std::size_t first = 0; first < size; first += step, turn ^= 1) {
        const DeviceSpan<Fr> piece = pieces.memory[turn].first(std::min(step, size - first));
        (*pieces.used)[turn].block(*pieces.copies);
        copy_to_device(piece.data, parked + first, piece.size * sizeof(Fr), *pieces.copies);
        (*pieces.there)[turn].record(*pieces.copies);
        (*pieces.there)[turn].block(stream);
        use(first, DeviceSpan<const Fr>{piece.data, piece.size});
        (*pieces.used)[turn].record(stream);
    }
}

}  // namespace cuzk::gpu
