#include "gpu/upload.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "base/parallel.hpp"
#include "gpu/check.hpp"
#include "gpu/fault_injection.hpp"

namespace cuzk::gpu {

PinnedBuffer::PinnedBuffer(std::size_t bytes) : size_(bytes) {
    const std::string call = "cudaHostAlloc of " + std::to_string(bytes) + " bytes";
    fault_point(FaultPoint::kAllocation, call.c_str());
    check(cudaHostAlloc(reinterpret_cast<void**>(&data_), bytes, cudaHostAllocPortable), call.c_str());
}

PinnedBuffer::~PinnedBuffer() {
    forget(cudaFreeHost(data_));
}

Uploader::Uploader() : buffer_(kPiece * kPieces) {}

void Uploader::copy(void* device, const void* host, std::size_t bytes, const Stream& stream) {
    constexpr std::size_t kGrain = std::size_t{256} << 10;
    const auto* from = static_cast<const u8*>(host);
    fill(
        device, bytes,
        [&](u8* out, std::size_t first, std::size_t count) {
            parallel_ranges(0, count, kGrain, [&](std::size_t a, std::size_t b) {
                std::memcpy(out + a, from + first + a, b - a);
            });
        },
        stream);
}

void Uploader::fill(void* device, std::size_t bytes,
                    const std::function<void(u8*, std::size_t, std::size_t)>& fill, const Stream& stream) {
    for (std::size_t first = 0; first < bytes; first += kPiece) {
        const std::size_t count = std::min(kPiece, bytes - first);
        u8* piece = buffer_.data() + next_ * kPiece;
        done_[next_].synchronize();  // an event that was never recorded has happened
        fill(piece, first, count);
        copy_to_device(static_cast<u8*>(device) + first, piece, count, stream);
        done_[next_].record(stream);
        next_ = (next_ + 1) % kPieces;
    }
}

}  // namespace cuzk::gpu
