#include "engine/circuit_keys.hpp"

#include "formats/bellman.hpp"
#include "formats/r1cs_file.hpp"
#include "formats/zkey.hpp"
#include "groth16/key_size.hpp"

namespace cuzk::engine {

namespace {

template <class C>
void require_unchanged(const std::string& path, const VerifyingKey<C>& now,
                       const VerifyingKey<C>& registered) {
    if (!(now == registered))
        throw Error(ErrorKind::kEnvironment,
                    path + ": is another key than when the circuit was registered; restart to register it");
}

template <class C>
std::shared_ptr<const R1cs<typename C::Fr>> read_system(const std::string& path) {
    return std::make_shared<const R1cs<typename C::Fr>>(
        std::move(read_r1cs<C>(ByteSource::open(path)).system));
}

// The values themselves are what a .zkey proves.
template <class C>
class ZkeyWitness final : public BackendWitness<C> {
public:
    using Fr = typename C::Fr;
    using Values = typename RegisteredKey<C>::Values;

    ZkeyWitness(Values z, std::shared_ptr<const R1cs<Fr>> r1cs) : z_(std::move(z)), r1cs_(std::move(r1cs)) {}

    Proof<C> prove(Prover<C>& prover, const ProveMonitor& monitor) const override {
        ProveOptions<Fr> options;
        options.monitor = monitor;
        options.r1cs = r1cs_.get();
        try {
            return prover.prove(*z_, options);
        } catch (const Error& e) {
            // Without the circuit nothing tells a wrong witness from a device that erred; a second proof does, if it errs rarely.
            if (r1cs_ || e.kind() != ErrorKind::kUnsatisfied) throw;
        }
        return prover.prove(*z_, options);
    }

private:
    const Values z_;
    const std::shared_ptr<const R1cs<Fr>> r1cs_;
};

template <class C>
class ZkeyCircuit final : public RegisteredKey<C> {
public:
    using Fr = typename C::Fr;

    ZkeyCircuit(const CircuitSpec& spec, const VerifyingKey<C>& vk)
        : trust_(spec.allow_insecure_key ? KeyTrust::kAllowForgeable : KeyTrust::kRefuseForgeable) {
        const ZkeyFile<C> file(ByteSource::open(spec.key));
        require_unchanged(spec.key, file.vk(), vk);
        if (!spec.r1cs.empty()) r1cs_ = read_system<C>(spec.r1cs);
        // A proof from a damaged key fails its verification; then the damage is looked for.
        key_ = std::make_shared<const ProvingKey<C>>(file.proving_key({PointChecks::kNone, nullptr}));
    }

    u64 circuit_bytes() const override {
        return key_->a_matrix->memory_bytes() + key_->b_matrix->memory_bytes() +
               (r1cs_ ? r1cs_->memory_bytes() : 0);
    }
    u64 key_bytes() const override { return point_bytes(*key_); }
    u64 host_key_bytes() const override { return 0; }   // points are used where the mapped file has them
    PartitionCost cost() const override { return {}; }  // the values are the request's
    void open_key(Progress*) override {}
    u64 variables() const override { return key_->variables; }
    u64 rows() const override { return key_->domain(); }
    std::shared_ptr<const ProvingKey<C>> key() const override { return key_; }
    KeyTrust trust() const override { return trust_; }
    std::unique_ptr<Witness> witness(typename RegisteredKey<C>::Values z) const override {
        return std::make_unique<ZkeyWitness<C>>(std::move(z), r1cs_);
    }

private:
    const KeyTrust trust_;
    std::shared_ptr<const R1cs<Fr>> r1cs_;
    std::shared_ptr<const ProvingKey<C>> key_;
};

// Bellman's keys hold no matrices: the rows come from the circuit.
class ParamsCircuit final : public RegisteredKey<Bls12_381> {
public:
    using C = Bls12_381;
    using Fr = C::Fr;

