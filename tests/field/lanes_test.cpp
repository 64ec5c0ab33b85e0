// The 8-lane path against single elements, on random and extreme operands and at the edges of the lazy ranges.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "field/cpu.hpp"
#include "field/fp2.hpp"
#include "field/lane_ops.hpp"
#include "field/limbs52.hpp"
#include "field/operands.hpp"

namespace cuzk {
namespace {

using lane_test::Copy;
using lane_test::Op;
using lane_test::Op2;

// Integers below 2p, as the lanes may hold them between operations, with the element that each stands for.
template <class F>
struct Operand {
    typename F::Int words;
    F value;
};

template <class F>
std::vector<Operand<F>> lazy_operands(std::size_t random_count, u64 seed) {
    std::vector<Operand<F>> all;
    for (const F& x : field_test::operands<F>(random_count, seed)) {
        auto above = x.montgomery();
        all.push_back({above, x});
        above.add(F::Constants::kModulus);
        all.push_back({above, x});
    }
    // Neighbours in one vector should differ in kind.
    SeededRandom source(seed);
    for (std::size_t i = all.size(); i-- > 1;) {
        u32 r = 0;
        source.fill(std::span<u8>(reinterpret_cast<u8*>(&r), sizeof r));
        std::swap(all[i], all[r % (i + 1)]);
    }
    return all;
}

template <class F>
F power_of_two(std::size_t k) {
    return F::from_u64(2).pow(k);
}

template <class F>
class LanesTest : public testing::Test {
protected:
    static constexpr std::size_t N = F::kLimbs;
    using P = typename F::Params;
    using Int = typename F::Int;

    void SetUp() override {
        if (!cpu_features().avx512ifma) GTEST_SKIP() << "this processor lacks AVX-512 IFMA";
    }

    static F expected(Op op, const std::vector<Operand<F>>& a, const std::vector<Operand<F>>& b,
                      std::size_t lane) {
        constexpr std::size_t e = Limbs52<P>::kExtra, k = lane_test::kLargeShift<P>;
        const F &x = a[lane].value, &y = b[lane].value;
        const F down = power_of_two<F>(e).inverse();
        const bool odd = lane % 2 != 0;
        switch (op) {
            case Op::kAdd: return x + y;
            case Op::kSub: return x - y;
            case Op::kNeg: return -x;
            case Op::kMul: return x * y * down;
            case Op::kSqr:
            case Op::kMulSquare: return x * x * down;
            case Op::kMulLarge: return x * y * power_of_two<F>(k + lane_test::kLargeShift2<P>) * down;
            case Op::kSqrLarge: return x * x * power_of_two<F>(2 * k) * down;
            case Op::kMulOne: return x;
            case Op::kInverse: return x.inverse();
            case Op::kScaleDown1: return x * power_of_two<F>(1).inverse();
            case Op::kScaleDown2: return x * power_of_two<F>(2).inverse();
            case Op::kScaleDownHalf: return x * power_of_two<F>(e / 2).inverse();
            case Op::kScaleDownAll: return x * down;
            case Op::kScaleDownLarge: return x * power_of_two<F>(k) * down;
            case Op::kNegateOdd: return odd ? -x : x;
            case Op::kSelectOdd: return odd ? y : x;
            case Op::kLooseChain: return x + x + x - y - y;
            case Op::kSumOfProducts: return (x * y + y * y - x * x) * down;
            case Op::kMinusLane0: return x - a[0].value;
        }
        return x;
    }

    static void check(Op op, const std::vector<Operand<F>>& a, const std::vector<Operand<F>>& b) {
        Int left[8], right[8];
        F out[8];
        for (std::size_t i = 0; i < 8; ++i) {
            left[i] = a[i].words;
            right[i] = b[i].words;
        }
        lane_test::apply<P>(op, left[0].limb, right[0].limb, reinterpret_cast<u64*>(out));
        for (std::size_t i = 0; i < 8; ++i) {
            EXPECT_EQ(out[i], expected(op, a, b, i))
                << "operation " << static_cast<int>(op) << ", lane " << i;
            EXPECT_TRUE(out[i].montgomery() < F::Constants::kModulus);
        }
    }

    static void check_pairs(std::initializer_list<Op> ops, std::size_t random_count) {
        const auto all = lazy_operands<F>(random_count, 21);
        for (std::size_t i = 0; i + 8 <= all.size(); i += 8)
            for (std::size_t j = 0; j + 8 <= all.size(); j += 8)
                for (std::size_t turn = 0; turn < 8; ++turn) {
                    const std::vector<Operand<F>> a(all.begin() + i, all.begin() + i + 8);
                    std::vector<Operand<F>> b(all.begin() + j, all.begin() + j + 8);
                    std::rotate(b.begin(), b.begin() + turn, b.end());
                    for (Op op : ops) check(op, a, b);
                }
    }

