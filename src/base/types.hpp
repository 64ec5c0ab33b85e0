// Fixed-width names used everywhere, and the marker for functions that also compile for a CUDA device.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#define CUZK_HD __host__ __device__
#else
#define CUZK_HD
#endif

namespace cuzk {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;
__extension__ using u128 = unsigned __int128;

}  // namespace cuzk
