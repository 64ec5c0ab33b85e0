#include "field/measure.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include "field/fp.hpp"
#include "field/limbs52.hpp"
#include "field/measure_lanes.hpp"

namespace cuzk {

namespace {

constexpr std::size_t kSet = 8;

template <class F, class Operation>
void repeat(bool chained, std::size_t count, const Operation& operation) {
    F a[kSet], b[kSet], c[kSet];
    for (std::size_t i = 0; i < kSet; ++i) {
        a[i] = F::from_montgomery(F::Constants::kR2);
        b[i] = F::from_montgomery(F::Constants::kR3);
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

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Nanoseconds a repetition: the best of runs of about a fiftieth of the time, so that one of them escapes interruptions.
template <class P>
double best_ns(Isa isa, FieldOperation operation, bool chained, double seconds) {
    constexpr int kRuns = 50;
    std::size_t count = 8;
    double best = std::numeric_limits<double>::infinity();
    for (int run = 0; run < kRuns; ++run) {
        const double start = seconds_now();
        repeat_field_operation<P>(isa, operation, chained, count);
        const double took = seconds_now() - start;
        if (took < seconds / kRuns / 2) {
            count *= 2;
            best = std::numeric_limits<double>::infinity();
            run = -1;
            continue;
        }
        best = std::min(best, took / static_cast<double>(count));
    }
    return best * 1e9;
}

template <class P>
void measure_field(double seconds, double ghz, std::vector<FieldFigure>& out) {
    for (FieldOperation operation :
         {FieldOperation::kAdd, FieldOperation::kMul, FieldOperation::kSqr, FieldOperation::kInverse})
        for (Isa isa : {Isa::kPortable, Isa::kAdx, Isa::kIfma}) {
            if (isa > best_isa()) continue;
            const double ns = best_ns<P>(isa, operation, false, seconds / 2);
            const double latency = best_ns<P>(isa, operation, true, seconds / 2);
            const double a_cycle = isa == Isa::kIfma ? 2 : 1;
            const double least_ns = static_cast<double>(multiplications<P>(isa, operation)) / a_cycle / ghz;
            out.push_back(
                {P::kName, operation, isa, isa == Isa::kIfma ? ns / 8 : ns, latency, least_ns / ns});
        }
}

}  // namespace

std::string_view operation_name(FieldOperation operation) {
    switch (operation) {
        case FieldOperation::kAdd: return "add";
        case FieldOperation::kMul: return "mul";
        case FieldOperation::kSqr: return "sqr";
        case FieldOperation::kInverse: break;
    }
    return "inverse";
}

template <class P>
void repeat_field_operation(Isa isa, FieldOperation operation, bool chained, std::size_t count) {
    if (isa == Isa::kIfma) return repeat_lane_operation<P>(operation, chained, count);
    const IsaOverride path(isa);
    using F = Fp<P>;
    switch (operation) {
        case FieldOperation::kAdd:
            return repeat<F>(chained, count, [](const F& a, const F& b) { return a + b; });
        case FieldOperation::kMul:
            return repeat<F>(chained, count, [](const F& a, const F& b) { return a * b; });
        case FieldOperation::kSqr:
            return repeat<F>(chained, count, [](const F& a, const F&) { return a.square(); });
        case FieldOperation::kInverse:
            return repeat<F>(chained, count, [](const F& a, const F&) { return a.inverse(); });
    }
}

template <class P>
std::size_t multiplications(Isa isa, FieldOperation operation) {
    const bool sqr = operation == FieldOperation::kSqr;
    if (!sqr && operation != FieldOperation::kMul) return 0;
    if (isa == Isa::kIfma) {
        constexpr std::size_t n =
            Limbs52<P>::kLimbs;  // low and high halves; a row's quotient stands for its lowest column
        return sqr ? n * (n + 1) + 2 * n * n : 4 * n * n;
    }
    constexpr std::size_t n = P::kLimbs;
    return 2 * n * n + n;
}

std::vector<FieldFigure> measure_field_arithmetic(double seconds) {
    std::vector<FieldFigure> out;
    const double ghz = measure_clock_ghz();
    measure_field<Bls12_381FrParams>(seconds, ghz, out);
    measure_field<Bls12_381FpParams>(seconds, ghz, out);
    measure_field<Bn254FrParams>(seconds, ghz, out);
    measure_field<Bn254FpParams>(seconds, ghz, out);
    return out;
}

double measure_clock_ghz() {
    constexpr int kRuns = 200, kSteps = 20000;
    double best = std::numeric_limits<double>::infinity();
    for (int run = 0; run < kRuns; ++run) {
        const double start = seconds_now();
        u64 x = 1;
        for (int i = 0; i < kSteps; ++i) {
#if defined(__x86_64__)
            // One cycle each. A register operand: some cores fold additions of a constant at renaming.
            __asm__ volatile("add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0" : "+r"(x) : : "cc");
#else
            for (int k = 0; k < 4; ++k) {
                x += x;
                __asm__ volatile("" : "+r"(x));
            }
#endif
        }
        best = std::min(best, seconds_now() - start);
    }
    return 4.0 * kSteps / best * 1e-9;
}

#define CUZK_INSTANTIATE(P)                                                          \
    template void repeat_field_operation<P>(Isa, FieldOperation, bool, std::size_t); \
    template std::size_t multiplications<P>(Isa, FieldOperation);
CUZK_INSTANTIATE(Bls12_381FrParams)
CUZK_INSTANTIATE(Bls12_381FpParams)
CUZK_INSTANTIATE(Bn254FrParams)
CUZK_INSTANTIATE(Bn254FpParams)

}  // namespace cuzk
