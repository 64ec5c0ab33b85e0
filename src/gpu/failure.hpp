// How a device fails, for those who can do something about it. Free of CUDA headers.
#pragma once

#include "base/error.hpp"

namespace cuzk::gpu {

// Device memory that is not there: whoever can do with less may try again.
class OutOfDeviceMemory : public Error {
public:
    explicit OutOfDeviceMemory(const std::string& what)
        : Error(ErrorKind::kEnvironment, "device memory: " + what) {}
};

// The device, or this process's context on it, is gone for good: everything that is tried there from now on fails. Work has to
// go elsewhere.
class DeviceLost : public Error {
public:
    explicit DeviceLost(const std::string& what) : Error(ErrorKind::kEnvironment, "device lost: " + what) {}
};

}  // namespace cuzk::gpu
