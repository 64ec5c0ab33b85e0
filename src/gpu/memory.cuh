// Field elements and points in device memory, 16 bytes an access. Addresses are multiples of 16.
#pragma once

#include "curve/affine.hpp"

namespace cuzk::gpu {

template <class F>
inline constexpr int kQuads = static_cast<int>(F::kBytes / 16);

template <class F>
inline constexpr bool kIsQuadratic = requires {
    typename F::Base;
};

// Element from its 16-byte parts: fetch(i) returns part i.
template <class F, class Fetch>
__device__ __forceinline__ F assemble(const Fetch& fetch) {
    if constexpr (kIsQuadratic<F>) {
        using B = typename F::Base;
        const B c0 = assemble<B>(fetch);
        return {c0, assemble<B>([&](int i) { return fetch(i + kQuads<B>); })};
    } else {
        typename F::Int v;
        CUZK_UNROLL
        for (int i = 0; i < kQuads<F>; ++i) {
            const uint4 q = fetch(i);
            v.limb[2 * i] = q.x | (u64{q.y} << 32);
            v.limb[2 * i + 1] = q.z | (u64{q.w} << 32);
        }
        return F::from_montgomery(v);
    }
}

// Hands the parts of an element to put(i, part).
template <class F, class Put>
__device__ __forceinline__ void dissect(const F& x, const Put& put) {
    if constexpr (kIsQuadratic<F>) {
        dissect(x.c0, put);
        dissect(x.c1, [&](int i, const uint4& q) { put(i + kQuads<typename F::Base>, q); });
    } else {
        const auto& v = x.montgomery();
        CUZK_UNROLL
        for (int i = 0; i < kQuads<F>; ++i)
            put(i,
                make_uint4(static_cast<u32>(v.limb[2 * i]), static_cast<u32>(v.limb[2 * i] >> 32),
                           static_cast<u32>(v.limb[2 * i + 1]), static_cast<u32>(v.limb[2 * i + 1] >> 32)));
    }
}

template <class F>
__device__ __forceinline__ F load(const F* address) {
    const auto* quads = reinterpret_cast<const uint4*>(address);
    return assemble<F>([&](int i) { return quads[i]; });
}

// Through the read-only cache: nothing writes there while the kernel runs.
template <class F>
__device__ __forceinline__ F load_constant(const F* address) {
    const auto* quads = reinterpret_cast<const uint4*>(address);
    return assemble<F>([&](int i) { return __ldg(quads + i); });
}

template <class F>
__device__ __forceinline__ void store(F* address, const F& x) {
    auto* quads = reinterpret_cast<uint4*>(address);
    dissect(x, [&](int i, const uint4& q) { quads[i] = q; });
}

}  // namespace cuzk::gpu
