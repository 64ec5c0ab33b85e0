// Running sums of values that a function gives.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_scan.cuh>

#include "gpu/arena.hpp"
#include "gpu/check.hpp"

namespace cuzk::gpu {

// The most arena bytes that exclusive_sums takes for this many values.
inline std::size_t scan_bytes(std::size_t count) {
    return Arena::rounded(count / 64 + (std::size_t{1} << 16)) + 2 * Arena::rounded(sizeof(u32));
}

template <class Value>
__global__ void last_sum(const u32* sums, u32 count, Value value, u32* total) {
    *total = sums[count - 1] + value(count - 1);
}

// out[i] = start + value(0) + ... + value(i - 1) for i < count; returns start plus all. count is at least 1; value is a
// function of the device. Scratch comes from the arena and is returned. Waits for the stream.
template <class Value>
u32 exclusive_sums(Arena& arena, u32 count, const Value& value, u32* out, u32 start, const Stream& stream) {
    const Arena::Scope scope(arena);
    const auto values = thrust::make_transform_iterator(thrust::make_counting_iterator<u32>(0u), value);
    std::size_t bytes = 0;
    check(cub::DeviceScan::ExclusiveScan(nullptr, bytes, values, out, cuda::std::plus<u32>{}, start, count,
                                         stream.get()),
          "scan");
    const auto temporary = arena.take<u8>(bytes, "scan");
    const auto total = arena.take<u32>(1, "scan");
    check(cub::DeviceScan::ExclusiveScan(temporary.data, bytes, values, out, cuda::std::plus<u32>{}, start,
                                         count, stream.get()),
          "scan");
    last_sum<<<1, 1, 0, stream.get()>>>(out, count, value, total.data);
    check_launch("last_sum");
    u32 result = 0;
    copy_to_host(&result, total.data, sizeof(result), stream);
    stream.synchronize();
    return result;
}

}  // namespace cuzk::gpu
