#include "engine/filecoin_work.hpp"

#include <mutex>

#include "engine/backend_device.hpp"
#include "engine/circuit_id.hpp"
#include "engine/engine.hpp"
#include "engine/key_cache_keeper.hpp"
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

// Failed self-checks under one open key after which its cache is given up, be its digests what they may.
constexpr unsigned kMostDoubts = 2;

class FilecoinCircuit final : public BackendCircuit<Curve> {
public:
    FilecoinCircuit(fil::CircuitKind kind, const fil::SectorShape& shape, std::string folder,
                    std::shared_ptr<KeyCacheKeeper> caches)
        : kind_(kind), shape_(shape), folder_(std::move(folder)), caches_(std::move(caches)) {
        // The files first: that one is missing should not take the seconds of a compilation to learn.
        fil::require_params(folder_, kind_, shape_);
        const ParamsFile file(ByteSource::open(fil::params_path(folder_, kind_, shape_)));
        for (const ParamsQuery& query : file.queries()) key_bytes_ += query.count * query.point_bytes;
        cache_ = caches_->find(kind_, shape_);
        compiled_ = std::make_shared<const fil::CompiledCircuit>(kind_, shape_);
    }

    u64 circuit_bytes() const override { return compiled_->r1cs.bytes() + compiled_->variables() / 4; }
    u64 key_bytes() const override { return key_bytes_; }
    // A cache's points stay in the pages of its file, which the kernel takes back where memory is short.
    u64 host_key_bytes() const override {
        const std::lock_guard lock(mutex_);
        return cache_ ? 0 : key_bytes_;
    }
    PartitionCost cost() const override {
        const u64 bits = compiled_->r1cs.bit_count();
        const u64 witness =
            sizeof(Fr) * (u64{compiled_->r1cs.inputs} + compiled_->r1cs.aux - bits) + bits / 8;
        return {witness, witness};  // the pieces that several threads make are joined at the end
    }
    void open_key(Progress* progress) override {
        std::optional<KeyCacheFile> cache;
        {
            const std::lock_guard lock(mutex_);
            cache = cache_;
        }
        Key key = cache ? cache->proving_key() : fil::load_params(folder_, kind_, shape_, progress);
        key.circuit = compiled_;
        if (!cache) caches_->write_later(kind_, shape_);
        const std::lock_guard lock(mutex_);
        key_ = std::make_shared<const Key>(std::move(key));
        from_cache_ = cache.has_value();
        doubts_ = 0;
    }

    // The cache's digests tell whether its bytes are still those that were written. If they are, the first failed check is the
    // device's; the second is not: then they may have been wrong when they were written.
    // Of several proofs under way with a bad key the first condemns it; the others say nothing about the key that came after.
    bool doubt_key(const Key& key, const std::string& reason) const override {
        std::optional<KeyCacheFile> cache;
        {
            const std::lock_guard lock(mutex_);
            if (key_.get() != &key) return true;
            if (!cache_) return from_cache_;  // another proof found out first
            cache = cache_;
        }
        std::string fault;
        try {
            cache->check_digests();
        } catch (const Error& error) {
            fault = error.what();
        }
        const std::lock_guard lock(mutex_);
        if (key_.get() != &key || !cache_) return true;
        const bool points_are_sound = reason.find("does not verify") != std::string::npos;
        if (fault.empty() && points_are_sound && ++doubts_ < kMostDoubts) return false;
        caches_->reject(kind_, shape_, *cache_, fault.empty() ? reason : fault);
        cache_.reset();
        return true;
    }
    // A new cache, where one can be made, needs no host memory for the key; the parameter file does.
    void seek_key(Progress* progress, const std::stop_token& stop) override {
        std::optional<KeyCacheFile> made = caches_->make_now(kind_, shape_, progress, stop);
        const std::lock_guard lock(mutex_);
        key_.reset();
        cache_ = std::move(made);
    }

    u64 variables() const override { return compiled_->variables(); }
    u64 rows() const override { return compiled_->rows(); }
    std::shared_ptr<const Key> key() const override {
        const std::lock_guard lock(mutex_);
        return key_;
    }

private:
    const fil::CircuitKind kind_;
    const fil::SectorShape shape_;
    const std::string folder_;
    const std::shared_ptr<KeyCacheKeeper> caches_;
    u64 key_bytes_ = 0;
    std::shared_ptr<const fil::CompiledCircuit> compiled_;

    mutable std::mutex mutex_;
    mutable std::optional<KeyCacheFile> cache_;  // where the key comes from; else from the parameter file
    mutable unsigned doubts_ = 0;
    bool from_cache_ = false;  // the open key
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
        return std::make_unique<PlainWitness<Curve, CompactWitness<Fr>>>(job_.witness(partition));
    }

private:
    const fil::ProofJob job_;
    const u64 bytes_;
    const std::string circuit_id_;
};

class FilecoinWorkload final : public Workload {
public:
    FilecoinWorkload(std::string folder, KeyCaches key_caches, std::string cache_folder)
        : folder_(folder.empty() ? fil::parameter_folder() : std::move(folder)),
          caches_(std::make_shared<KeyCacheKeeper>(
              fil::KeyCacheFolders{folder_,
                                   cache_folder.empty() ? fil::key_cache_folder() : std::move(cache_folder)},
              key_caches)) {}

    std::unique_ptr<PreparedJob> prepare(const fil::ProofRequest& request, const std::string& name) override {
        return std::make_unique<FilecoinJob>(fil::prepare(request, name), content_bytes(request));
    }
    std::unique_ptr<Circuit> load_circuit(const std::string& id) override {
        const CircuitName name = parse_circuit_id(id);
        return std::make_unique<FilecoinCircuit>(name.kind, fil::sector_shape(name.sector_bytes), folder_,
                                                 caches_);
    }
    std::vector<std::string> take_notes() override { return caches_->take_notes(); }

private:
    const std::string folder_;
    const std::shared_ptr<KeyCacheKeeper> caches_;
};

}  // namespace

std::unique_ptr<Workload> make_filecoin_workload(std::string params_folder, KeyCaches key_caches,
                                                 std::string key_cache_folder) {
    return std::make_unique<FilecoinWorkload>(std::move(params_folder), key_caches,
                                              std::move(key_cache_folder));
}

std::unique_ptr<Engine> make_filecoin_engine(EngineConfig config, std::vector<DeviceSpec> devices) {
    auto workload = make_filecoin_workload(config.params_folder, config.key_caches, config.key_cache_folder);
    return std::make_unique<Engine>(std::move(config), std::move(workload), std::move(devices));
}

}  // namespace cuzk::engine
