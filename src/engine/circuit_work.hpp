// Registered circuits behind the engine's seam: any circuit of which there is a key, on either curve, beside Filecoin's.
//
// A request brings the value of every variable; one job is one proof. Over BLS12-381 it has 192 bytes, over BN254 256.
#pragma once

#include <map>

#include "engine/circuit_keys.hpp"
#include "engine/types.hpp"

namespace cuzk::engine {

class RegisteredCircuit;

// The circuits that somebody named. Cheap to copy; the circuits in it are immutable.
class CircuitRegistry {
public:
    // Opens the files and checks headers, verifying key and whether they belong together; points and matrices are read when the
    // key is loaded. Throws Error(kUsage) for a bad or known id or a .params without .r1cs, Error(kEnvironment) for files that are
    // not there, Error(kUnsupported) for a key under which anyone can forge, Error(kMalformed) for everything else that is wrong.
    void add(const CircuitSpec& spec);

    bool empty() const { return circuits_.empty(); }
    std::vector<CircuitInfo> infos() const;  // by id
    // The circuit, or null.
    std::shared_ptr<const RegisteredCircuit> find(const std::string& id) const;
    // Device memory for the keys over BN254 and a proof with the largest of them: a backend of its own has to have it. 0 if there
    // are none.
    u64 bn254_device_memory() const;

private:
    std::map<std::string, std::shared_ptr<const RegisteredCircuit>> circuits_;
};

// Serves the registered circuits, and everything else by `others`.
std::unique_ptr<Workload> make_circuit_workload(CircuitRegistry circuits, std::unique_ptr<Workload> others);

}  // namespace cuzk::engine
