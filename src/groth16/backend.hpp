// What computes proofs: a processor, a graphics card. The layers above can not tell them apart.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "groth16/blinding.hpp"
#include "groth16/stages.hpp"
#include "groth16/types.hpp"
#include "r1cs/compact_witness.hpp"

namespace cuzk {

// Names a key resident in one backend.
enum class KeyHandle : u64 {};

// One kind of memory that a backend uses, in bytes.
struct MemoryReport {
    std::string space;     // "host", "device 0"
    u64 keys = 0;          // held by resident keys, beside what their ProvingKey maps or owns
    u64 working = 0;       // held for proofs: in use, or kept for the next one
    u64 working_peak = 0;  // the most that `working` has been
    u64 streamed = 0;      // of keys' points: not held, brought there anew by each proof with such a key
};

// Who wants to watch a proof. Both may be null.
struct ProveMonitor {
    StageLog* stages = nullptr;
    Progress* progress = nullptr;
};

// All calls are thread-safe. A backend computes what the equations say from what it is given: it checks sizes
// (throwing Error(kMalformed)), but neither the points of a key nor whether a witness satisfies the circuit;
// prover.hpp does.
template <class C>
class Backend {
public:
    using Fr = typename C::Fr;

    virtual ~Backend() = default;
    virtual std::string name() const = 0;

    // Prepares a key for proofs. The backend shares the key's ownership until the key is evicted and no proof
    // uses it.
    virtual KeyHandle load(std::shared_ptr<const ProvingKey<C>> key, Progress* progress = nullptr) = 0;
    // Unknown handles are Error(kUsage), here and below. Proofs under way end normally.
    virtual void evict(KeyHandle handle) = 0;

    // A proof from the values of all variables (Montgomery; z[0] = 1). kSnarkjs keys only, since the others
    // hold no matrices: Error(kUsage).
    virtual Proof<C> prove(KeyHandle handle, std::span<const Fr> z, const Blinding<Fr>& blinding,
                           const ProveMonitor& monitor = {}) = 0;
    // A proof from ready rows. kBellman keys only (the rows of a kSnarkjs key follow from z): Error(kUsage).
    virtual Proof<C> prove(KeyHandle handle, const Assignment<Fr>& assignment, const Blinding<Fr>& blinding,
                           const ProveMonitor& monitor = {}) = 0;
    // A proof from the compact witness of the key's circuit; a key without one is Error(kUsage). A witness that breaks a
    // constraint is Error(kUnsatisfied) naming it.
    virtual Proof<C> prove(KeyHandle handle, const CompactWitness<Fr>& witness, const Blinding<Fr>& blinding,
                           const ProveMonitor& monitor = {}) = 0;

    virtual std::vector<MemoryReport> memory() const = 0;
};

}  // namespace cuzk
