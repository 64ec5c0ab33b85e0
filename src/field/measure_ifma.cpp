#include "field/ifma_lanes.hpp"
#include "field/measure_lanes.hpp"
#include "field/params.hpp"

namespace cuzk {

namespace {

constexpr std::size_t kSet = 8;

template <class P, class Operation>
[[gnu::always_inline]] inline void repeat(bool chained, std::size_t count, const Operation& operation) {
    using L = ifma::Lanes<P>;
    L a[kSet], b[kSet], c[kSet];
    for (std::size_t i = 0; i < kSet; ++i) {
        a[i] = L::template constant<FieldConstants<P>::kR2>();
        b[i] = L::template constant<FieldConstants<P>::kR3>();
    }
    if (chained) {
        for (std::size_t i = 0; i < count; ++i) a[0] = operation(a[0], b[0]);
        __asm__ volatile("" ::"r"(a) : "memory");
        return;
    }
    for (std::size_t i = 0; i < count; i += kSet) {
        for (std::size_t j = 0; j < kSet; ++j) c[j] = operation(a[j], b[j]);
        __asm__ volatile("" ::"r"(a), "r"(b), "r"(c) : "memory");
    }
}

}  // namespace

template <class P>
void repeat_lane_operation(FieldOperation operation, bool chained, std::size_t count) {
    using L = ifma::Lanes<P>;
    switch (operation) {
        case FieldOperation::kAdd:
            return repeat<P>(chained, count, [](const L& a, const L& b) { return ifma::add(a, b); });
        case FieldOperation::kMul:
            return repeat<P>(chained, count, [](const L& a, const L& b) { return ifma::mul(a, b); });
        case FieldOperation::kSqr:
            return repeat<P>(chained, count, [](const L& a, const L&) { return ifma::sqr(a); });
        case FieldOperation::kInverse:
            return repeat<P>(chained, count, [](const L& a, const L&) { return ifma::inverse(a); });
    }
}

template void repeat_lane_operation<Bls12_381FrParams>(FieldOperation, bool, std::size_t);
template void repeat_lane_operation<Bls12_381FpParams>(FieldOperation, bool, std::size_t);
template void repeat_lane_operation<Bn254FrParams>(FieldOperation, bool, std::size_t);
template void repeat_lane_operation<Bn254FpParams>(FieldOperation, bool, std::size_t);

}  // namespace cuzk
