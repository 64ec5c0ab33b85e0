// Products by calls in device code: where inlined ones would be too many for the registers or the instruction cache, or run
// seldom. Operands and result travel in registers.
#pragma once

namespace cuzk::device {

template <class F>
__device__ __noinline__ F called_product(F a, F b) {
    return a * b;
}

}  // namespace cuzk::device
