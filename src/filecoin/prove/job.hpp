// A decoded and natively checked request: what remains is arithmetic.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "filecoin/circuits/compile.hpp"
#include "filecoin/circuits/witness.hpp"
#include "filecoin/vanilla/request.hpp"

namespace cuzk::filecoin {

struct ProofJob {
    CircuitKind circuit = CircuitKind::kPorep;
    SectorShape shape;
    using Partition = std::variant<PorepPartition, UpdatePartition, PostPartition>;
    std::vector<Partition> partitions;

    CompactWitness witness(std::size_t partition) const;
};

// Decodes the vanilla proofs (Error(kMalformed), Error(kUnsupported)) and checks them natively (Error(kUnsatisfied)), so that
// a bad request costs milliseconds. A WindowPoSt request with more sectors than one partition holds becomes several
// partitions, the last padded with its last sector.
ProofJob prepare(const ProofRequest& request, const std::string& name);

}  // namespace cuzk::filecoin
