#include "gpu/check.hpp"

#include <cuda_runtime.h>

#include "gpu/fault_injection.hpp"

namespace cuzk::gpu {

namespace {

// After these the driver answers every call with the same error.
bool is_final(cudaError_t status) {
    switch (status) {
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchFailure:
        case cudaErrorLaunchTimeout:
        case cudaErrorECCUncorrectable:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorDevicesUnavailable:
        case cudaErrorContextIsDestroyed: return true;
        default: return false;
    }
}

}  // namespace

void check(cudaError_t status, const char* call) {
    if (status == cudaSuccess) return;
    cudaGetLastError();  // forget it: a later launch must not report this one's error
    const std::string what = std::string("CUDA: ") + call + ": " + cudaGetErrorString(status);
    if (status == cudaErrorMemoryAllocation) throw OutOfDeviceMemory(what);
    if (is_final(status)) throw DeviceLost(what);
    throw DeviceFailure(what);
}

void forget(cudaError_t status) {
    if (status != cudaSuccess) cudaGetLastError();
}

void check_launch(const char* kernel) {
    fault_point(FaultPoint::kLaunch, kernel);
    check(cudaGetLastError(), kernel);
}

}  // namespace cuzk::gpu
