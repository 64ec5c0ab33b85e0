#include "filecoin/cs/witness.hpp"

namespace cuzk::filecoin {

void WitnessBuilder::append(const CompactWitness& part) {
    witness_.inputs.insert(witness_.inputs.end(), part.inputs.begin(), part.inputs.end());
    witness_.bits.append(part.bits);
    witness_.nums.insert(witness_.nums.end(), part.nums.begin(), part.nums.end());
}

}  // namespace cuzk::filecoin
