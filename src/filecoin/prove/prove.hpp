// From a job to its proof bytes, and back to a verdict.
#pragma once

#include "filecoin/prove/circuit.hpp"
#include "groth16/prover.hpp"

namespace cuzk::filecoin {

// 192 bytes a partition, in order, each verified; the prover's key has the job's circuit. `fixed` holds r and s for all
// partitions: tests only.
std::vector<u8> prove_job(const ProofJob& job, Prover<Bls12_381>& prover,
                          const ProveOptions<Fr>& options = {});

// Whether the bytes are the proofs of all partitions, verified together. Throws Error(kMalformed) if they are no proofs or
// not as many as the job has partitions.
bool verify_job(const ProofJob& job, const Verifier<Bls12_381>& verifier, std::span<const u8> proof_bytes,
                const std::string& name);

}  // namespace cuzk::filecoin
