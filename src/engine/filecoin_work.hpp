// The four Filecoin circuits behind the engine's seam.
#pragma once

#include "engine/config.hpp"
#include "engine/work.hpp"

namespace cuzk::engine {

// Requests and parameter files of Filecoin. Empty folders: filecoin::parameter_folder(), filecoin::key_cache_folder().
std::unique_ptr<Workload> make_filecoin_workload(std::string params_folder,
                                                 KeyCaches key_caches = KeyCaches::kUse,
                                                 std::string key_cache_folder = "");

}  // namespace cuzk::engine
