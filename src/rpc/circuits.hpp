// The circuits that a configuration registers.
#pragma once

#include "engine/circuit_work.hpp"
#include "rpc/config/config.hpp"

namespace cuzk::rpc {

// Opens every [[circuits]] entry. Throws Error with what is wrong, one mistake a line, each with the line of its entry.
engine::CircuitRegistry open_circuits(const DaemonConfig& config);

}  // namespace cuzk::rpc
