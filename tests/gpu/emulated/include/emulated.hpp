// The emulated devices, and where an emulated thread is.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "cuda_runtime_api.h"

namespace emulated {

struct DeviceModel {
    std::size_t memory = std::size_t{12} << 30;  // taken from the host as it is written
    int multiprocessors = 2;
};

// From now on there are these devices; none of the old ones is in use any more.
void set_devices(const std::vector<DeviceModel>& devices);
// Every call for this device fails from now on, as after a fault of the hardware, until set_devices().
void lose_device(int device);
// Bytes of a device's memory that are taken.
std::size_t bytes_in_use(int device);
// Bytes that came straight from another device.
std::size_t bytes_from_peers(int device);

// When streams do what is queued. In both orders a stream runs when the host or another stream waits for it.
enum class Order {
    kLazy,  // and no further than that needs: what is not waited for has not happened
    kEager,  // and before each of its steps all others run as far as they can: what is not ordered behind it has happened
};
// kLazy unless the environment's CUZK_EMULATED_ORDER is "eager".
void set_order(Order order);

struct Launch {
    dim3 grid, block;
    std::size_t shared = 0;
    EmulatedStream* stream = nullptr;
};

struct HostRange {
    const void* data = nullptr;
    std::size_t bytes = 0;
};
// Queues work, which uses this memory of the host; an error of the runtime if the stream is none or its device is lost.
cudaError_t enqueue(EmulatedStream* stream, std::function<void()> work, HostRange host = {});

// Queues calls of `thread` for each thread of each block, blocks one after the other. A launch that is no good is the thread's
// last error. Threads of different systems threads do not meet.
void launch_threads(const Launch& launch, std::function<void()> thread);

// A kernel with its arguments, which are copied now.
template <class Kernel, class... Arguments>
void launch(const Launch& launch, const Kernel& kernel, const Arguments&... arguments) {
    launch_threads(launch,
                   [kernel, copies = std::tuple<Arguments...>(arguments...)] { std::apply(kernel, copies); });
}

// Of the emulated thread that runs.
const dim3& thread_index();
const dim3& block_index();
const dim3& block_size();
const dim3& grid_size();
void* dynamic_shared();

// Waits for all threads of the block that have not ended; whether one of them brought other than 0.
int barrier(int value);

struct Votes {
    unsigned lanes = 0;  // that took part
    std::array<unsigned, 32> value{};
};
// Waits for the lanes of the warp in `mask` that have not ended, and gives each the values of all.
Votes exchange(unsigned mask, unsigned value);

}  // namespace emulated
