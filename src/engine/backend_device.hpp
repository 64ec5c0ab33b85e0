// A Backend of groth16/ as a device of the engine, and what circuits and witnesses must be to be proved there.
#pragma once

#include <atomic>
#include <type_traits>
#include <utility>

#include "engine/work.hpp"
#include "groth16/prover.hpp"

namespace cuzk::engine {

// A circuit whose key a Backend<C> takes.
template <class C>
class BackendCircuit : public Circuit {
public:
    virtual u64 variables() const = 0;  // with the constant one
    virtual u64 rows() const = 0;       // of the QAP, those of the public inputs included
    // Null before open_key.
    virtual std::shared_ptr<const ProvingKey<C>> key() const = 0;
    virtual KeyTrust trust() const { return KeyTrust::kRefuseForgeable; }

    // A proof under `key` failed its self-check, for `reason`. True if the points may be to blame, and the circuit has dropped the
    // copy that it had them from: then it is to be opened anew. Also true of a key that is not the circuit's any more: the proof
    // is to be made again under the one that is. Slow; thread-safe.
    virtual bool doubt_key(const ProvingKey<C>& key, const std::string& reason) const {
        static_cast<void>(key);
        static_cast<void>(reason);
        return false;
    }
};

// A witness in the form that its circuit's key is proved with.
template <class C>
class BackendWitness : public Witness {
public:
    virtual Proof<C> prove(Prover<C>& prover, const ProveMonitor& monitor) const = 0;
};

// One that is what the prover takes: an Assignment, a CompactWitness. The latter come from circuits of our own, so that a proof that does
// not verify is most likely a device's fault: another try is cheaper than the reason, which is looked for from the second one on.
template <class C, class Input>
class PlainWitness final : public BackendWitness<C> {
public:
    explicit PlainWitness(Input input) : input_(std::move(input)) {}
    Proof<C> prove(Prover<C>& prover, const ProveMonitor& monitor) const override {
        ProveOptions<typename C::Fr> options;
        options.monitor = monitor;
        const bool again = tried_.exchange(true);
        if (std::is_same_v<Input, CompactWitness<typename C::Fr>> && !again)
            options.explain = Explain::kBriefly;
        return prover.prove(input_, options);
    }

private:
    const Input input_;
    mutable std::atomic<bool> tried_ = false;
};

// `bls12_381` proves Filecoin's circuits, and registered ones over its field; `bn254` those over the other, and may be null where
// there are none. Both stand for one device: what the second allocates there is no more than what its maker left it.
// `memory_budget`: memory of the device's own that keys may fill, beside what the backends keep for proofs; 0: they work in host
// memory. A proof comes as proof_to_bytes writes it (formats/proof_bytes.hpp).
std::shared_ptr<Device> make_backend_device(std::string kind, std::shared_ptr<Backend<Bls12_381>> bls12_381,
                                            u64 memory_budget = 0,
                                            std::shared_ptr<Backend<Bn254>> bn254 = nullptr);

}  // namespace cuzk::engine
