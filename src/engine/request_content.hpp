// The content of a request apart from its name and urgency: what makes two requests the same, and what a spool file holds.
#pragma once

#include <array>

#include "base/byte_source.hpp"
#include "engine/types.hpp"

namespace cuzk::engine {

using ContentDigest = std::array<u8, 32>;

// SHA-256 of what write_content writes.
ContentDigest content_digest(const JobContent& content);
// Bytes of vanilla proofs and commitments.
u64 content_bytes(const filecoin::ProofRequest& request);
// Bytes of the witness.
u64 content_bytes(const CircuitRequest& request);
u64 content_bytes(const JobContent& content);

// Filecoin: "CUZKREQ1"; kind (u32), sector_size, registered_proof, sector_number, miner_id (u64), partition_index (u32); vanilla_proof, randomness,
// comm_r_old, comm_r_new, comm_d_new, each with its length (u64); the number of vanilla_proofs (u64), each with its length.
// Registered circuits: "CUZKWIT1"; the encoding (u32); the circuit's id and the witness, each with its length (u64).
// All numbers little-endian. Writes the file whole or not at all, and syncs it. Error(kEnvironment) if that fails.
void write_content(const JobContent& content, const std::string& path);
// The inverse; request_id and priority are empty. Error(kMalformed).
JobContent read_content(const ByteSource& source);

}  // namespace cuzk::engine
