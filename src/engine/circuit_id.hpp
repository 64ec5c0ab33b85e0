// Names of circuits on the wire: "porep-32g", "wpost-32g", "winning-32g", "snap-64g", "porep-2k", "wpost-8m", ...
#pragma once

#include <string>

#include "filecoin/circuits/compile.hpp"

namespace cuzk::engine {

struct CircuitName {
    filecoin::CircuitKind kind = filecoin::CircuitKind::kPorep;
    u64 sector_bytes = 0;
};

// "porep", "snap", "wpost", "winning", a dash, and the size in k, m or g.
std::string circuit_id(filecoin::CircuitKind kind, u64 sector_bytes);
// The inverse. Throws Error(kUsage) saying which ids there are.
CircuitName parse_circuit_id(const std::string& id);

}  // namespace cuzk::engine
