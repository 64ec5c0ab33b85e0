#include "filecoin/simulate/sector.hpp"

#include "base/error.hpp"

namespace cuzk::filecoin {

ProofRequest simulate(CircuitKind kind, const SectorShape& shape, const SimulateOptions& options) {
    switch (kind) {
        case CircuitKind::kPorep: return simulate_porep(shape, options);
        case CircuitKind::kUpdate: return simulate_update(shape, options);
        case CircuitKind::kWindowPost: return simulate_window_post(shape, options);
        case CircuitKind::kWinningPost: return simulate_winning_post(shape, options);
    }
    throw Error(ErrorKind::kInternal, "no such circuit");
}

}  // namespace cuzk::filecoin
