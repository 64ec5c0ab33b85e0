// The emulated devices and the calls of the CUDA runtime.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "machine.hpp"

namespace {

using emulated::DeviceModel;

constexpr std::size_t kPage = 4096;

struct Allocation {
    std::size_t bytes, mapped;
    int device;
};

struct Device {
    DeviceModel model;
    std::size_t used = 0, from_peers = 0;
    bool lost = false;
};

// Two, until set_devices(); to look at plans of memory, with so many multiprocessors as the environment says.
std::vector<Device> first_devices() {
    DeviceModel model;
    if (const char* const count = std::getenv("CUZK_EMULATED_MULTIPROCESSORS"))
        model.multiprocessors = std::max(1, std::atoi(count));
    return {Device{model}, Device{model}};
}

struct Machine {
    std::mutex mutex;
    std::vector<Device> devices = first_devices();
    std::map<const char*, Allocation> allocations;          // by first byte
    std::map<const char*, std::size_t> pinned, registered;  // memory of the host, by first byte

    static Machine& instance() {
        static Machine machine;
        return machine;
    }
    // Strikes host memory off; its size, or 0 if it was not there.
    std::size_t forget(std::map<const char*, std::size_t>& ranges, const void* memory) {
        const std::lock_guard lock(mutex);
        const auto range = ranges.extract(static_cast<const char*>(memory));
        return range.empty() ? 0 : range.mapped();
    }
    // The device that owns all these bytes, or -1. With the mutex held.
    int owner(const void* memory, std::size_t bytes) const {
        const char* address = static_cast<const char*>(memory);
        auto it = allocations.upper_bound(address);
        if (it == allocations.begin()) return -1;
        --it;
        const auto offset = static_cast<std::size_t>(address - it->first);
        return offset <= it->second.bytes && bytes <= it->second.bytes - offset ? it->second.device : -1;
    }
};

thread_local int current_device = 0;
thread_local cudaError_t last_error = cudaSuccess;

// Guard pages stand before and behind, so that a kernel that leaves its arena ends there.
char* map_guarded(std::size_t bytes, std::size_t& mapped) {
    const std::size_t inner = (bytes + kPage - 1) / kPage * kPage;
    mapped = inner + 2 * kPage;
    void* all = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return nullptr;
    char* memory = static_cast<char*>(all) + kPage;
    if (mprotect(memory, inner, PROT_READ | PROT_WRITE) != 0) {
        munmap(all, mapped);
        return nullptr;
    }
    // What nobody has written is no zeros; as much of it as is cheap.
    constexpr std::size_t kFilled = std::size_t{4} << 20;
    std::memset(memory, 0xa5, std::min(bytes, kFilled));
    return memory;
}

}  // namespace

namespace emulated {

cudaError_t answer(cudaError_t status) {
    if (status != cudaSuccess) last_error = status;
    return status;
}

cudaError_t state_of(int device) {
    Machine& machine = Machine::instance();
    const std::lock_guard lock(machine.mutex);
    if (device < 0 || static_cast<std::size_t>(device) >= machine.devices.size())
        return cudaErrorInvalidDevice;
    return machine.devices[static_cast<std::size_t>(device)].lost ? cudaErrorIllegalAddress : cudaSuccess;
}

void set_devices(const std::vector<DeviceModel>& models) {
    drop_queued_work();
    Machine& machine = Machine::instance();
    const std::lock_guard lock(machine.mutex);
    if (!machine.allocations.empty()) {
        std::fprintf(stderr, "emulated devices change while memory of theirs is in use\n");
        std::abort();
    }
    machine.devices.clear();
    for (const DeviceModel& model : models) machine.devices.push_back(Device{model, 0, 0, false});
    current_device = 0;
    last_error = cudaSuccess;
}

void lose_device(int device) {
    Machine& machine = Machine::instance();
    const std::lock_guard lock(machine.mutex);
    machine.devices.at(static_cast<std::size_t>(device)).lost = true;
}

std::size_t bytes_in_use(int device) {
    Machine& machine = Machine::instance();
    const std::lock_guard lock(machine.mutex);
    return machine.devices.at(static_cast<std::size_t>(device)).used;
}

std::size_t bytes_from_peers(int device) {
    Machine& machine = Machine::instance();
    const std::lock_guard lock(machine.mutex);
    return machine.devices.at(static_cast<std::size_t>(device)).from_peers;
}

void launch_threads(const Launch& launch, std::function<void()> thread) {
    constexpr unsigned kMostThreads = 1024;
    constexpr std::size_t kMostShared = 227 << 10;
    if (launch.grid.x == 0 || launch.grid.y == 0 || launch.grid.y > 65535 || launch.block.x == 0 ||
        launch.block.x > kMostThreads || launch.shared > kMostShared || launch.stream == nullptr ||
        launch.stream->device != current_device) {
        last_error = cudaErrorInvalidValue;
        return;
    }
    enqueue(launch.stream, [launch, thread = std::move(thread)] { run(launch, thread); });
}

}  // namespace emulated

