#include "filecoin/circuits/compile.hpp"

#include "filecoin/circuits/porep.hpp"
#include "filecoin/circuits/post.hpp"
#include "filecoin/circuits/update.hpp"

namespace cuzk::filecoin {

const char* circuit_name(CircuitKind kind) {
    switch (kind) {
        case CircuitKind::kPorep: return "porep";
        case CircuitKind::kUpdate: return "update";
        case CircuitKind::kWindowPost: return "window-post";
        case CircuitKind::kWinningPost: return "winning-post";
    }
    return "unknown";
}

CircuitKind circuit_of_name(const std::string& name) {
    for (const auto kind :
         {CircuitKind::kPorep, CircuitKind::kUpdate, CircuitKind::kWindowPost, CircuitKind::kWinningPost})
        if (name == circuit_name(kind)) return kind;
    throw Error(ErrorKind::kUsage, "unknown circuit '" + name + "'");
}

InstancedR1cs compile_circuit(CircuitKind kind, const SectorShape& shape) {
    StructureBuilder cs;
    switch (kind) {
        case CircuitKind::kPorep: synthesize(cs, blank_porep(shape)); break;
        case CircuitKind::kUpdate: synthesize(cs, shape, blank_update(shape)); break;
        case CircuitKind::kWindowPost:
            synthesize(cs, blank_post(shape, shape.window_slots, kWindowChallenges));
            break;
        case CircuitKind::kWinningPost: synthesize(cs, blank_post(shape, kWinningSlots, 1)); break;
    }
    return cs.finish();
}

}  // namespace cuzk::filecoin
