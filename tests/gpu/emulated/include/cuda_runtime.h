// What device code needs besides the runtime: attributes, the place of a thread, barriers, votes, intrinsics.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "cuda_runtime_api.h"
#include "emulated.hpp"

#define __device__
#define __host__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)

using std::max;
using std::min;

#define threadIdx (::emulated::thread_index())
#define blockIdx (::emulated::block_index())
#define blockDim (::emulated::block_size())
#define gridDim (::emulated::grid_size())

inline void __syncthreads() {
    emulated::barrier(0);
}
inline int __syncthreads_or(int value) {
    return emulated::barrier(value);
}
inline void __syncwarp(unsigned mask = ~0u) {
    emulated::exchange(mask, 0);
}

// Votes and sums over the lanes that `mask` names and that have not ended.
inline unsigned __ballot_sync(unsigned mask, int predicate) {
    const auto votes = emulated::exchange(mask, predicate != 0);
    unsigned result = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
        if ((votes.lanes >> lane & 1) != 0 && votes.value[lane] != 0) result |= 1u << lane;
    return result;
}
inline int __any_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) != 0;
}
inline unsigned __match_any_sync(unsigned mask, unsigned value) {
    const auto votes = emulated::exchange(mask, value);
    unsigned result = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
        if ((votes.lanes >> lane & 1) != 0 && votes.value[lane] == value) result |= 1u << lane;
    return result;
}
inline unsigned __reduce_add_sync(unsigned mask, unsigned value) {
    const auto votes = emulated::exchange(mask, value);
    unsigned sum = 0;
    for (unsigned lane = 0; lane < 32; ++lane)
        if ((votes.lanes >> lane & 1) != 0) sum += votes.value[lane];
    return sum;
}
// Lanes converge where the device says so, not where the source does: a lane by itself is always right.
inline unsigned __activemask() {
    return 1u << (threadIdx.x % 32);
}

inline int __popc(unsigned x) {
    return std::popcount(x);
}
inline int __ffs(unsigned x) {
    return x == 0 ? 0 : std::countr_zero(x) + 1;
}
inline int __clzll(unsigned long long x) {
    return std::countl_zero(x);
}
inline unsigned __brev(unsigned x) {
    unsigned result = 0;
    for (int i = 0; i < 32; ++i) result |= (x >> i & 1) << (31 - i);
    return result;
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32) | low) >> (shift & 31));
}
template <class T>
T __ldg(const T* address) {
    return *address;
}
template <class T>
T __ldcs(const T* address) {
    return *address;
}
template <class T>
void __stcs(T* address, const T& value) {
    *address = value;
}

// Blocks run one after the other, and a block's threads take turns only at barriers.
template <class T>
T atomicAdd(T* address, std::type_identity_t<T> value) {
    const T old = *address;
    *address = old + value;
    return old;
}
