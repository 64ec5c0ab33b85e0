#include "engine/filecoin_work.hpp"

#include <algorithm>
#include <filesystem>

#include "engine/circuit_id.hpp"
#include "engine/engine.hpp"
#include "engine/request_content.hpp"
#include "filecoin/params/store.hpp"
#include "filecoin/prove/circuit.hpp"
#include "filecoin/prove/job.hpp"
#include "formats/bellman.hpp"
#include "formats/proof_bytes.hpp"
#include "gpu/failure.hpp"
#include "groth16/prover.hpp"

namespace cuzk::engine {

namespace fil = filecoin;

namespace {

using Curve = Bls12_381;
using Fr = Curve::Fr;
using Key = ProvingKey<Curve>;

class FilecoinWitness final : public Witness {
public:
    explicit FilecoinWitness(CompactWitness<Fr> w) : witness(std::move(w)) {}
    const CompactWitness<Fr> witness;
};

class FilecoinCircuit final : public Circuit {
public:
    FilecoinCircuit(fil::CircuitKind kind, const fil::SectorShape& shape, std::string folder)
        : kind_(kind), shape_(shape), folder_(std::move(folder)) {
        // The file first: that it is missing should not take the seconds of a compilation to learn.
        const std::string path = fil::params_path(folder_, kind_, shape_);
        if (std::filesystem::exists(path)) {
            const ParamsFile file(ByteSource::open(path));
            for (const ParamsQuery& query : file.queries()) key_bytes_ += query.count * query.point_bytes;
        } else {
            fil::load_params(folder_, kind_, shape_);  // says what is missing
        }
        compiled_ = std::make_shared<const fil::CompiledCircuit>(kind_, shape_);
    }

    u64 circuit_bytes() const override { return compiled_->r1cs.bytes() + compiled_->variables() / 4; }
    u64 key_bytes() const override { return key_bytes_; }
    u64 host_key_bytes() const override { return key_bytes_; }
    PartitionCost cost() const override {
        const u64 bits = compiled_->r1cs.bit_count();
        const u64 witness =
            sizeof(Fr) * (u64{compiled_->r1cs.inputs} + compiled_->r1cs.aux - bits) + bits / 8;
        return {witness, witness};  // the pieces that several threads make are joined at the end
    }
    void open_key(Progress* progress) override {
        Key key = fil::load_params(folder_, kind_, shape_, progress);
        key.circuit = compiled_;
        key_ = std::make_shared<const Key>(std::move(key));
    }

    const fil::CompiledCircuit& compiled() const { return *compiled_; }
    const std::shared_ptr<const Key>& key() const { return key_; }

private:
    const fil::CircuitKind kind_;
    const fil::SectorShape shape_;
    const std::string folder_;
    u64 key_bytes_ = 0;
    std::shared_ptr<const fil::CompiledCircuit> compiled_;
    std::shared_ptr<const Key> key_;
};

class FilecoinJob final : public PreparedJob {
public:
    FilecoinJob(fil::ProofJob job, u64 bytes)
        : job_(std::move(job)),
          bytes_(bytes),
          circuit_id_(engine::circuit_id(job_.circuit, job_.shape.bytes)) {}

    std::string circuit_id() const override { return circuit_id_; }
    u32 partitions() const override { return static_cast<u32>(job_.partitions.size()); }
    u64 bytes() const override { return bytes_; }
    std::unique_ptr<Witness> synthesise(u32 partition, const Circuit&) const override {
        return std::make_unique<FilecoinWitness>(job_.witness(partition));
    }

private:
    const fil::ProofJob job_;
    const u64 bytes_;
    const std::string circuit_id_;
};

class FilecoinWorkload final : public Workload {
public:
    explicit FilecoinWorkload(std::string folder)
        : folder_(folder.empty() ? fil::parameter_folder() : std::move(folder)) {}

