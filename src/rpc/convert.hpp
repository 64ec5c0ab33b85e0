// Between the messages of the wire and the engine's types. Part of rpc's inside: it includes protobuf's headers.
#pragma once

#include <cuzk/jobs/v1/jobs.pb.h>
#include <cuzk/v1/proving.pb.h>

#include "engine/status.hpp"
#include "engine/types.hpp"

namespace cuzk::rpc {

// Moves the text out of `message` and copies its blobs once, emptying each as it is copied, so that the 51 MB of a PoRep
// exist twice for the time of a copy only. Throws Error(kMalformed) if the kind of proof is none.
filecoin::ProofRequest take_request(v1::SubmitProofRequest& message);

// For clients: the inverse of take_request.
void fill_request(const filecoin::ProofRequest& request, v1::SubmitProofRequest& message);

// A finished job, its proof moved out.
void fill_result(engine::JobResult&& result, v1::AwaitProofResponse& message);
engine::JobResult take_result(v1::AwaitProofResponse& message);

void fill_status(const engine::EngineStatus& status, v1::GetStatusResponse& message);

// Takes the witness out of the message.
engine::CircuitRequest take_circuit_request(jobs::v1::SubmitCircuitProofRequest& message);
void fill_circuit(const engine::CircuitInfo& circuit, const engine::EngineStatus& status,
                  jobs::v1::Circuit& message);
// A finished job, its proof moved out; the texts are made of it here.
void fill_circuit_proof(engine::JobResult&& result, jobs::v1::CircuitProof& message);

void fill_job(const engine::JobStatus& job, jobs::v1::Job& message);

}  // namespace cuzk::rpc
