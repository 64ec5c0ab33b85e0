// What the benchmarks of device code share: the first device, times on it, errors as exit codes.
#pragma once

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/error.hpp"
#include "gpu/device.hpp"

namespace cuzk::bench {

// Milliseconds on the device of what work() queues: the median of `rounds` after one that warms up.
template <class Work>
double median_ms(const gpu::Stream& stream, const Work& work, int rounds = 5) {
    work();
    std::vector<double> times;
    gpu::Event start, end;
    for (int i = 0; i < rounds; ++i) {
        start.record(stream);
        work();
        end.record(stream);
        end.synchronize();
        times.push_back(end.milliseconds_since(start));
    }
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    return times[static_cast<std::size_t>(rounds / 2)];
}

// A benchmark's main(): run(device) on the first device, under its name.
template <class Run>
int on_first_device(const Run& run) {
    try {
        const auto devices = gpu::list_devices();
        if (devices.empty()) {
            std::puts("no CUDA device");
            return exit_code(ErrorKind::kEnvironment);
        }
        std::printf("%s\n\n", devices.front().name.c_str());
        run(devices.front());
        return 0;
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return exit_code(error.kind());
    }
}

}  // namespace cuzk::bench
