#include "rpc/circuits.hpp"

#include <optional>

#include "base/error.hpp"

namespace cuzk::rpc {

engine::CircuitRegistry open_circuits(const DaemonConfig& config) {
    engine::CircuitRegistry registry;
    std::string problems;
    std::optional<ErrorKind> first;
    for (const DaemonConfig::Circuit& circuit : config.circuits) {
        try {
            registry.add({circuit.id, circuit.key, circuit.r1cs, circuit.allow_insecure_key});
        } catch (const Error& e) {
            if (!first) first = e.kind();
            problems += (problems.empty() ? "" : "\n") + circuit.where + ": circuit '" + circuit.id +
                        "': " + e.what();
        }
    }
    if (first) throw Error(*first, problems);
    return registry;
}

}  // namespace cuzk::rpc
