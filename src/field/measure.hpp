// Speed of the field operations on each path, for benchmarks and the `bench` command.
#pragma once

#include <string_view>
#include <vector>

#include "field/cpu.hpp"

namespace cuzk {

enum class FieldOperation { kAdd, kMul, kSqr, kInverse };

// "add", "mul", "sqr", "inverse"
std::string_view operation_name(FieldOperation operation);

// Runs an operation `count` times on one element (kIfma: on 8 at once, so on 8 `count`) in the first-level cache. Chained:
// each on the result of the one before (latency), else on independent operands (throughput). Sets the process-wide path
// while it runs. Defined for the fields of params.hpp. The path must be one that the processor has.
template <class P>
void repeat_field_operation(Isa isa, FieldOperation operation, bool chained, std::size_t count);

// Multiplications of words (portable, adx: one 64x64 product, one a cycle) or vector multiply-adds (ifma: two a cycle, for
// 8 elements) in a product or square of the field; 0 for the other operations.
template <class P>
std::size_t multiplications(Isa isa, FieldOperation operation);

struct FieldFigure {
    std::string_view field;  // P::kName
    FieldOperation operation;
    Isa isa;
    double throughput_ns;  // an element
    double latency_ns;     // a chained operation; 8 elements at once under kIfma
    double
        limit_share;  // share of the multiplier's limit at the measured clock; 0 where that is not what binds
};

// Every field, operation and path of this processor; each figure is the best of several runs that take about `seconds`
// together. One thread.
std::vector<FieldFigure> measure_field_arithmetic(double seconds = 0.02);

// Cycles a nanosecond, by a chain of additions; the best of many short runs.
double measure_clock_ghz();

}  // namespace cuzk
