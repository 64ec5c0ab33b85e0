// Errors of the CUDA runtime as Error(kEnvironment).
#pragma once

#include <cuda_runtime_api.h>

namespace cuzk::gpu {

// Throws Error(kEnvironment) "CUDA: <call>: <reason>" unless the call succeeded.
void check(cudaError_t status, const char* call);

// The same for the kernel launched just before.
void check_launch(const char* kernel);

}  // namespace cuzk::gpu