    static void check_each(std::initializer_list<Op> ops, std::size_t random_count) {
        const auto all = lazy_operands<F>(random_count, 22);
        for (std::size_t i = 0; i + 8 <= all.size(); i += 8) {
            const std::vector<Operand<F>> a(all.begin() + i, all.begin() + i + 8);
            for (Op op : ops) check(op, a, a);
        }
    }
};
TYPED_TEST_SUITE(LanesTest, field_test::Fields);

TYPED_TEST(LanesTest, SumsAgree) {
    this->check_pairs({Op::kAdd, Op::kSub, Op::kLooseChain, Op::kSelectOdd}, 20);
}
TYPED_TEST(LanesTest, ProductsAgree) {
    this->check_pairs({Op::kMul, Op::kMulLarge, Op::kSumOfProducts}, 20);
}
TYPED_TEST(LanesTest, OneOperandOperationsAgree) {
    this->check_each(
        {Op::kNeg, Op::kSqr, Op::kMulSquare, Op::kSqrLarge, Op::kMulOne, Op::kScaleDown1, Op::kScaleDown2,
         Op::kScaleDownHalf, Op::kScaleDownAll, Op::kScaleDownLarge, Op::kNegateOdd, Op::kMinusLane0},
        300);
}
TYPED_TEST(LanesTest, InversesAgree) {
    this->check_each({Op::kInverse}, 100);
}

// Integers past 2p, up to what fits: mul's bound A B p <= R' is met by 2^(64 words) - 1 in every field.
TYPED_TEST(LanesTest, ProductsOfFullWords) {
    using F = TypeParam;
    using P = typename F::Params;
    typename F::Int ones;
    for (u64& limb : ones.limb) limb = ~u64{0};
    const F value = F::from_u64(2).pow(64 * F::kLimbs) - F::one();  // as an integer mod p
    const F raw = F::from_montgomery(value.to_int());
    std::vector<Operand<F>> a(8, {ones, raw});
    this->check(Op::kMul, a, a);
    this->check(Op::kSqr, a, a);
    static_assert(Limbs52<P>::kLimbs * 52 == 64 * F::kLimbs + Limbs52<P>::kExtra);
}

TYPED_TEST(LanesTest, MasksAgree) {
    using F = TypeParam;
    using P = typename F::Params;
    const auto all = lazy_operands<F>(200, 23);
    std::size_t zeros = 0, equals = 0;
    for (std::size_t i = 0; i + 8 <= all.size(); i += 8) {
        typename F::Int a[8], b[8];
        u8 zero = 0, equal = 0;
        for (std::size_t k = 0; k < 8; ++k) {
            const auto &x = all[i + k],
                       &y = (i + k) % 3 == 0 ? all[i + k] : all[(i * 5 + k + 1) % all.size()];
            a[k] = x.words;
            b[k] = y.words;
            // The other representative of the same element.
            if ((i + k) % 6 == 0) b[k] = y.value.montgomery();
            zero |= static_cast<u8>(x.value.is_zero() << k);
            equal |= static_cast<u8>((x.value == y.value) << k);
        }
        EXPECT_EQ(lane_test::zero_mask<P>(a[0].limb), zero);
        EXPECT_EQ((lane_test::equal_mask<P>(a[0].limb, b[0].limb)), equal);
        zeros += zero != 0;
        equals += equal != 0;
    }
    EXPECT_GT(zeros, 0u);
    EXPECT_GT(equals, 0u);
}

// A value that shares its lowest limb with zero or p is not zero.
TYPED_TEST(LanesTest, ZeroMaskLooksAtAllLimbs) {
    using F = TypeParam;
    using P = typename F::Params;
    typename F::Int a[8];
    for (std::size_t k = 0; k < 8; ++k) {
        a[k] = k % 2 == 0 ? typename F::Int{} : F::Constants::kModulus;
        if (k >= 2) a[k].limb[k % (F::kLimbs - 1) + 1] ^= 1;
    }
    EXPECT_EQ(lane_test::zero_mask<P>(a[0].limb), 3);
}

TYPED_TEST(LanesTest, MemoryFormsAgree) {
    using F = TypeParam;
    using P = typename F::Params;
    constexpr std::size_t kStride = 13, kGuard = 0x5a5a5a5a;
    SeededRandom source(24);
    for (int round = 0; round < 20; ++round) {
        std::vector<u64> in(8 * kStride), out(8 * kStride);
        for (Copy how : {Copy::kDense, Copy::kStride, Copy::kEach, Copy::kEachEven, Copy::kDenseUnreduced,
                         Copy::kStrideUnreduced, Copy::kEachUnreduced}) {
            const bool dense = how == Copy::kDense || how == Copy::kDenseUnreduced;
            const bool reduces =
                how == Copy::kDense || how == Copy::kStride || how == Copy::kEach || how == Copy::kEachEven;
            const std::size_t stride = dense ? F::kLimbs : kStride;
            source.fill(std::span<u8>(reinterpret_cast<u8*>(in.data()), 8 * in.size()));
            std::vector<F> value(8);
            if (reduces)
                for (std::size_t i = 0; i < 8; ++i) {
                    value[i] = F::random(source);
                    auto x = value[i].montgomery();
                    if (i % 2 != 0) x.add(F::Constants::kModulus);
                    std::memcpy(&in[i * stride], x.limb, sizeof x.limb);
                }
            std::fill(out.begin(), out.end(), kGuard);
            lane_test::copy<P>(how, in.data(), out.data());
            for (std::size_t i = 0; i < 8; ++i)
                for (std::size_t j = 0; j < stride; ++j) {
                    const u64 word = out[i * stride + j];
                    // kEach numbers its lanes from the last row
                    const bool written = j < F::kLimbs && (how != Copy::kEachEven || (7 - i) % 2 == 0);
                    const u64 expected = !written  ? kGuard
                                         : reduces ? value[i].montgomery().limb[j]
                                                   : in[i * stride + j];
                    EXPECT_EQ(word, expected) << static_cast<int>(how) << " row " << i << " word " << j;
                }
        }
    }
}

template <class F>
class Lanes2Test : public testing::Test {
protected:
    void SetUp() override {
        if (!cpu_features().avx512ifma) GTEST_SKIP() << "this processor lacks AVX-512 IFMA";
    }
};
using BaseFields = testing::Types<Bls12_381Fp, Bn254Fp>;
TYPED_TEST_SUITE(Lanes2Test, BaseFields);

TYPED_TEST(Lanes2Test, OperationsAgree) {
    using F = TypeParam;
    using P = typename F::Params;
    using F2 = Fp2<F>;
    const F down = power_of_two<F>(Limbs52<P>::kExtra).inverse();
    const F half_down = power_of_two<F>(Limbs52<P>::kExtra / 2).inverse();
    const auto all = lazy_operands<F>(100, 25);
    for (std::size_t start = 0; start + 8 <= all.size(); ++start) {
        typename F::Int words[2][8][2];
        F2 value[2][8], out[8];
        for (std::size_t side = 0; side < 2; ++side)
            for (std::size_t i = 0; i < 8; ++i) {
                const auto& c0 = all[(start * (1 + 2 * side) + i) % all.size()];
                const auto& c1 = all[(start * (3 + 4 * side) + 5 * i + side) % all.size()];
                words[side][i][0] = c0.words;
                words[side][i][1] = c1.words;
                value[side][i] = {c0.value, c1.value};
            }
        for (Op2 op : {Op2::kAdd, Op2::kSub, Op2::kNeg, Op2::kMul, Op2::kSqr, Op2::kScale, Op2::kInverse,
                       Op2::kScaleDownHalf, Op2::kNegateOdd, Op2::kSelectOdd, Op2::kLoose}) {
            lane_test::apply2<P>(op, words[0][0][0].limb, words[1][0][0].limb, reinterpret_cast<u64*>(out));
            for (std::size_t i = 0; i < 8; ++i) {
                const F2 &a = value[0][i], &b = value[1][i];
                const bool odd = i % 2 != 0;
                const F2 expected = [&]() -> F2 {
                    switch (op) {
                        case Op2::kAdd: return a + b;
                        case Op2::kSub: return a - b;
                        case Op2::kNeg: return -a;
                        case Op2::kMul: return a * b * down;
                        case Op2::kSqr: return a.square() * down;
                        case Op2::kScale: return a * b.c0 * down;
                        case Op2::kInverse: return a.inverse();
                        case Op2::kScaleDownHalf: return a * half_down;
                        case Op2::kNegateOdd: return odd ? -a : a;
                        case Op2::kSelectOdd: return odd ? b : a;
                        case Op2::kLoose: return a + a - b;
                    }
                    return a;
                }();
                EXPECT_EQ(out[i], expected) << "operation " << static_cast<int>(op) << ", lane " << i;
            }
        }
    }
}

TYPED_TEST(Lanes2Test, MasksNeedBothComponents) {
    using F = TypeParam;
    using P = typename F::Params;
    const auto p = F::Constants::kModulus;
    typename F::Int zero, one = F::Int::from_u64(1), a[8][2], b[8][2];
    const typename F::Int* kinds[8][2] = {{&zero, &zero}, {&p, &zero},   {&zero, &p}, {&p, &p},
                                          {&one, &zero},  {&zero, &one}, {&one, &p},  {&one, &one}};
    for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t c = 0; c < 2; ++c) {
            a[i][c] = *kinds[i][c];
            b[i][c] = *kinds[7 - i][c];
        }
    EXPECT_EQ(lane_test::zero_mask2<P>(a[0][0].limb), 0x0f);
    EXPECT_EQ((lane_test::equal_mask2<P>(a[0][0].limb, a[0][0].limb)), 0xff);
    EXPECT_EQ((lane_test::equal_mask2<P>(a[0][0].limb, b[0][0].limb)), 0);
}

}  // namespace
}  // namespace cuzk
