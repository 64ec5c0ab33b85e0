// What a chain records about a proof of storage, and the public inputs that follow from it: enough to verify without the vanilla
// proof.
#pragma once

#include <array>
#include <variant>
#include <vector>

#include "base/byte_source.hpp"
#include "filecoin/circuits/compile.hpp"
#include "filecoin/vanilla/request.hpp"

namespace cuzk::filecoin {

using Bytes32 = std::array<u8, 32>;

// A sealed sector. All partitions of the proof.
struct PorepClaim {
    SectorShape shape;
    enum class Form { kInteractive, kSynthetic, kNonInteractive } form = Form::kInteractive;
    bool version_1_0 = false;  // of the network's API: another graph
    Bytes32 porep_id{}, ticket{}, seed{};
    u64 miner_id = 0, sector_number = 0;
    Fr comm_d, comm_r;
};

// An updated sector. All partitions of the proof.
struct UpdateClaim {
    SectorShape shape;
    Fr comm_r_old, comm_d_new, comm_r_new;
};

// Sectors that are still there: as many partitions as they fill, beginning with `partition_index`.
struct PostClaim {
    SectorShape shape;
    bool winning = false;
    bool running_challenges = false;  // challenge numbers run over all sectors of a deadline (API below 1.2)
    Bytes32 randomness{};
    u32 partition_index = 0;
    struct Sector {
        u64 number = 0;
        Fr comm_r;
    };
    std::vector<Sector> sectors;  // in the order in which they were proved: ascending numbers on the network
};

using Claim = std::variant<PorepClaim, UpdateClaim, PostClaim>;

CircuitKind circuit_of(const Claim& claim);
const SectorShape& shape_of(const Claim& claim);

// Public inputs of each partition, the constant one left out. Parallel.
std::vector<std::vector<Fr>> public_inputs(const Claim& claim);

// Whether a document is a claim, rather than a request with its vanilla proofs.
bool is_claim(std::span<const u8> json);

// A JSON object:
//   all        proof_kind (as in a request), registered_proof; sector_size where the registered proof does not imply it
//   PoRep      miner_id, sector_number, ticket, comm_d, comm_r; seed (but for the non-interactive form); porep_id if it is not the
//              one of the registered proof
//   SnapDeals  comm_r_old, comm_r_new, comm_d_new
//   PoSt       randomness, sectors: [{sector_number, comm_r}, ...]; partition_index (Window, 0 if absent)
// 32 bytes are hexadecimal or base64, commitments may be CIDs. The two top bits of PoSt randomness are cleared, as the network does.
// Throws Error(kMalformed) naming the field; unknown fields are refused.
Claim parse_claim(const ByteSource& json);

}  // namespace cuzk::filecoin
