// Sorting of pairs by some bits of their keys, stable as CUB's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "emulated.hpp"

namespace cub {

struct DeviceRadixSort {
    template <class Key, class Value>
    static cudaError_t SortPairs(void* temporary, std::size_t& temporary_bytes, const Key* keys,
                                 Key* keys_out, const Value* values, Value* values_out, std::size_t count,
                                 int begin_bit = 0, int end_bit = 8 * sizeof(Key),
                                 cudaStream_t stream = nullptr) {
        if (temporary == nullptr) {
            temporary_bytes = 8 * count + 256;
            return cudaSuccess;
        }
        return emulated::enqueue(stream, [=] {
            const auto digit = [&](std::size_t i) {
                const unsigned long long bits = keys[i];
                return (bits & ((1ull << end_bit) - 1)) >> begin_bit;
            };
            std::vector<std::size_t> order(count);
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::stable_sort(order.begin(), order.end(),
                             [&](std::size_t a, std::size_t b) { return digit(a) < digit(b); });
            for (std::size_t i = 0; i < count; ++i) {
                keys_out[i] = keys[order[i]];
                values_out[i] = values[order[i]];
            }
        });
    }
};

}  // namespace cub
