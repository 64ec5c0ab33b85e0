#include "gpu/check.hpp"

#include <cuda_runtime.h>

#include "base/error.hpp"

namespace cuzk::gpu {

void check(cudaError_t status, const char* call) {
    if (status == cudaSuccess) return;
    cudaGetLastError();  // forget it: a later launch must not report this one's error
    throw Error(ErrorKind::kEnvironment, std::string("CUDA: ") + call + ": " + cudaGetErrorString(status));
}

void check_launch(const char* kernel) {
    check(cudaGetLastError(), kernel);
}

}  // namespace cuzk::gpu
