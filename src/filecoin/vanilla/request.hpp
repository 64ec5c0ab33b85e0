// A request to prove, as clients send it: protobuf JSON of cuzk.v1.SubmitProofRequest.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace cuzk::filecoin {

enum class ProofKind { kPorepSealCommit = 1, kSnapDealsUpdate = 2, kWindowPost = 3, kWinningPost = 4 };

// "POREP_SEAL_COMMIT", "SNAP_DEALS_UPDATE", "WINDOW_POST_PARTITION", "WINNING_POST"
std::optional<ProofKind> proof_kind(std::string_view name);

// Fields are raw: nothing is checked beyond the JSON types. Bytes are decoded from base64.
struct ProofRequest {
    std::string request_id;
    ProofKind kind = ProofKind::kPorepSealCommit;
    u64 sector_size = 0;
    u64 registered_proof = 0;
    u32 priority = 0;
    std::vector<u8> vanilla_proof;                // PoRep: C1 JSON, bare or wrapped
    std::vector<std::vector<u8>> vanilla_proofs;  // PoSt: one a sector; SnapDeals: one a partition
    u64 sector_number = 0;
    u64 miner_id = 0;
    std::vector<u8> randomness;
    u32 partition_index = 0;
    std::vector<u8> comm_r_old, comm_r_new, comm_d_new;
};

// Field names in snake_case or lowerCamelCase, 64-bit numbers also as strings, enums by name or number, as protobuf's JSON
// mapping allows. A bare C1 JSON, or Curio's wrapper of it, is taken as a PoRep request. Unknown fields are refused. Throws
// Error(kMalformed) naming the field.
ProofRequest parse_request(std::span<const u8> json, const std::string& name);

}  // namespace cuzk::filecoin
