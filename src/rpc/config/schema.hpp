// The keys of the configuration file: one table from which the reader, the printed file and the suggestions are made.
#pragma once

#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "rpc/config/config.hpp"

namespace cuzk::rpc {

struct CountKey {
    u64* value;
    u64 least, most;
};
struct ChoiceKey {
    std::string* value;
    std::vector<std::string_view> choices;
};
// Accepted since files in use have it; why it does nothing.
struct IdleKey {
    std::string_view reason;
};

// Where a key's value goes, and by that what it may be.
using KeyTarget = std::variant<std::string*,                // text
                               std::vector<std::string>*,   // text, or an array of text and numbers
                               bool*, CountKey, ChoiceKey,  //
                               u64*,                        // a size
                               std::optional<u64>*,         // a size, or "auto"
                               std::chrono::milliseconds*,  // a duration
                               IdleKey>;

struct ConfigKey {
    std::string_view section, name, help;
    KeyTarget target;
};

// In the order in which the file is printed; the targets point into `config`.
std::vector<ConfigKey> config_keys(DaemonConfig& config);
// The same for an entry [[circuits]].
std::vector<ConfigKey> circuit_keys(DaemonConfig::Circuit& circuit);

}  // namespace cuzk::rpc
