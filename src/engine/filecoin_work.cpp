#include "engine/filecoin_work.hpp"

#include <filesystem>

#include "engine/backend_device.hpp"
#include "engine/circuit_id.hpp"
#include "engine/engine.hpp"
#include "engine/request_content.hpp"
#include "filecoin/params/store.hpp"
#include "filecoin/prove/circuit.hpp"
#include "filecoin/prove/job.hpp"
#include "formats/bellman.hpp"

namespace cuzk::engine {

namespace fil = filecoin;

namespace {

using Curve = Bls12_381;
using Fr = Curve::Fr;
using Key = ProvingKey<Curve>;

class FilecoinWitness final : public BackendWitness<Curve> {
public:
    explicit FilecoinWitness(CompactWitness<Fr> witness) : witness_(std::move(witness)) {}
    Proof<Curve> prove(Prover<Curve>& prover, const ProveMonitor& monitor) const override {
        ProveOptions<Fr> options;
        options.monitor = monitor;
        return prover.prove(witness_, options);
    }

private:
    const CompactWitness<Fr> witness_;
};

class FilecoinCircuit final : public BackendCircuit<Curve> {
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

    u64 variables() const override { return compiled_->variables(); }
    u64 rows() const override { return compiled_->rows(); }
    std::shared_ptr<const Key> key() const override { return key_; }

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

}  // namespace

std::unique_ptr<Workload> make_filecoin_workload(std::string params_folder) {
    return std::make_unique<FilecoinWorkload>(std::move(params_folder));
}

std::unique_ptr<Engine> make_filecoin_engine(EngineConfig config, std::vector<DeviceSpec> devices) {
    auto workload = make_filecoin_workload(config.params_folder);
    return std::make_unique<Engine>(std::move(config), std::move(workload), std::move(devices));
}

}  // namespace cuzk::engine
