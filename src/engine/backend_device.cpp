#include "engine/backend_device.hpp"

#include <algorithm>

#include "base/mapped_file.hpp"
#include "formats/proof_bytes.hpp"
#include "gpu/failure.hpp"

namespace cuzk::engine {

namespace {

// Whose fault it is that no proof came out. A prover says "does not verify" where witness and key are in order as far as it can
// tell (groth16/diagnosis.cpp).
template <class Body>
auto blaming(const Body& body) {
    try {
        return body();
    } catch (const gpu::OutOfDeviceMemory& e) {
        throw DeviceError(DeviceFault::kOutOfMemory, e.what());
    } catch (const gpu::DeviceFailure& e) {
        throw DeviceError(DeviceFault::kLost, e.what());
    } catch (const Error& e) {
        const std::string message = e.what();
        if (e.kind() == ErrorKind::kInternal ||
            (e.kind() == ErrorKind::kMalformed && message.find("does not verify") != std::string::npos))
            throw DeviceError(DeviceFault::kBadProof, message);
        throw;
    } catch (const std::bad_alloc&) {
        throw DeviceError(DeviceFault::kOutOfMemory, "out of host memory");
    }
}

// The device has a copy of its own: what a mapped file's points take of host memory can go.
template <class C>
void release_mapped_points(const ProvingKey<C>& key) {
    const auto release = [](auto points) {
        MappedFile::release({points.data(), points.size() * sizeof(points[0])});
    };
    release(key.h);
    release(key.l);
    release(key.a);
    release(key.b_g1);
    release(key.b_g2);
}

// What keys take of memory that is the device's own, and what of their points proofs have to bring there.
struct KeyBytes {
    u64 there = 0, streamed = 0;
};
template <class C>
KeyBytes device_key_bytes(const Backend<C>& backend) {
    KeyBytes bytes;
    for (const MemoryReport& report : backend.memory()) {
        if (report.space == "host") continue;
        bytes.there += report.keys;
        bytes.streamed += report.streamed;
    }
    return bytes;
}

template <class C>
class BackendKey final : public ResidentKey {
public:
    BackendKey(std::shared_ptr<Backend<C>> backend, std::shared_ptr<const Circuit> circuit,
               const BackendCircuit<C>& ours)
        : backend_(std::move(backend)),
          circuit_(std::move(circuit)),
          ours_(ours),
          key_bytes_before_(device_key_bytes(*backend_)),
          prover_(*backend_, ours.key(), ours.trust()) {
        // A key whose points are streamed takes some of the device's memory too, for its tables and as many points as fit.
        const KeyBytes now = device_key_bytes(*backend_);
        if (now.there < key_bytes_before_.there + ours.key_bytes() ||
            now.streamed > key_bytes_before_.streamed)
            return;
        tier_ = KeyTier::kHot;
        release_mapped_points(prover_.key());
    }

    KeyTier tier() const override { return tier_; }
    std::vector<u8> prove(const Witness& witness, const ProveMonitor& monitor) override {
        const auto* const ours = dynamic_cast<const BackendWitness<C>*>(&witness);
        if (ours == nullptr) throw Error(ErrorKind::kInternal, "a witness of another curve or workload");
        const auto bytes =
            proof_to_bytes(blaming([&] { return doubting([&] { return ours->prove(prover_, monitor); }); }));
        return {bytes.begin(), bytes.end()};
    }

private:
    // Tells the circuit of proofs that its key's points may be to blame for.
    template <class Body>
    auto doubting(const Body& body) const {
        try {
            return body();
        } catch (const Error& e) {
            if (e.kind() == ErrorKind::kMalformed && ours_.doubt_key(prover_.key(), e.what()))
                throw DeviceError(DeviceFault::kBadKey, e.what());
            throw;
        }
    }

