#include "gpu/arena.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include "gpu/check.hpp"
#include "gpu/fault_injection.hpp"

namespace cuzk::gpu {

void copy_to_device(void* device, const void* host, std::size_t bytes, const Stream& stream) {
    check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream.get()),
          "cudaMemcpyAsync to the device");
}
void copy_to_host(void* host, const void* device, std::size_t bytes, const Stream& stream) {
    check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream.get()),
          "cudaMemcpyAsync to the host");
}

void copy_between(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                  const Stream& stream) {
    if (to_device == from_device)
        check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream.get()), "cudaMemcpyAsync");
    else
        check(cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, stream.get()),
              "cudaMemcpyPeerAsync");
}

void allow_copies_from(int device) {
    int current = 0, can = 0;
    check(cudaGetDevice(&current), "cudaGetDevice");
    if (current == device) return;
    check(cudaDeviceCanAccessPeer(&can, current, device), "cudaDeviceCanAccessPeer");
    // That it was allowed before is no error, and without it copies still arrive.
    if (can != 0) forget(cudaDeviceEnablePeerAccess(device, 0));
}

Arena::Arena(int device, std::size_t bytes) : device_(device), size_(bytes) {
    const CurrentDevice current(device);
    const std::string call = "cudaMalloc of " + std::to_string(bytes) + " bytes";
    fault_point(FaultPoint::kAllocation, call.c_str());
    check(cudaMalloc(reinterpret_cast<void**>(&data_), bytes), call.c_str());
}

Arena::Arena(Arena& parent, std::size_t bytes) : device_(parent.device_), is_part_(true), size_(bytes) {
    data_ = parent.take<u8>(bytes, "a part of the arena").data;
}

Arena::~Arena() {
    if (!is_part_) forget(cudaFree(data_));
}

void* Arena::take_bytes(std::size_t count, std::size_t size, const char* what) {
    const std::size_t left = size_ - used_;
    // left is compared before the product is made, so that it cannot wrap
    const bool fits = count <= left / size && rounded(count * size) <= left;
    fault_point(FaultPoint::kArena, what);
    if (!fits)
        throw OutOfDeviceMemory(std::string(what) + " needs " + std::to_string(count) + " x " +
                                std::to_string(size) + " bytes, " + std::to_string(left) + " of " +
                                std::to_string(size_) + " are left");
    u8* result = data_ + used_;
    used_ += rounded(count * size);
    peak_ = std::max(peak_, used_);
    return result;
}

}  // namespace cuzk::gpu
