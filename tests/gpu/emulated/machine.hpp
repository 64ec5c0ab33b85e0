// What the parts of the emulation ask each other for.
#pragma once

#include <functional>
#include <memory>

#include "cuda_runtime_api.h"
#include "emulated.hpp"

namespace emulated {

// runtime.cpp: cudaSuccess, or why each call for this device fails. Thread-safe.
cudaError_t state_of(int device);
// Keeps a failure for the thread's cudaGetLastError(), and returns it.
cudaError_t answer(cudaError_t status);

// fibers.cpp: calls `thread` for each thread of each block of a launch that has been checked.
void run(const Launch& launch, const std::function<void()>& thread);

// streams.cpp: does all that is queued on a device.
void finish_device(int device);
// Ends the program if work that uses this memory of the host is queued on a sound device: the driver promises no wait when memory is
// freed or is pinned no more.
void require_unused(HostRange host, const char* call);
// Forgets all that is queued.
void drop_queued_work();

struct Queue;

}  // namespace emulated

struct EmulatedStream {
    int device;
    std::shared_ptr<emulated::Queue> queue;
};
