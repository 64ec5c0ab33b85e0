// Links of carry chains in PTX, for 32-bit words. Suffix _first starts a chain, _last leaves no carry, _to writes elsewhere
// than it reads. A chain spans several asm statements: the carry flag lives on between them because they are volatile, which
// keeps them in order, and nothing that may stand between them touches the flag.
#pragma once

#include "base/types.hpp"

namespace cuzk::device {

__device__ __forceinline__ void add_first(u32& x, u32 y) {
    asm volatile("add.cc.u32 %0, %0, %1;" : "+r"(x) : "r"(y));
}
__device__ __forceinline__ void add_next(u32& x, u32 y) {
    asm volatile("addc.cc.u32 %0, %0, %1;" : "+r"(x) : "r"(y));
}
__device__ __forceinline__ void add_last(u32& x, u32 y) {
    asm volatile("addc.u32 %0, %0, %1;" : "+r"(x) : "r"(y));
}
__device__ __forceinline__ void sub_first(u32& x, u32 y) {
    asm volatile("sub.cc.u32 %0, %0, %1;" : "+r"(x) : "r"(y));
}
__device__ __forceinline__ void sub_next(u32& x, u32 y) {
    asm volatile("subc.cc.u32 %0, %0, %1;" : "+r"(x) : "r"(y));
}
// All ones where the chain of subtractions ended with a borrow, else 0.
__device__ __forceinline__ u32 borrow_mask() {
    u32 mask;
    asm volatile("subc.u32 %0, 0, 0;" : "=r"(mask));
    return mask;
}
__device__ __forceinline__ void product(u32& lo, u32& hi, u32 a, u32 b) {
    asm volatile("mul.lo.u32 %0, %2, %3; mul.hi.u32 %1, %2, %3;" : "=r"(lo), "=r"(hi) : "r"(a), "r"(b));
}
__device__ __forceinline__ void mad_first(u32& lo, u32& hi, u32 a, u32 b) {
    asm volatile("mad.lo.cc.u32 %0, %2, %3, %0; madc.hi.cc.u32 %1, %2, %3, %1;"
                 : "+r"(lo), "+r"(hi)
                 : "r"(a), "r"(b));
}
__device__ __forceinline__ void mad_next(u32& lo, u32& hi, u32 a, u32 b) {
    asm volatile("madc.lo.cc.u32 %0, %2, %3, %0; madc.hi.cc.u32 %1, %2, %3, %1;"
                 : "+r"(lo), "+r"(hi)
                 : "r"(a), "r"(b));
}
// hi:lo = a b + c_hi:c_lo + carry
__device__ __forceinline__ void mad_next_to(u32& lo, u32& hi, u32 a, u32 b, u32 c_lo, u32 c_hi) {
    asm volatile("madc.lo.cc.u32 %0, %2, %3, %4; madc.hi.cc.u32 %1, %2, %3, %5;"
                 : "=r"(lo), "=r"(hi)
                 : "r"(a), "r"(b), "r"(c_lo), "r"(c_hi));
}
// hi:lo = a b + carry
__device__ __forceinline__ void product_last(u32& lo, u32& hi, u32 a, u32 b) {
    asm volatile("madc.lo.cc.u32 %0, %2, %3, 0; madc.hi.u32 %1, %2, %3, 0;"
                 : "=r"(lo), "=r"(hi)
                 : "r"(a), "r"(b));
}
// y:x = b:a + d:c + carry
__device__ __forceinline__ void add_next_to(u32& x, u32& y, u32 a, u32 b, u32 c, u32 d) {
    asm volatile("addc.cc.u32 %0, %2, %4; addc.cc.u32 %1, %3, %5;"
                 : "=r"(x), "=r"(y)
                 : "r"(a), "r"(b), "r"(c), "r"(d));
}
// m = -low, and in `high` one less, or 0 for 0.
__device__ __forceinline__ void negate(u32& m, u32& high, u32 low) {
    asm volatile("sub.cc.u32 %0, 0, %2; subc.u32 %1, %0, 0;" : "=&r"(m), "=r"(high) : "r"(low));
}
// x += the low word of a b; _last of a chain, or by itself.
__device__ __forceinline__ void mad_low(u32& x, u32 a, u32 b) {
    asm volatile("mad.lo.u32 %0, %1, %2, %0;" : "+r"(x) : "r"(a), "r"(b));
}
__device__ __forceinline__ void mad_low_last(u32& x, u32 a, u32 b) {
    asm volatile("madc.lo.u32 %0, %1, %2, %0;" : "+r"(x) : "r"(a), "r"(b));
}

}  // namespace cuzk::device
