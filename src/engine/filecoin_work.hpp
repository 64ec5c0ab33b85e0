// The four Filecoin circuits behind the engine's seam.
#pragma once

#include "curve/curves.hpp"
#include "engine/work.hpp"

namespace cuzk::engine {

// Requests and parameter files of Filecoin. `params_folder` empty: filecoin::parameter_folder().
std::unique_ptr<Workload> make_filecoin_workload(std::string params_folder);

// A backend of groth16/ as a device. `memory_budget`: memory of its own that keys may fill, beside what the backend keeps for
// proofs; 0: it works in host memory.
std::shared_ptr<Device> make_backend_device(std::string kind, std::shared_ptr<Backend<Bls12_381>> backend,
                                            u64 memory_budget = 0);

}  // namespace cuzk::engine
