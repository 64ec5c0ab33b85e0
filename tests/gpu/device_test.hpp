// What the tests of device code share: skipping without a device, an arena, and copies.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "gpu/arena.hpp"
#include "gpu/emulated_sizes.hpp"

namespace cuzk::testing_gpu {

class DeviceTest : public testing::Test {
protected:
    static constexpr std::size_t kArenaBytes = std::size_t{8} << 30;

    void SetUp() override {
        const auto devices = gpu::list_devices();
        if (devices.empty()) GTEST_SKIP() << "no CUDA device";
        current_ = std::make_unique<gpu::CurrentDevice>(devices.front().index);
        arena_ = std::make_unique<gpu::Arena>(devices.front().index, kArenaBytes);
        stream_ = std::make_unique<gpu::Stream>();
    }

    template <class T>
    gpu::DeviceSpan<T> upload(const std::vector<T>& values) {
        const auto span = arena_->take<T>(values.size(), "test data");
        gpu::copy_to_device(span.data, values.data(), values.size() * sizeof(T), *stream_);
        stream_->synchronize();
        return span;
    }
    template <class T>
    std::vector<T> download(gpu::DeviceSpan<T> span) {
        std::vector<T> values(span.size);
        gpu::copy_to_host(values.data(), span.data, span.size * sizeof(T), *stream_);
        stream_->synchronize();
        return values;
    }

    std::unique_ptr<gpu::CurrentDevice> current_;
    std::unique_ptr<gpu::Arena> arena_;
    std::unique_ptr<gpu::Stream> stream_;
};

}  // namespace cuzk::testing_gpu
