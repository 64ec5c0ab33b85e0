// Kernels of gpu/quotient.hpp beside those of the transforms.
#pragma once

#include "gpu/ntt_kernels.cuh"

namespace cuzk::gpu {

// For the pass that undoes the bit reversal: differences of two vectors.
template <class F>
struct DifferenceReversal {
    F* a;
    const F* b;

    __device__ __forceinline__ F load_at(u32 i) const {
        return Lazy<F>::canonical(Lazy<F>::sub(load_lazy(a + i), load_lazy(b + i)));
    }
    __device__ __forceinline__ void store_at(u32 i, const F& x) const { store(a + i, x); }
};

// a[i] = a[i] b[i]
template <class F>
__global__ void multiply_values(F* a, const F* b, u32 count) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) store(a + i, load(a + i) * load(b + i));
}

// out[i] = a[i] - b[i] as a canonical integer
template <class F>
__global__ void subtract_to_integers(F* out, const F* a, const F* b, u32 count) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) store(out + i, F::from_montgomery((load(a + i) - load(b + i)).to_int()));
}

// out[i] = a[i] - b[i] below the modulus, of elements below twice that
template <class F>
__global__ void subtract_to_canonical(F* out, const F* a, const F* b, u32 count) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) store(out + i, Lazy<F>::canonical(Lazy<F>::sub(load_lazy(a + i), load_lazy(b + i))));
}

}  // namespace cuzk::gpu
