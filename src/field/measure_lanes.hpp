// The vector part of field/measure.hpp.
#pragma once

#include "field/measure.hpp"

namespace cuzk {

// repeat_field_operation for Isa::kIfma. Defined in measure_ifma.cpp; call only where the processor has IFMA.
template <class P>
void repeat_lane_operation(FieldOperation operation, bool chained, std::size_t count);

}  // namespace cuzk
