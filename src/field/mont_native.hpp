// Montgomery arithmetic of the running host processor. Products are calls, one function a field: they take longer than a
// call does, and their code is large. Sums are inline.
#pragma once

#include "field/constants.hpp"

namespace cuzk::native {

// Defined, for the fields of params.hpp, in mont_native.cpp. Operands and results below p. Thread-safe.
template <class P>
BigInt<P::kLimbs> mul(const BigInt<P::kLimbs>& a, const BigInt<P::kLimbs>& b);
template <class P>
void mul_assign(BigInt<P::kLimbs>& a, const BigInt<P::kLimbs>& b);
template <class P>
BigInt<P::kLimbs> sqr(const BigInt<P::kLimbs>& a);
// Of a Montgomery number, in Montgomery form; 0 for 0. In inverse.cpp.
template <class P>
BigInt<P::kLimbs> inverse(const BigInt<P::kLimbs>& a);

#if defined(__x86_64__) && defined(__OPTIMIZE__)  // without optimisation, not all operands find a register

// a + b and a - b mod p as carry chains, which g++ 12 does not make of portable code; on any x86-64. The top bit of p is
// free, so a + b does not overflow. %H[b0] is the word after b0.

inline BigInt<4> add(const BigInt<4>& a, const BigInt<4>& b, const BigInt<4>& p) {
    u64 r0 = a.limb[0], r1 = a.limb[1], r2 = a.limb[2], r3 = a.limb[3];
    u64 s0, s1, s2, s3;
    __asm__(
        "addq %[b0], %[r0]\n\t"
        "adcq %H[b0], %[r1]\n\t"
        "adcq %[b1], %[r2]\n\t"
        "adcq %H[b1], %[r3]\n\t"
        "movq %[r0], %[s0]\n\t"
        "movq %[r1], %[s1]\n\t"
        "movq %[r2], %[s2]\n\t"
        "movq %[r3], %[s3]\n\t"
        "subq %[p0], %[r0]\n\t"
        "sbbq %H[p0], %[r1]\n\t"
        "sbbq %[p1], %[r2]\n\t"
        "sbbq %H[p1], %[r3]\n\t"
        "cmovcq %[s0], %[r0]\n\t"
        "cmovcq %[s1], %[r1]\n\t"
        "cmovcq %[s2], %[r2]\n\t"
        "cmovcq %[s3], %[r3]\n\t"
        : [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3), [s0] "=&r"(s0), [s1] "=&r"(s1),
          [s2] "=&r"(s2), [s3] "=&r"(s3)
        : [b0] "m"(b.limb[0]), [b1] "m"(b.limb[2]), [p0] "m"(p.limb[0]), [p1] "m"(p.limb[2]), "m"(b), "m"(p)
        : "cc");
    return {{r0, r1, r2, r3}};
}

inline BigInt<4> sub(const BigInt<4>& a, const BigInt<4>& b, const BigInt<4>& p) {
    u64 r0 = a.limb[0], r1 = a.limb[1], r2 = a.limb[2], r3 = a.limb[3];
    u64 s0, s1, s2, s3;
    __asm__(
        "subq %[b0], %[r0]\n\t"
        "sbbq %H[b0], %[r1]\n\t"
        "sbbq %[b1], %[r2]\n\t"
        "sbbq %H[b1], %[r3]\n\t"
        "movl $0, %k[s0]\n\t"
        "movl $0, %k[s1]\n\t"
        "movl $0, %k[s2]\n\t"
        "movl $0, %k[s3]\n\t"
        "cmovcq %[p0], %[s0]\n\t"
        "cmovcq %H[p0], %[s1]\n\t"
        "cmovcq %[p1], %[s2]\n\t"
        "cmovcq %H[p1], %[s3]\n\t"
        "addq %[s0], %[r0]\n\t"
        "adcq %[s1], %[r1]\n\t"
        "adcq %[s2], %[r2]\n\t"
        "adcq %[s3], %[r3]\n\t"
        : [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3), [s0] "=&r"(s0), [s1] "=&r"(s1),
          [s2] "=&r"(s2), [s3] "=&r"(s3)
        : [b0] "m"(b.limb[0]), [b1] "m"(b.limb[2]), [p0] "m"(p.limb[0]), [p1] "m"(p.limb[2]), "m"(b), "m"(p)
        : "cc");
    return {{r0, r1, r2, r3}};
}

inline BigInt<6> add(const BigInt<6>& a, const BigInt<6>& b, const BigInt<6>& p) {
    u64 r0 = a.limb[0], r1 = a.limb[1], r2 = a.limb[2], r3 = a.limb[3], r4 = a.limb[4], r5 = a.limb[5];
    u64 s0, s1, s2, s3, s4, s5;
    __asm__(
        "addq %[b0], %[r0]\n\t"
        "adcq %H[b0], %[r1]\n\t"
        "adcq %[b1], %[r2]\n\t"
        "adcq %H[b1], %[r3]\n\t"
        "adcq %[b2], %[r4]\n\t"
        "adcq %H[b2], %[r5]\n\t"
        "movq %[r0], %[s0]\n\t"
        "movq %[r1], %[s1]\n\t"
        "movq %[r2], %[s2]\n\t"
        "movq %[r3], %[s3]\n\t"
        "movq %[r4], %[s4]\n\t"
        "movq %[r5], %[s5]\n\t"
        "subq %[p0], %[r0]\n\t"
        "sbbq %H[p0], %[r1]\n\t"
        "sbbq %[p1], %[r2]\n\t"
        "sbbq %H[p1], %[r3]\n\t"
        "sbbq %[p2], %[r4]\n\t"
        "sbbq %H[p2], %[r5]\n\t"
        "cmovcq %[s0], %[r0]\n\t"
        "cmovcq %[s1], %[r1]\n\t"
        "cmovcq %[s2], %[r2]\n\t"
        "cmovcq %[s3], %[r3]\n\t"
        "cmovcq %[s4], %[r4]\n\t"
        "cmovcq %[s5], %[r5]\n\t"
        : [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3), [r4] "+&r"(r4), [r5] "+&r"(r5),
          [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [s4] "=&r"(s4), [s5] "=&r"(s5)
        : [b0] "m"(b.limb[0]), [b1] "m"(b.limb[2]), [b2] "m"(b.limb[4]), [p0] "m"(p.limb[0]),
          [p1] "m"(p.limb[2]), [p2] "m"(p.limb[4]), "m"(b), "m"(p)
        : "cc");
    return {{r0, r1, r2, r3, r4, r5}};
}

inline BigInt<6> sub(const BigInt<6>& a, const BigInt<6>& b, const BigInt<6>& p) {
    u64 r0 = a.limb[0], r1 = a.limb[1], r2 = a.limb[2], r3 = a.limb[3], r4 = a.limb[4], r5 = a.limb[5];
    u64 s0, s1, s2, s3, s4, s5;
    __asm__(
        "subq %[b0], %[r0]\n\t"
        "sbbq %H[b0], %[r1]\n\t"
        "sbbq %[b1], %[r2]\n\t"
        "sbbq %H[b1], %[r3]\n\t"
        "sbbq %[b2], %[r4]\n\t"
        "sbbq %H[b2], %[r5]\n\t"
        "movl $0, %k[s0]\n\t"
        "movl $0, %k[s1]\n\t"
        "movl $0, %k[s2]\n\t"
        "movl $0, %k[s3]\n\t"
        "movl $0, %k[s4]\n\t"
        "movl $0, %k[s5]\n\t"
        "cmovcq %[p0], %[s0]\n\t"
        "cmovcq %H[p0], %[s1]\n\t"
        "cmovcq %[p1], %[s2]\n\t"
        "cmovcq %H[p1], %[s3]\n\t"
        "cmovcq %[p2], %[s4]\n\t"
        "cmovcq %H[p2], %[s5]\n\t"
        "addq %[s0], %[r0]\n\t"
        "adcq %[s1], %[r1]\n\t"
        "adcq %[s2], %[r2]\n\t"
        "adcq %[s3], %[r3]\n\t"
        "adcq %[s4], %[r4]\n\t"
        "adcq %[s5], %[r5]\n\t"
        : [r0] "+&r"(r0), [r1] "+&r"(r1), [r2] "+&r"(r2), [r3] "+&r"(r3), [r4] "+&r"(r4), [r5] "+&r"(r5),
          [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [s4] "=&r"(s4), [s5] "=&r"(s5)
        : [b0] "m"(b.limb[0]), [b1] "m"(b.limb[2]), [b2] "m"(b.limb[4]), [p0] "m"(p.limb[0]),
          [p1] "m"(p.limb[2]), [p2] "m"(p.limb[4]), "m"(b), "m"(p)
        : "cc");
    return {{r0, r1, r2, r3, r4, r5}};
}

#endif

}  // namespace cuzk::native