using emulated::answer;
using emulated::state_of;

cudaError_t cudaGetDeviceCount(int* count) {
    Machine& machine = Machine::instance();
    const std::lock_guard lock(machine.mutex);
    *count = static_cast<int>(machine.devices.size());
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
    *device = current_device;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
    const cudaError_t state = state_of(device);
    if (state != cudaErrorInvalidDevice) current_device = device;
    return answer(state);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (state_of(device) == cudaErrorInvalidDevice) return answer(cudaErrorInvalidDevice);
    Machine& machine = Machine::instance();
    const std::lock_guard lock(machine.mutex);
    const DeviceModel& model = machine.devices[static_cast<std::size_t>(device)].model;
    *properties = {};
    std::snprintf(properties->name, sizeof(properties->name), "emulated device");
    properties->uuid.bytes[15] = static_cast<char>(device + 1);
    properties->totalGlobalMem = model.memory;
    properties->multiProcessorCount = model.multiprocessors;
    properties->major = 9;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int device) {
    cudaDeviceProp properties;
    const cudaError_t status = cudaGetDeviceProperties(&properties, device);
    *value = properties.multiProcessorCount;
    return status;
}
cudaError_t cudaGetLastError() {
    return std::exchange(last_error, cudaSuccess);
}
const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
        case cudaSuccess: return "no error";
        case cudaErrorMemoryAllocation: return "out of memory";
        case cudaErrorInvalidValue: return "invalid argument";
        case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
        case cudaErrorInvalidDevice: return "invalid device ordinal";
        default: return "unspecified failure";
    }
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
    if (const cudaError_t state = state_of(current_device); state != cudaSuccess) return answer(state);
    Machine& machine = Machine::instance();
    const std::lock_guard lock(machine.mutex);
    Device& device = machine.devices[static_cast<std::size_t>(current_device)];
    if (bytes > device.model.memory - device.used) return answer(cudaErrorMemoryAllocation);
    std::size_t mapped = 0;
    char* const data = map_guarded(bytes, mapped);
    if (data == nullptr) return answer(cudaErrorMemoryAllocation);
    device.used += bytes;
    machine.allocations.emplace(data, Allocation{bytes, mapped, current_device});
    *memory = data;
    return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
    if (memory == nullptr) return cudaSuccess;
    Machine& machine = Machine::instance();
    std::unique_lock lock(machine.mutex);
    const auto it = machine.allocations.find(static_cast<const char*>(memory));
    if (it == machine.allocations.end()) return answer(cudaErrorInvalidValue);
    const int index = it->second.device;
    lock.unlock();
    emulated::finish_device(index);  // as the driver: memory goes when nothing uses it any more
    lock.lock();
    Device& device = machine.devices[static_cast<std::size_t>(index)];
    device.used -= it->second.bytes;
    munmap(static_cast<char*>(memory) - kPage, it->second.mapped);
    machine.allocations.erase(it);
    return device.lost ? answer(cudaErrorIllegalAddress) : cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
    *memory = std::malloc(bytes);
    if (*memory == nullptr) return answer(cudaErrorMemoryAllocation);
    Machine& machine = Machine::instance();
    const std::lock_guard lock(machine.mutex);
    machine.pinned.emplace(static_cast<const char*>(*memory), bytes);
    return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
    if (memory == nullptr) return cudaSuccess;
    Machine& machine = Machine::instance();
    const std::size_t bytes = machine.forget(machine.pinned, memory);
    if (bytes == 0) return answer(cudaErrorInvalidValue);
    emulated::require_unused({memory, bytes}, "cudaFreeHost");
    std::free(memory);
    return answer(state_of(current_device));
}
cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned) {
    Machine& machine = Machine::instance();
    const std::lock_guard lock(machine.mutex);
    const char* const first = static_cast<const char*>(memory);
    for (const auto& [other, size] : machine.registered)
        if (first < other + size && other < first + bytes)
            return answer(cudaErrorHostMemoryAlreadyRegistered);
    machine.registered.emplace(first, bytes);
    return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* memory) {
    Machine& machine = Machine::instance();
    const std::size_t bytes = machine.forget(machine.registered, memory);
    if (bytes == 0) return answer(cudaErrorInvalidValue);
    emulated::require_unused({memory, bytes}, "cudaHostUnregister");
    return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    if (const cudaError_t state = state_of(current_device); state != cudaSuccess) return answer(state);
    Machine& machine = Machine::instance();
    const std::lock_guard lock(machine.mutex);
    const Device& device = machine.devices[static_cast<std::size_t>(current_device)];
    *total = device.model.memory;
    *free = device.model.memory - device.used;
    return cudaSuccess;
}

