// The values of a circuit's variables in device memory: those that are 0 or 1 as bits, the others as field elements.
#pragma once

#include "gpu/arena.hpp"
#include "gpu/memory.cuh"

namespace cuzk::gpu {

// Bitmaps are words of 32 variables, low bit first; variables are numbered as everywhere (the one, inputs, private ones).
template <class Fr>
struct WitnessView {
    const u32* is_wide;      // the value is in `wide`
    const u32* wide_before;  // a word: how many are in `wide` for variables of words before it
    const u32* bits;         // the values of the others; zero where wide
    const Fr* wide;          // Montgomery

    // The word and the bit of a variable.
    struct Place {
        u32 word, bit;
    };
    __device__ __forceinline__ static Place place(u32 variable) {
        return {variable / 32, u32{1} << (variable % 32)};
    }
    __device__ __forceinline__ bool wide_at(const Place& p) const { return (is_wide[p.word] & p.bit) != 0; }
    __device__ __forceinline__ bool bit_at(const Place& p) const { return (bits[p.word] & p.bit) != 0; }
    __device__ __forceinline__ u32 wide_index(const Place& p) const {
        return wide_before[p.word] + static_cast<u32>(__popc(is_wide[p.word] & (p.bit - 1)));
    }
    __device__ __forceinline__ Fr value(u32 variable) const {
        const Place p = place(variable);
        if (wide_at(p)) return load_constant(wide + wide_index(p));
        return bit_at(p) ? Fr::one() : Fr::zero();
    }
};

}  // namespace cuzk::gpu
