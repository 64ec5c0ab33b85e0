// Sizes of device tests where the device is emulated on the processor: what takes a device milliseconds must not take minutes.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

namespace cuzk::testing_gpu {

#if defined(CUZK_EMULATED_DEVICE)
inline constexpr bool kEmulated = true;
#else
inline constexpr bool kEmulated = false;
#endif

template <class T>
constexpr T sized(T on_device, T emulated) {
    return kEmulated ? emulated : on_device;
}

// Those of the sizes that are at most `emulated`; all of them on a device.
inline std::vector<std::size_t> sizes_up_to(std::size_t emulated, std::initializer_list<std::size_t> sizes) {
    std::vector<std::size_t> result;
    for (const std::size_t size : sizes)
        if (!kEmulated || size <= emulated) result.push_back(size);
    return result;
}

}  // namespace cuzk::testing_gpu
