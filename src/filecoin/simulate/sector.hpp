// Synthetic sectors: valid vanilla proofs of any sector size in seconds, without sealing anything. Only challenged paths
// exist; everything else is uniform. All circuit constraints hold, so the proofs that come out verify. The parents of PoRep
// challenges are chosen, not drawn from the network's graph, so these are no proofs of storage that a chain would accept.
#pragma once

#include "base/random.hpp"
#include "filecoin/circuits/compile.hpp"
#include "filecoin/shapes.hpp"
#include "filecoin/vanilla/request.hpp"

namespace cuzk::filecoin {

struct SimulateOptions {
    u64 seed = 1;                  // equal seeds give equal requests
    bool non_interactive = false;  // PoRep
    bool synthetic = false;        // PoRep
    u32 sectors = 0;               // WindowPoSt: 0 means as many as one partition holds
};

ProofRequest simulate_porep(const SectorShape& shape, const SimulateOptions& options);
ProofRequest simulate_update(const SectorShape& shape, const SimulateOptions& options);
ProofRequest simulate_window_post(const SectorShape& shape, const SimulateOptions& options);
ProofRequest simulate_winning_post(const SectorShape& shape, const SimulateOptions& options);

ProofRequest simulate(CircuitKind kind, const SectorShape& shape, const SimulateOptions& options);

// Protobuf JSON of a request, as parse_request reads it.
std::string request_to_json(const ProofRequest& request);

}  // namespace cuzk::filecoin
