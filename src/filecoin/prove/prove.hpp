// From a job to its proof bytes, and back to a verdict.
#pragma once

#include "filecoin/prove/circuit.hpp"
#include "groth16/prover.hpp"

namespace cuzk::filecoin {

// 192 bytes a partition, in order, each verified; the prover's key has the job's circuit. `fixed` holds r and s for all
// partitions: tests only.
std::vector<u8> prove_job(const ProofJob& job, Prover<Bls12_381>& prover,
                          const ProveOptions<Fr>& options = {});

// Whether the bytes are proofs of these public inputs (one vector a partition, the constant one left out), verified together. Throws
// Error(kMalformed) if they are no proofs or not as many as there are partitions.
bool verify_partitions(std::vector<std::vector<Fr>> inputs, const Verifier<Bls12_381>& verifier,
                       std::span<const u8> proof_bytes, const std::string& name);
// The same for the inputs that the job implies.
bool verify_job(const ProofJob& job, const Verifier<Bls12_381>& verifier, std::span<const u8> proof_bytes,
                const std::string& name);

}  // namespace cuzk::filecoin
