// Door to the 8-lane arithmetic for ordinary test files: each function loads 8 elements, computes, and stores. Defined in
// lane_ops_ifma.cpp for the fields of params.hpp; call only where cpu_features().avx512ifma.
#pragma once

#include "base/types.hpp"

namespace cuzk::lane_test {

enum class Op {
    kAdd,
    kSub,
    kNeg,
    kMul,        // a b 2^-e on raw values
    kSqr,        // a^2 2^-e
    kMulSquare,  // mul(a, a)
    kMulLarge,   // (2^k a)(2^m b) 2^-e with operands as large as mul allows; k, m = kLargeShift, kLargeShift2
    kSqrLarge,   // (2^k a)^2 2^-e
    kMulOne,     // a through x R' and back
    kInverse,    // 1 / a
    kScaleDown1,      // a / 2
    kScaleDown2,      // a / 4
    kScaleDownHalf,   // a 2^(-e/2)
    kScaleDownAll,    // a 2^-e
    kScaleDownLarge,  // (2^k a) 2^-e
    kNegateOdd,       // -a in the odd lanes
    kSelectOdd,       // b in the odd lanes, else a
    kLooseChain,      // a - b - b + a + a, carried once
    kSumOfProducts,   // (a b + b b - a a) 2^-e with one reduction
    kMinusLane0,      // a - a[0]
};

// 8 elements each, without gaps; inputs are any integers below 2p, the output is reduced.
template <class P>
void apply(Op op, const u64* a, const u64* b, u64* out);

// Lanes in which a = 0, a = b mod p.
template <class P>
u8 zero_mask(const u64* a);
template <class P>
u8 equal_mask(const u64* a, const u64* b);

enum class Copy {
    kDense,           // load_dense, store_dense
    kStride,          // load and store with a stride of 13 words
    kEach,            // load_each of the rows in reverse, store_each in reverse
    kEachEven,        // store_each of the even lanes only
    kDenseUnreduced,  // any integers: bits must not change
    kStrideUnreduced,
    kEachUnreduced,
};
// `in` and `out` hold 8 rows of 13 words; kDense and kDenseUnreduced use the first 8 elements' worth without gaps.
template <class P>
void copy(Copy how, const u64* in, u64* out);

enum class Op2 {
    kAdd,
    kSub,
    kNeg,
    kMul,
    kSqr,
    kScale,
    kInverse,
    kScaleDownHalf,
    kNegateOdd,
    kSelectOdd,
    kLoose
};
// The same over Fp2; 8 elements of two components.
template <class P>
void apply2(Op2 op, const u64* a, const u64* b, u64* out);
template <class P>
u8 zero_mask2(const u64* a);
template <class P>
u8 equal_mask2(const u64* a, const u64* b);

// How often mul's operands may be doubled from below 2p: A B <= 35, 84, 2^35.
template <class P>
constexpr unsigned kLargeShift = P::kLimbs == 6         ? 15
                                 : P::kModulus.bit(254) ? 1
                                                        : 2;
template <class P>
constexpr unsigned kLargeShift2 = P::kLimbs == 6 ? 16 : 2;

}  // namespace cuzk::lane_test
