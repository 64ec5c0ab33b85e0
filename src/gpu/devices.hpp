// The devices of this machine. Free of CUDA headers, and there in every build: without device code the list is empty.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"

namespace cuzk::gpu {

struct DeviceInfo {
    int index = 0;     // the runtime's number, valid in this process only
    std::string uuid;  // "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", as nvidia-smi prints it
    std::string name;
    int major = 0, minor = 0;  // compute capability
    int multiprocessors = 0;
    std::size_t memory = 0;  // bytes in total
};

// All devices; empty where there is no driver or no device.
std::vector<DeviceInfo> list_devices();

// The device of this UUID, or of this number in the list, or the first where the name is empty. Error(kEnvironment) that lists
// the others if there is none.
DeviceInfo find_device(const std::string& name);

}  // namespace cuzk::gpu
