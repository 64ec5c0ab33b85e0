// The output of seal commit phase 1 ("C1"): JSON with one vanilla proof a challenge, and Curio's wrapper around it.
#pragma once

#include "filecoin/circuits/porep.hpp"
#include "filecoin/vanilla/merkle_proof.hpp"

namespace cuzk::filecoin {

struct C1Output {
    std::string registered_proof;  // "StackedDrg32GiBV1_1" and the like
    u64 sector_size = 0;
    bool non_interactive = false;
    bool synthetic = false;
    Fr comm_r, comm_d, replica_id;
    std::array<u8, 32> seed{}, ticket{};
    std::vector<PorepPartition> partitions;
};

// `json` is the bare C1 or the wrapper {"SectorNum", "Phase1Out": base64, "SectorSize"}. Decoded once, in one pass, nothing
// kept but what the circuit uses. Throws Error(kMalformed) or Error(kUnsupported) naming partition, challenge and field.
C1Output decode_c1(std::span<const u8> json, const std::string& name);

// Checks natively what the circuit states (labels, encodings, Merkle paths, comm_r). Throws Error(kUnsatisfied). Parallel.
void check_porep(const PorepPartition& partition, const std::string& name);

}  // namespace cuzk::filecoin
