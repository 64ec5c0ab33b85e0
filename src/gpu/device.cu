#include "gpu/device.hpp"

#include <cuda_runtime.h>

#include "base/error.hpp"
#include "gpu/check.hpp"
#include "gpu/fault_injection.hpp"

namespace cuzk::gpu {

namespace {

std::string uuid_text(const cudaUUID_t& uuid) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text = "GPU-";
    for (int i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        const auto byte = static_cast<u8>(uuid.bytes[i]);
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

}  // namespace

std::vector<DeviceInfo> list_devices() {
    int count = 0;
    if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
        forget(status);
        return {};
    }
    std::vector<DeviceInfo> devices;
    for (int i = 0; i < count; ++i) {
        cudaDeviceProp properties;
        check(cudaGetDeviceProperties(&properties, i), "cudaGetDeviceProperties");
        devices.push_back({i, uuid_text(properties.uuid), properties.name, properties.major, properties.minor,
                           properties.multiProcessorCount, properties.totalGlobalMem});
    }
    return devices;
}

DeviceInfo find_device(const std::string& name) {
    const std::vector<DeviceInfo> devices = list_devices();
    std::string others;
    for (const DeviceInfo& device : devices) {
        if (name.empty() || device.uuid == name || std::to_string(device.index) == name) return device;
        others += (others.empty() ? "" : ", ") + device.uuid;
    }
    throw Error(
        ErrorKind::kEnvironment,
        "no CUDA device " + name + (others.empty() ? "; there is none at all" : "; there are " + others));
}

namespace {

thread_local int current_devices = 0;  // of this thread

}  // namespace

CurrentDevice::CurrentDevice(int index) {
    check(cudaGetDevice(&previous_), "cudaGetDevice");
    if (const cudaError_t status = cudaSetDevice(index); status != cudaSuccess) {
        if (current_devices != 0) forget(cudaSetDevice(previous_));
        check(status, "cudaSetDevice");
    }
    restores_ = current_devices++ != 0;
}
CurrentDevice::~CurrentDevice() {
    --current_devices;
    if (restores_) forget(cudaSetDevice(previous_));
}

Stream::Stream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}
Stream::~Stream() {
    forget(cudaStreamDestroy(stream_));
}
void Stream::synchronize() const {
    const cudaError_t status = cudaStreamSynchronize(stream_);
    // Injected failures come after the wait, as real ones: what was queued does not touch the caller's memory any more.
    fault_point(FaultPoint::kSynchronize, "cudaStreamSynchronize");
    check(status, "cudaStreamSynchronize");
}

Event::Event() {
    check(cudaEventCreate(&event_), "cudaEventCreate");
}
Event::~Event() {
    forget(cudaEventDestroy(event_));
}
void Event::record(const Stream& stream) {
    check(cudaEventRecord(event_, stream.get()), "cudaEventRecord");
}
void Event::synchronize() const {
    check(cudaEventSynchronize(event_), "cudaEventSynchronize");
}
void Event::block(const Stream& stream) const {
    check(cudaStreamWaitEvent(stream.get(), event_, 0), "cudaStreamWaitEvent");
}
float Event::milliseconds_since(const Event& earlier) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, earlier.event_, event_), "cudaEventElapsedTime");
    return milliseconds;
}

}  // namespace cuzk::gpu