// The documentation says of copies between a device and pageable memory that they "might" be synchronous, which is nothing to
// rely on: they read and write host memory when they run, as those of pinned memory do.
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    if (stream == nullptr) return answer(cudaErrorInvalidValue);
    if (const cudaError_t state = state_of(stream->device); state != cudaSuccess) return answer(state);
    if (bytes == 0) return cudaSuccess;
    {
        Machine& machine = Machine::instance();
        const std::lock_guard lock(machine.mutex);
        const bool to_device = machine.owner(to, bytes) == stream->device;
        const bool from_device = machine.owner(from, bytes) == stream->device;
        if (to_device != (kind != cudaMemcpyDeviceToHost) || from_device != (kind != cudaMemcpyHostToDevice))
            return answer(cudaErrorInvalidValue);
    }
    const void* const host = kind == cudaMemcpyHostToDevice ? from : to;
    return emulated::enqueue(stream, [=] { std::memcpy(to, from, bytes); },
                             {host, kind == cudaMemcpyDeviceToDevice ? 0 : bytes});
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
    if (stream == nullptr) return answer(cudaErrorInvalidValue);
    for (const int device : {stream->device, to_device, from_device})
        if (const cudaError_t state = state_of(device); state != cudaSuccess) return answer(state);
    if (bytes == 0) return cudaSuccess;
    {
        Machine& machine = Machine::instance();
        const std::lock_guard lock(machine.mutex);
        if (machine.owner(to, bytes) != to_device || machine.owner(from, bytes) != from_device)
            return answer(cudaErrorInvalidValue);
        if (to_device != from_device)
            machine.devices[static_cast<std::size_t>(to_device)].from_peers += bytes;
    }
    return emulated::enqueue(stream, [=] { std::memcpy(to, from, bytes); });
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    *can = device != peer;
    return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
    return answer(state_of(peer));
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
    if (stream == nullptr) return answer(cudaErrorInvalidValue);
    if (const cudaError_t state = state_of(stream->device); state != cudaSuccess) return answer(state);
    if (bytes == 0) return cudaSuccess;
    {
        Machine& machine = Machine::instance();
        const std::lock_guard lock(machine.mutex);
        if (machine.owner(memory, bytes) != stream->device) return answer(cudaErrorInvalidValue);
    }
    return emulated::enqueue(stream, [=] { std::memset(memory, value, bytes); });
}
