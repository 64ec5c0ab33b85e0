// Errors of the CUDA runtime as exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include "gpu/failure.hpp"

namespace cuzk::gpu {

// Unless the call succeeded, throws OutOfDeviceMemory or DeviceLost where that is the reason, else DeviceFailure "CUDA:
// <call>: <reason>".
void check(cudaError_t status, const char* call);

// For a status that is no reason to stop, in destructors and after errors: the runtime forgets it, so that the thread's next launch does not
// report it as its own.
void forget(cudaError_t status);

// check() for the kernel launched just before.
void check_launch(const char* kernel);

}  // namespace cuzk::gpu