    std::shared_ptr<Backend<C>> backend_;
    std::shared_ptr<const Circuit> circuit_;  // keeps the memory of the key's points reserved
    const BackendCircuit<C>& ours_;           // the same
    const KeyBytes key_bytes_before_;         // on the device; measured before the prover loads the key
    Prover<C> prover_;
    KeyTier tier_ = KeyTier::kMapped;
};

// In host memory: z, a, b, c; three vectors of the domain's size; and the largest sum's indices and buckets (msm/msm.hpp).
template <class C>
u64 host_working_bytes(const BackendCircuit<C>& circuit) {
    const u64 variables = circuit.variables(), rows = circuit.rows();
    u64 domain = 1;
    while (domain < rows) domain *= 2;
    const u64 longest = std::max(domain, variables);
    const u64 at_once = std::min(longest, u64{1} << 24);
    const u64 sum = 5 * at_once +
                    std::max(8 * at_once, std::clamp(96 * at_once, u64{1} << 21, u64{1} << 26)) +
                    (u64{16} << 20);
    return sizeof(typename C::Fr) * (variables + 3 * rows + 3 * longest) + sum;
}

class BackendDevice final : public Device {
public:
    BackendDevice(std::string kind, std::shared_ptr<Backend<Bls12_381>> bls12_381,
                  std::shared_ptr<Backend<Bn254>> bn254, u64 memory_budget)
        : kind_(std::move(kind)),
          bls12_381_(std::move(bls12_381)),
          bn254_(std::move(bn254)),
          memory_budget_(memory_budget) {}

    std::string name() const override { return bls12_381_->name(); }
    std::string kind() const override { return kind_; }
    u64 memory_budget() const override { return memory_budget_; }
    std::vector<MemoryReport> memory() const override {
        std::vector<MemoryReport> reports = bls12_381_->memory();
        if (!bn254_) return reports;
        for (const MemoryReport& more : bn254_->memory()) {
            const auto same = std::find_if(reports.begin(), reports.end(),
                                           [&](const MemoryReport& r) { return r.space == more.space; });
            if (same == reports.end()) {
                reports.push_back(more);
                continue;
            }
            same->keys += more.keys;
            same->working += more.working;
            same->working_peak += more.working_peak;
        }
        return reports;
    }

    // On a device with memory of its own the backends keep what proofs need, beside the budget of keys.
    WorkingMemory working_memory(const Circuit& circuit) const override {
        if (memory_budget_ != 0) return {};
        if (const auto* const c = dynamic_cast<const BackendCircuit<Bls12_381>*>(&circuit))
            return {host_working_bytes(*c), 0};
        if (const auto* const c = dynamic_cast<const BackendCircuit<Bn254>*>(&circuit))
            return {host_working_bytes(*c), 0};
        throw Error(ErrorKind::kInternal, "a circuit of another workload");
    }

    std::unique_ptr<ResidentKey> load(std::shared_ptr<const Circuit> circuit, KeyTier, Progress*) override {
        if (const auto* const c = dynamic_cast<const BackendCircuit<Bls12_381>*>(circuit.get()))
            return resident(bls12_381_, circuit, *c);
        if (const auto* const c = dynamic_cast<const BackendCircuit<Bn254>*>(circuit.get())) {
            if (!bn254_)
                throw Error(ErrorKind::kUnsupported,
                            name() + ": was set up without " + Bn254::kName + ", the key's curve");
            return resident(bn254_, circuit, *c);
        }
        throw Error(ErrorKind::kInternal, "a circuit of another workload");
    }

private:
    template <class C>
    static std::unique_ptr<ResidentKey> resident(const std::shared_ptr<Backend<C>>& backend,
                                                 const std::shared_ptr<const Circuit>& circuit,
                                                 const BackendCircuit<C>& ours) {
        return blaming([&] { return std::make_unique<BackendKey<C>>(backend, circuit, ours); });
    }

    const std::string kind_;
    const std::shared_ptr<Backend<Bls12_381>> bls12_381_;
    const std::shared_ptr<Backend<Bn254>> bn254_;
    const u64 memory_budget_;
};

}  // namespace

std::shared_ptr<Device> make_backend_device(std::string kind, std::shared_ptr<Backend<Bls12_381>> bls12_381,
                                            u64 memory_budget, std::shared_ptr<Backend<Bn254>> bn254) {
    return std::make_shared<BackendDevice>(std::move(kind), std::move(bls12_381), std::move(bn254),
                                           memory_budget);
}

}  // namespace cuzk::engine