    ParamsCircuit(const CircuitSpec& spec, const VerifyingKey<C>& vk)
        : trust_(spec.allow_insecure_key ? KeyTrust::kAllowForgeable : KeyTrust::kRefuseForgeable),
          file_(ByteSource::open(spec.key)),
          r1cs_(read_system<C>(spec.r1cs)),
          inputs_(std::size_t{r1cs_->public_inputs} + 1),
          a_aux_(r1cs_->variables - inputs_),
          b_inputs_(inputs_),
          b_aux_(r1cs_->variables - inputs_) {
        require_unchanged(spec.key, file_.vk(), vk);
        const ColumnSet in_a = r1cs_->a.used_columns(), in_b = r1cs_->b.used_columns();
        for (std::size_t i = 0; i < inputs_; ++i)
            if (in_b.contains(i)) b_inputs_.set(i);
        for (std::size_t i = 0; i < a_aux_.size(); ++i) {
            if (in_a.contains(inputs_ + i)) a_aux_.set(i);
            if (in_b.contains(inputs_ + i)) b_aux_.set(i);
        }
    }

    u64 circuit_bytes() const override { return r1cs_->memory_bytes() + 3 * a_aux_.bytes().size(); }
    u64 key_bytes() const override {
        u64 bytes = 0;
        for (const ParamsQuery& query : file_.queries()) bytes += query.count * query.point_bytes;
        return bytes;
    }
    u64 host_key_bytes() const override { return key_bytes(); }
    PartitionCost cost() const override { return {3 * sizeof(Fr) * rows(), 0}; }
    void open_key(Progress* progress) override {
        key_ = std::make_shared<const ProvingKey<C>>(file_.proving_key({PointChecks::kNone, progress}));
    }
    u64 variables() const override { return r1cs_->variables; }
    u64 rows() const override { return r1cs_->constraints() + inputs_; }
    std::shared_ptr<const ProvingKey<C>> key() const override { return key_; }
    KeyTrust trust() const override { return trust_; }

    std::unique_ptr<Witness> witness(Values z) const override {
        struct Rows {
            Values z;
            std::vector<Fr> a, b, c;
        };
        const auto owner = std::make_shared<Rows>();
        owner->z = std::move(z);
        const std::span<const Fr> values = *owner->z;
        for (const auto& [matrix, out] :
             {std::pair{&r1cs_->a, &owner->a}, {&r1cs_->b, &owner->b}, {&r1cs_->c, &owner->c}}) {
            out->resize(rows());
            matrix->multiply(values, std::span(*out).first(r1cs_->constraints()));
        }
        for (std::size_t i = 0; i < inputs_; ++i) owner->a[r1cs_->constraints() + i] = values[i];
        Assignment<Fr> x;
        x.inputs = inputs_;
        x.z = values;
        x.a = owner->a;
        x.b = owner->b;
        x.c = owner->c;
        x.a_aux = a_aux_;
        x.b_inputs = b_inputs_;
        x.b_aux = b_aux_;
        x.storage = owner;
        return std::make_unique<PlainWitness<C, Assignment<Fr>>>(std::move(x));
    }

private:
    const KeyTrust trust_;
    const ParamsFile file_;
    const std::shared_ptr<const R1cs<Fr>> r1cs_;
    const std::size_t inputs_;  // with the constant one
    DensityBits a_aux_, b_inputs_, b_aux_;
    std::shared_ptr<const ProvingKey<C>> key_;
};

}  // namespace

template <class C>
std::unique_ptr<Circuit> load_zkey_circuit(const CircuitSpec& spec, const VerifyingKey<C>& vk) {
    return std::make_unique<ZkeyCircuit<C>>(spec, vk);
}

std::unique_ptr<Circuit> load_params_circuit(const CircuitSpec& spec, const VerifyingKey<Bls12_381>& vk) {
    return std::make_unique<ParamsCircuit>(spec, vk);
}

template std::unique_ptr<Circuit> load_zkey_circuit(const CircuitSpec&, const VerifyingKey<Bls12_381>&);
template std::unique_ptr<Circuit> load_zkey_circuit(const CircuitSpec&, const VerifyingKey<Bn254>&);

}  // namespace cuzk::engine
