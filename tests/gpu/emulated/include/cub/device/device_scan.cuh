// Running sums as CUB's.
#pragma once

#include <cstddef>
#include <iterator>

#include "emulated.hpp"
#include "thrust/iterator/transform_iterator.h"

namespace cuda::std {
template <class T>
struct plus {
    T operator()(const T& a, const T& b) const { return a + b; }
};
}  // namespace cuda::std

namespace cub {

struct DeviceScan {
    template <class In, class Out, class Op, class T>
    static cudaError_t ExclusiveScan(void* temporary, std::size_t& temporary_bytes, In in, Out out, Op op,
                                     T start, std::size_t count, cudaStream_t stream = nullptr) {
        if (temporary == nullptr) {
            temporary_bytes = count / 64 + 256;
            return cudaSuccess;
        }
        return emulated::enqueue(stream, [=] {
            T sum = start;
            for (std::size_t i = 0; i < count; ++i) {
                const T value = in[i];
                out[i] = sum;
                sum = op(sum, value);
            }
        });
    }
    template <class In, class T>
    static cudaError_t ExclusiveSum(void* temporary, std::size_t& temporary_bytes, In in, T* out,
                                    std::size_t count, cudaStream_t stream = nullptr) {
        return ExclusiveScan(temporary, temporary_bytes, in, out, cuda::std::plus<T>{}, T{}, count, stream);
    }
};

}  // namespace cub
