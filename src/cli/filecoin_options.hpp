// Options that several of the Filecoin commands have.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cuzk::cli {

inline const std::vector<std::string> kCircuitNames = {"porep", "update", "window-post", "winning-post"};

inline CLI::Option* add_circuit_option(CLI::App& app, std::string& kind) {
    return app.add_option("--circuit,--proof", kind, "porep, update, window-post or winning-post")
        ->check(CLI::IsMember(kCircuitNames));
}

inline CLI::Option* add_size_option(CLI::App& app, std::string& size) {
    return app.add_option("--sector-size", size, "2KiB, 8MiB, 32GiB, ...");
}

inline void add_params_option(CLI::App& app, std::string& folder) {
    app.add_option("--params", folder, "Folder of parameter files (default: FIL_PROOFS_PARAMETER_CACHE)");
}

inline void add_caches_option(CLI::App& app, std::string& folder) {
    app.add_option("--key-cache", folder,
                   "Folder of key caches (default: CUZK_KEY_CACHE, else beside the parameter files)");
}

}  // namespace cuzk::cli
