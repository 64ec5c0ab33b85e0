// Inverses on a CUDA device by division steps (Bernstein, Yang: Fast constant-time gcd computation and modular inversion,
// 2019), thirty at a time on words of 30 bits. All lanes of a warp take the same steps; a tenth of the time of a power.
#pragma once

#include "field/mont_device.cuh"

namespace cuzk::device {

template <class P>
struct DivisionSteps {
    using i32 = int;
    static constexpr int kBits = static_cast<int>(FieldConstants<P>::kBits);
    // One bit of room for the sign.
    static constexpr int kWords = (kBits + 30) / 30;
    // Enough batches for any value when delta starts at 1/2 (Wuille's bound for the hull of that variant).
    static constexpr int kBatches = ((45907 * kBits + 26313) / 19929 + 1 + 29) / 30;
    static constexpr u32 kMask = (u32{1} << 30) - 1;
    static constexpr u32 kInverse = (0 - static_cast<u32>(FieldConstants<P>::kN0)) & kMask;  // p^-1 mod 2^30

    __device__ static __forceinline__ constexpr i32 modulus(int i) {
        constexpr auto kModulus = P::kModulus;
        return static_cast<i32>(kModulus.bits(static_cast<std::size_t>(30 * i), 30));
    }

    // d + p if d is negative; then words to 30 bits but for the signed top one.
    __device__ static __forceinline__ void add_modulus_if_negative(i32* d, i32 negate) {
        const i32 negative = d[kWords - 1] >> 31;
        CUZK_UNROLL
        for (int i = 0; i < kWords; ++i) {
            d[i] += modulus(i) & negative;
            d[i] = (d[i] ^ negate) - negate;
        }
        CUZK_UNROLL
        for (int i = 0; i + 1 < kWords; ++i) {
            d[i + 1] += d[i] >> 30;
            d[i] &= static_cast<i32>(kMask);
        }
    }
};

// Of a Montgomery number, in Montgomery form; 0 for 0. A call: its code is long and its use rare.
template <class P>
__device__ __noinline__ BigInt<P::kLimbs> inverse(const BigInt<P::kLimbs>& a) {
    using D = DivisionSteps<P>;
    using i64 = long long;
    constexpr int N = D::kWords;
    int f[N], g[N], d[N], e[N];
    CUZK_UNROLL
    for (int i = 0; i < N; ++i) {
        f[i] = D::modulus(i);
        g[i] = static_cast<int>(a.bits(static_cast<std::size_t>(30 * i), 30));
        d[i] = 0;
        e[i] = i == 0;
    }
    int zeta = -1;  // -(delta + 1/2)
#pragma unroll 1
    for (int batch = 0; batch < D::kBatches; ++batch) {
        // Thirty steps on the lowest words alone, as a matrix (u v; q r).
        int u = 1, v = 0, q = 0, r = 1;
        int low_f = f[0], low_g = g[0];
#pragma unroll 10
        for (int k = 0; k < 30; ++k) {
            int swap = zeta >> 31;
            const int odd = -(low_g & 1);
            const int x = (low_f ^ swap) - swap;
            const int y = (u ^ swap) - swap;
            const int z = (v ^ swap) - swap;
            low_g += x & odd;
            q += y & odd;
            r += z & odd;
            swap &= odd;
            zeta = (zeta ^ swap) - 1;
            low_f += low_g & swap;
            u += q & swap;
            v += r & swap;
            low_g >>= 1;
            u <<= 1;
            v <<= 1;
        }
        {  // (d, e) = matrix (d, e) / 2^30 mod p
            const int sign_d = d[N - 1] >> 31;
            const int sign_e = e[N - 1] >> 31;
            int md = (u & sign_d) + (v & sign_e);
            int me = (q & sign_d) + (r & sign_e);
            i64 cd = i64{u} * d[0] + i64{v} * e[0];
            i64 ce = i64{q} * d[0] + i64{r} * e[0];
            md -= static_cast<int>((D::kInverse * static_cast<u32>(cd) + static_cast<u32>(md)) & D::kMask);
            me -= static_cast<int>((D::kInverse * static_cast<u32>(ce) + static_cast<u32>(me)) & D::kMask);
            cd = (cd + i64{D::modulus(0)} * md) >> 30;
            ce = (ce + i64{D::modulus(0)} * me) >> 30;
            CUZK_UNROLL
            for (int i = 1; i < N; ++i) {
                const int di = d[i], ei = e[i];
                cd += i64{u} * di + i64{v} * ei + i64{D::modulus(i)} * md;
                ce += i64{q} * di + i64{r} * ei + i64{D::modulus(i)} * me;
                d[i - 1] = static_cast<int>(static_cast<u32>(cd) & D::kMask);
                e[i - 1] = static_cast<int>(static_cast<u32>(ce) & D::kMask);
                cd >>= 30;
                ce >>= 30;
            }
            d[N - 1] = static_cast<int>(cd);
            e[N - 1] = static_cast<int>(ce);
        }
        {  // (f, g) = matrix (f, g) / 2^30, exactly
            i64 cf = (i64{u} * f[0] + i64{v} * g[0]) >> 30;
            i64 cg = (i64{q} * f[0] + i64{r} * g[0]) >> 30;
            CUZK_UNROLL
            for (int i = 1; i < N; ++i) {
                const int fi = f[i], gi = g[i];
                cf += i64{u} * fi + i64{v} * gi;
                cg += i64{q} * fi + i64{r} * gi;
                f[i - 1] = static_cast<int>(static_cast<u32>(cf) & D::kMask);
                g[i - 1] = static_cast<int>(static_cast<u32>(cg) & D::kMask);
                cf >>= 30;
                cg >>= 30;
            }
            f[N - 1] = static_cast<int>(cf);
            g[N - 1] = static_cast<int>(cg);
        }
    }
    // g = 0 and f = +-1, with d = f / a in (-2p, p)
    D::add_modulus_if_negative(d, f[N - 1] >> 31);
    D::add_modulus_if_negative(d, 0);
    BigInt<P::kLimbs> r;
    CUZK_UNROLL
    for (int i = 0; i < N; ++i) {
        const u64 word = static_cast<u32>(d[i]);
        const int limb = 30 * i / 64;
        const int shift = 30 * i % 64;
        r.limb[limb] |= word << shift;
        if (shift > 34 && limb + 1 < static_cast<int>(P::kLimbs)) r.limb[limb + 1] |= word >> (64 - shift);
    }
    constexpr auto kR3 = FieldConstants<P>::kR3;
    return mul<P>(r, kR3);
}

}  // namespace cuzk::device
