// Asynchronous copies into shared memory, and prefetches, in PTX.
#pragma once

#include <vector_types.h>

#include "base/types.hpp"

namespace cuzk::gpu {

// Where a place in shared memory is, as the copies name it.
__device__ __forceinline__ u32 shared_address(const void* place) {
    return static_cast<u32>(__cvta_generic_to_shared(place));
}

// Starts to copy 16 bytes from global memory; the copies of a thread belong to its current group.
__device__ __forceinline__ void copy_async(u32 to, const uint4* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
// Ends the thread's current group of copies.
__device__ __forceinline__ void commit_copies() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}
// Waits until at most kPending of the thread's groups are under way.
template <int kPending>
__device__ __forceinline__ void wait_for_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// 16 bytes of shared memory that a copy wrote.
__device__ __forceinline__ uint4 load_copied(u32 from) {
    uint4 q;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(q.x), "=r"(q.y), "=r"(q.z), "=r"(q.w)
                 : "r"(from)
                 : "memory");
    return q;
}

// Brings a line of global memory near.
__device__ __forceinline__ void prefetch(const void* address) {
    asm volatile("prefetch.global.L1 [%0];" ::"l"(address));
}

}  // namespace cuzk::gpu
