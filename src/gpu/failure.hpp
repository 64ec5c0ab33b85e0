// How a device fails, for those who can do something about it. Free of CUDA headers.
#pragma once

#include "base/error.hpp"

namespace cuzk::gpu {

// Whatever the device or its driver is to blame for.
class DeviceFailure : public Error {
public:
    explicit DeviceFailure(const std::string& what) : Error(ErrorKind::kEnvironment, what) {}
};

// Device memory that is not there: whoever can do with less may try again.
class OutOfDeviceMemory : public DeviceFailure {
public:
    explicit OutOfDeviceMemory(const std::string& what) : DeviceFailure("device memory: " + what) {}
};

// The device, or this process's context on it, is gone for good: everything that is tried there from now on fails. Work has to
// go elsewhere.
class DeviceLost : public DeviceFailure {
public:
    explicit DeviceLost(const std::string& what) : DeviceFailure("device lost: " + what) {}
};

}  // namespace cuzk::gpu