    std::unique_ptr<PreparedJob> prepare(const fil::ProofRequest& request, const std::string& name) override {
        return std::make_unique<FilecoinJob>(fil::prepare(request, name), content_bytes(request));
    }
    std::unique_ptr<Circuit> load_circuit(const std::string& id) override {
        const CircuitName name = parse_circuit_id(id);
        return std::make_unique<FilecoinCircuit>(name.kind, fil::sector_shape(name.sector_bytes), folder_);
    }

private:
    const std::string folder_;
};

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

class BackendKey final : public ResidentKey {
public:
    BackendKey(std::shared_ptr<Backend<Curve>> backend, std::shared_ptr<const Circuit> circuit,
               std::shared_ptr<const Key> key)
        : backend_(std::move(backend)), circuit_(std::move(circuit)), prover_(*backend_, std::move(key)) {
        for (const MemoryReport& report : backend_->memory())
            if (report.space != "host" && report.keys != 0) tier_ = KeyTier::kHot;
    }

    KeyTier tier() const override { return tier_; }
    std::vector<u8> prove(const Witness& witness, const ProveMonitor& monitor) override {
        const auto* const ours = dynamic_cast<const FilecoinWitness*>(&witness);
        if (ours == nullptr) throw Error(ErrorKind::kInternal, "a witness of another workload");
        ProveOptions<Fr> options;
        options.monitor = monitor;
        const auto bytes = proof_to_bytes(blaming([&] { return prover_.prove(ours->witness, options); }));
        return {bytes.begin(), bytes.end()};
    }

private:
    std::shared_ptr<Backend<Curve>> backend_;
    std::shared_ptr<const Circuit> circuit_;  // keeps the memory of the key's points reserved
    Prover<Curve> prover_;
    KeyTier tier_ = KeyTier::kMapped;
};

class BackendDevice final : public Device {
public:
    BackendDevice(std::string kind, std::shared_ptr<Backend<Curve>> backend, u64 memory_budget)
        : kind_(std::move(kind)), backend_(std::move(backend)), memory_budget_(memory_budget) {}

    std::string name() const override { return backend_->name(); }
    std::string kind() const override { return kind_; }
    u64 memory_budget() const override { return memory_budget_; }
    std::vector<MemoryReport> memory() const override { return backend_->memory(); }

    // In host memory: z, a, b, c; three vectors of the domain's size; and the largest sum's indices and buckets (msm/msm.hpp).
    // On a device with memory of its own the backend keeps what proofs need, beside the budget of keys.
    WorkingMemory working_memory(const Circuit& circuit) const override {
        if (memory_budget_ != 0) return {};
        const auto* const ours = dynamic_cast<const FilecoinCircuit*>(&circuit);
        if (ours == nullptr) throw Error(ErrorKind::kInternal, "a circuit of another workload");
        const u64 variables = ours->compiled().variables(), rows = ours->compiled().rows();
        u64 domain = 1;
        while (domain < rows) domain *= 2;
        const u64 longest = std::max(domain, variables);
        const u64 at_once = std::min(longest, u64{1} << 24);
        const u64 sum = 5 * at_once +
                        std::max(8 * at_once, std::clamp(96 * at_once, u64{1} << 21, u64{1} << 26)) +
                        (u64{16} << 20);
        return {sizeof(Fr) * (variables + 3 * rows + 3 * longest) + sum, 0};
    }

    std::unique_ptr<ResidentKey> load(std::shared_ptr<const Circuit> circuit, KeyTier, Progress*) override {
        const auto* const ours = dynamic_cast<const FilecoinCircuit*>(circuit.get());
        if (ours == nullptr) throw Error(ErrorKind::kInternal, "a circuit of another workload");
        const std::shared_ptr<const Key> key = ours->key();
        return blaming([&] { return std::make_unique<BackendKey>(backend_, std::move(circuit), key); });
    }

private:
    const std::string kind_;
    const std::shared_ptr<Backend<Curve>> backend_;
    const u64 memory_budget_;
};

}  // namespace

std::unique_ptr<Workload> make_filecoin_workload(std::string params_folder) {
    return std::make_unique<FilecoinWorkload>(std::move(params_folder));
}

std::shared_ptr<Device> make_backend_device(std::string kind, std::shared_ptr<Backend<Bls12_381>> backend,
                                            u64 memory_budget) {
    return std::make_shared<BackendDevice>(std::move(kind), std::move(backend), memory_budget);
}

std::unique_ptr<Engine> make_filecoin_engine(EngineConfig config, std::vector<DeviceSpec> devices) {
    auto workload = make_filecoin_workload(config.params_folder);
    return std::make_unique<Engine>(std::move(config), std::move(workload), std::move(devices));
}

}  // namespace cuzk::engine
