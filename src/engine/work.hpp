// The seam between the engine (when, where, in what memory) and the proving (what): filecoin_work.hpp stands behind it in
// earnest, and tests stand proofs of a millisecond behind it.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "engine/circuit_id.hpp"
#include "engine/status.hpp"
#include "groth16/backend.hpp"

namespace cuzk::engine {

// True sizes of one partition's work, bytes.
struct PartitionCost {
    u64 witness = 0;    // host: from the start of synthesis until the proof is made
    u64 synthesis = 0;  // host: during synthesis, beside the witness
};

// What one proof needs on a device beside its witness and its key, bytes.
struct WorkingMemory {
    u64 host = 0;
    u64 device = 0;
};

// A synthesised partition, ready for a device.
class Witness {
public:
    virtual ~Witness() = default;
};

// A compiled circuit and its proving key on the host; shared between jobs, immutable once its key is open.
class Circuit {
public:
    virtual ~Circuit() = default;
    virtual u64 circuit_bytes() const = 0;  // host memory of the compiled circuit
    virtual u64 key_bytes() const = 0;      // points of the proving key
    virtual u64 host_key_bytes()
        const = 0;  // host memory that an open key holds: key_bytes, or 0 where the file is used in place
    virtual PartitionCost cost() const = 0;
    // Reads the key. Called when memory for it has been reserved and before anybody else has the circuit, and again after
    // seek_key. Slow.
    virtual void open_key(Progress* progress) = 0;

    // Looks where the key is read from after a self-check cast doubt on it (BackendCircuit::doubt_key); host_key_bytes tells what
    // that takes. Slow; may leave the search unfinished once `stop` is requested, and the key must not be opened then.
    virtual void seek_key(Progress* progress, const std::stop_token& stop) {
        static_cast<void>(progress);
        static_cast<void>(stop);
    }
};

// A decoded and natively checked request. Immutable; partitions may be synthesised in any order and on any thread.
class PreparedJob {
public:
    virtual ~PreparedJob() = default;
    virtual std::string circuit_id() const = 0;
    virtual u32 partitions() const = 0;
    virtual u64 bytes() const = 0;  // host memory it holds
    virtual std::unique_ptr<Witness> synthesise(u32 partition, const Circuit& circuit) const = 0;
    // See JobResult::public_inputs.
    virtual std::vector<u8> public_inputs() const { return {}; }
};

// A key on one device. Destruction evicts it there.
class ResidentKey {
public:
    virtual ~ResidentKey() = default;
    // Where its points lie, as far as the device tells.
    virtual KeyTier tier() const = 0;
    // A proof that has been verified. Throws DeviceError where the device is at fault; any other Error is the job's.
    // Thread-safe: several proofs may run at once.
    virtual std::vector<u8> prove(const Witness& witness, const ProveMonitor& monitor) = 0;
};

enum class DeviceFault {
    kOutOfMemory,  // try again with less beside it
    kBadProof,     // the self-check failed although the witness satisfies the circuit
    kBadKey,  // so it did, the copy that the key came from is dropped, and there is another: KeyStore::reopen
    kLost,    // launch failure, device gone: nothing more is to be expected of it
};

// What a Device or a ResidentKey throws when the fault is the device's. Its kind is kEnvironment.
class DeviceError : public Error {
public:
    DeviceError(DeviceFault fault, const std::string& message)
        : Error(ErrorKind::kEnvironment, message), fault_(fault) {}
    DeviceFault fault() const noexcept { return fault_; }

private:
    DeviceFault fault_;
};

// Where proofs are computed. Thread-safe.
class Device {
public:
    virtual ~Device() = default;
    virtual std::string name() const = 0;  // "NVIDIA H200", "cpu"
    virtual std::string kind() const = 0;  // "cuda", "cpu"
    // Memory of its own that the planner may hand out; 0: it works in host memory.
    virtual u64 memory_budget() const = 0;
    virtual WorkingMemory working_memory(const Circuit& circuit) const = 0;
    // As the driver or the backend counts it; empty where there is nothing to say.
    virtual std::vector<MemoryReport> memory() const = 0;
    // Brings a key to the device. The tier is the planner's wish: kHot only where memory for it has been reserved.
    virtual std::unique_ptr<ResidentKey> load(std::shared_ptr<const Circuit> circuit, KeyTier tier,
                                              Progress* progress) = 0;
};

struct DeviceSpec {
    std::shared_ptr<Device> device;
    bool fallback = false;  // works only when no other device is left
};

// Knows requests and circuits. Thread-safe.
class Workload {
public:
    virtual ~Workload() = default;
    // Decodes and checks natively: bad input fails here, in milliseconds.
    virtual std::unique_ptr<PreparedJob> prepare(const filecoin::ProofRequest& request,
                                                 const std::string& name) = 0;
    // Compiles the circuit and looks at its key's size. Seconds; unknown ids are Error(kUsage), missing files
    // Error(kEnvironment).
    virtual std::unique_ptr<Circuit> load_circuit(const std::string& circuit_id) = 0;
    // What an operator should know of, since the last call.
    virtual std::vector<std::string> take_notes() { return {}; }
    // Error(kUsage) for an id that names no circuit.
    virtual void check_id(const std::string& circuit_id) const { parse_circuit_id(circuit_id); }

    // Registered circuits, of which a workload may know some beside Filecoin's (circuit_work.hpp).
    virtual std::vector<CircuitInfo> circuits() const { return {}; }
    // Before a request is accepted: whether its circuit is known (Error(kUsage)), and the witness one for it as far as that can be
    // told without a proof (Error(kMalformed)).
    virtual void check(const CircuitRequest& request) const { throw unknown_circuit(request.circuit_id); }
    // Decodes a request that check() let pass; the circuit may be gone if that was in an earlier run.
    virtual std::unique_ptr<PreparedJob> prepare(const CircuitRequest& request, const std::string&) {
        throw unknown_circuit(request.circuit_id);
    }

protected:
    static Error unknown_circuit(const std::string& circuit_id) {
        return Error(ErrorKind::kUsage, "no circuit '" + circuit_id + "' is registered");
    }
};

}  // namespace cuzk::engine
