// The four Filecoin circuits behind the engine's seam.
#pragma once

#include "engine/backend_device.hpp"
#include "engine/work.hpp"

namespace cuzk::engine {

// Requests and parameter files of Filecoin. `params_folder` empty: filecoin::parameter_folder().
std::unique_ptr<Workload> make_filecoin_workload(std::string params_folder);

}  // namespace cuzk::engine
