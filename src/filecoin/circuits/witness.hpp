// Per proof: the compact witness of one partition.
#pragma once

#include "filecoin/circuits/porep.hpp"
#include "filecoin/circuits/post.hpp"
#include "filecoin/circuits/update.hpp"
#include "filecoin/cs/witness.hpp"

namespace cuzk::filecoin {

// Values of all variables, in parallel. They follow from the inputs alone, so an input that does not satisfy the circuit gives
// a witness that does not either.
CompactWitness make_witness(const PorepPartition& partition);
CompactWitness make_witness(const SectorShape& shape, const UpdatePartition& partition);
CompactWitness make_witness(const PostPartition& partition);

}  // namespace cuzk::filecoin
