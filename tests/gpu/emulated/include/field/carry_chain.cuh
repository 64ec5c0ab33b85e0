// field/carry_chain.cuh with the carry flag as a variable.
#pragma once

#include "base/types.hpp"
#include "cuda_runtime.h"

namespace cuzk::device {

inline thread_local u32 carry_flag = 0;

inline u32 add_and_carry(u32 a, u32 b, u32 carry) {
    const u64 sum = u64{a} + b + carry;
    carry_flag = static_cast<u32>(sum >> 32);
    return static_cast<u32>(sum);
}
inline u32 subtract_and_borrow(u32 a, u32 b, u32 borrow) {
    const u64 difference = u64{a} - b - borrow;
    carry_flag = static_cast<u32>(difference >> 63);
    return static_cast<u32>(difference);
}
inline u32 high(u32 a, u32 b) {
    return static_cast<u32>((u64{a} * b) >> 32);
}

inline void add_first(u32& x, u32 y) {
    x = add_and_carry(x, y, 0);
}
inline void add_next(u32& x, u32 y) {
    x = add_and_carry(x, y, carry_flag);
}
inline void add_last(u32& x, u32 y) {
    x += y + carry_flag;
}
inline void sub_first(u32& x, u32 y) {
    x = subtract_and_borrow(x, y, 0);
}
inline void sub_next(u32& x, u32 y) {
    x = subtract_and_borrow(x, y, carry_flag);
}
inline u32 borrow_mask() {
    return 0 - carry_flag;
}
inline void product(u32& lo, u32& hi, u32 a, u32 b) {
    const u64 all = u64{a} * b;
    lo = static_cast<u32>(all);
    hi = static_cast<u32>(all >> 32);
}
inline void mad_first(u32& lo, u32& hi, u32 a, u32 b) {
    const u32 h = high(a, b);
    lo = add_and_carry(a * b, lo, 0);
    hi = add_and_carry(h, hi, carry_flag);
}
inline void mad_next(u32& lo, u32& hi, u32 a, u32 b) {
    const u32 h = high(a, b);
    lo = add_and_carry(a * b, lo, carry_flag);
    hi = add_and_carry(h, hi, carry_flag);
}
inline void mad_next_to(u32& lo, u32& hi, u32 a, u32 b, u32 c_lo, u32 c_hi) {
    const u32 h = high(a, b);
    lo = add_and_carry(a * b, c_lo, carry_flag);
    hi = add_and_carry(h, c_hi, carry_flag);
}
inline void product_last(u32& lo, u32& hi, u32 a, u32 b) {
    const u32 h = high(a, b);
    lo = add_and_carry(a * b, 0, carry_flag);
    hi = h + carry_flag;
}
inline void add_next_to(u32& x, u32& y, u32 a, u32 b, u32 c, u32 d) {
    x = add_and_carry(a, c, carry_flag);
    y = add_and_carry(b, d, carry_flag);
}
inline void negate(u32& m, u32& high, u32 low) {
    m = subtract_and_borrow(0, low, 0);
    high = m - carry_flag;
}
inline void mad_low(u32& x, u32 a, u32 b) {
    x += a * b;
}
inline void mad_low_last(u32& x, u32 a, u32 b) {
    x += a * b + carry_flag;
}

}  // namespace cuzk::device
