#include "filecoin/circuits/witness.hpp"

namespace cuzk::filecoin {

CompactWitness make_witness(const PorepPartition& partition) {
    WitnessBuilder cs;
    synthesize(cs, partition);
    return cs.finish();
}

CompactWitness make_witness(const SectorShape& shape, const UpdatePartition& partition) {
    WitnessBuilder cs;
    synthesize(cs, shape, partition);
    return cs.finish();
}

CompactWitness make_witness(const PostPartition& partition) {
    WitnessBuilder cs;
    synthesize(cs, partition);
    return cs.finish();
}

}  // namespace cuzk::filecoin
