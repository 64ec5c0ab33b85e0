#include "engine/circuit_work.hpp"

#include <algorithm>

#include "engine/circuit_id.hpp"
#include "engine/request_content.hpp"
#include "formats/bellman.hpp"
#include "formats/detect.hpp"
#include "formats/digest.hpp"
#include "formats/field_arrays.hpp"
#include "formats/r1cs_file.hpp"
#include "formats/snarkjs_json.hpp"
#include "formats/wtns.hpp"
#include "formats/zkey.hpp"
#include "groth16/key_checks.hpp"

namespace cuzk::engine {

// What of a circuit is known without loading it. Immutable.
class RegisteredCircuit {
public:
    explicit RegisteredCircuit(CircuitInfo info) : info_(std::move(info)) {}
    virtual ~RegisteredCircuit() = default;
    const CircuitInfo& info() const { return info_; }
    virtual CurveId curve() const = 0;
    virtual void check(const CircuitRequest& request) const = 0;
    virtual std::unique_ptr<PreparedJob> prepare(const CircuitRequest& request) const = 0;
    virtual std::unique_ptr<Circuit> load() const = 0;

private:
    const CircuitInfo info_;
};

namespace {

constexpr std::size_t kLongestId = 64;

bool names_filecoin_circuit(const std::string& id) {
    try {
        parse_circuit_id(id);
        return true;
    } catch (const Error&) {
        return false;
    }
}

void check_new_id(const std::string& id) {
    const bool plain =
        !id.empty() && id.size() <= kLongestId && std::all_of(id.begin(), id.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                   c == '_' || c == '-';
        });
    if (!plain)
        throw Error(ErrorKind::kUsage,
                    "'" + id + "' is no id: it takes 1 to 64 letters, digits, dots, underscores and dashes");
    if (names_filecoin_circuit(id))
        throw Error(ErrorKind::kUsage, "'" + id + "' is the name of a Filecoin circuit");
}

// One proof: the values, decoded, shared with the witness that is made of them.
template <class C>
class CircuitJob final : public PreparedJob {
public:
    using Fr = typename C::Fr;

    CircuitJob(std::string circuit_id, std::span<const u8> values, std::size_t public_inputs)
        : circuit_id_(std::move(circuit_id)), public_inputs_(public_inputs) {
        auto z = std::make_shared<std::vector<Fr>>(values.size() / Fr::kBytes);
        if (decode_field_array<Fr>(values, std::span<Fr>(*z)))
            throw Error(ErrorKind::kInternal, "a witness that was checked has a value beyond the modulus");
        z_ = std::move(z);
    }

    std::string circuit_id() const override { return circuit_id_; }
    u32 partitions() const override { return 1; }
    u64 bytes() const override { return z_->size() * sizeof(Fr); }
    std::unique_ptr<Witness> synthesise(u32, const Circuit& circuit) const override {
        const auto* const ours = dynamic_cast<const RegisteredKey<C>*>(&circuit);
        if (ours == nullptr) throw Error(ErrorKind::kInternal, "a circuit of another workload");
        return ours->witness(z_);
    }
    std::vector<u8> public_inputs() const override {
        std::vector<u8> out(public_inputs_ * Fr::kBytes);
        for (std::size_t i = 0; i < public_inputs_; ++i)
            (*z_)[1 + i].to_bytes_le(std::span<u8, Fr::kBytes>(out.data() + i * Fr::kBytes, Fr::kBytes));
        return out;
    }

private:
    const std::string circuit_id_;
    const std::size_t public_inputs_;
    typename RegisteredKey<C>::Values z_;
};

template <class C>
class CircuitOver final : public RegisteredCircuit {
public:
    using Fr = typename C::Fr;

    CircuitOver(CircuitInfo info, CircuitSpec spec, VerifyingKey<C> vk, FileKind key_file)
        : RegisteredCircuit(std::move(info)),
          spec_(std::move(spec)),
          vk_(std::move(vk)),
          key_file_(key_file) {}

    CurveId curve() const override { return curve_id<C>(); }

    void check(const CircuitRequest& request) const override {
        const std::span<const u8> values = values_of(request);
        const std::size_t count = values.size() / Fr::kBytes;
        if (count != info().variables)
            malformed("has " + std::to_string(count) + " values, the circuit " +
                      std::to_string(info().variables) + " variables, the constant one among them");
        if (const auto bad = first_not_canonical<Fr>(values))
            malformed("the value of variable " + std::to_string(*bad) + " is not below the modulus of " +
                      Fr::Params::kName);
        if (values[0] != 1 ||
            std::any_of(values.begin() + 1, values.begin() + Fr::kBytes, [](u8 byte) { return byte != 0; }))
            malformed("the value of variable 0, the constant one, is not 1");
    }

    std::unique_ptr<PreparedJob> prepare(const CircuitRequest& request) const override {
        check(request);  // it may come from a journal, and the circuit be another one than then
        return std::make_unique<CircuitJob<C>>(info().id, values_of(request), info().public_inputs);
    }

    std::unique_ptr<Circuit> load() const override {
        if constexpr (std::is_same_v<C, Bls12_381>)
            if (key_file_ == FileKind::kParams) return load_params_circuit(spec_, vk_);
        return load_zkey_circuit<C>(spec_, vk_);
    }

private:
    [[noreturn]] void malformed(const std::string& what) const {
        throw Error(ErrorKind::kMalformed, "witness for circuit '" + info().id + "': " + what);
    }

    std::span<const u8> values_of(const CircuitRequest& request) const {
        const std::span<const u8> bytes = request.witness;
        if (request.encoding == CircuitRequest::Encoding::kValues) {
            if (bytes.size() % Fr::kBytes != 0)
                malformed(std::to_string(bytes.size()) + " bytes are no whole number of values of " +
                          std::to_string(Fr::kBytes) + " bytes");
            return bytes;
        }
        const ByteSource source = ByteSource::borrow("witness for circuit '" + info().id + "'", bytes);
        if (const CurveId theirs = wtns_curve(source); theirs != curve_id<C>())
            malformed("is over " + std::string(curve_name(theirs)) + ", the circuit over " + C::kName);
        return wtns_values<C>(source);
    }

    const CircuitSpec spec_;
    const VerifyingKey<C> vk_;
    const FileKind key_file_;
};

template <class C>
void describe_vk(const CircuitSpec& spec, const VerifyingKey<C>& vk, CircuitInfo& info) {
    if (const auto reason = forgeable(vk); reason && !spec.allow_insecure_key)
        throw Error(ErrorKind::kUnsupported, spec.key + ": anyone can forge proofs under this key (" +
                                                 *reason + "); allow_insecure_key permits it");
    info.curve = C::kName;
    info.public_inputs = vk.public_inputs();
    const std::string text = vk_to_json(vk);
    info.key_digest = hex_text(sha256({reinterpret_cast<const u8*>(text.data()), text.size()}));
}

// The circuit's own file against what the key says.
template <class C>
void describe_system(const CircuitSpec& spec, CircuitInfo& info) {
    if (spec.r1cs.empty()) return;
    const ByteSource source = ByteSource::open(spec.r1cs);
    expect_kind(source, {FileKind::kR1cs});
    const R1csHeader header = read_r1cs_header(source);
    const auto mismatch = [&](const std::string& what) {
        throw Error(ErrorKind::kMalformed, spec.r1cs + ": is not the circuit of " + spec.key + ": " + what);
    };
    if (header.curve != curve_id<C>())
        mismatch("it is over " + std::string(curve_name(header.curve)) + ", the key over " + C::kName);
    if (header.wires != info.variables)
        mismatch("it has " + std::to_string(header.wires) + " variables, the key " +
                 std::to_string(info.variables));
    const u64 inputs = u64{header.public_outputs} + header.public_inputs;
    if (inputs != info.public_inputs)
        mismatch("it has " + std::to_string(inputs) + " public inputs, the key " +
                 std::to_string(info.public_inputs));
    info.constraints = header.constraints;
}

template <class C>
std::shared_ptr<const RegisteredCircuit> open_zkey(const CircuitSpec& spec, ByteSource source) {
    const ZkeyFile<C> file(std::move(source));
    CircuitInfo info;
    info.id = spec.id;
    info.variables = file.variables();
    info.domain = u64{1} << file.log_domain();
    describe_vk<C>(spec, file.vk(), info);
    describe_system<C>(spec, info);
    info.key_bytes = sizeof(Affine<typename C::G1>) *
                         (file.a().size() + file.b_g1().size() + file.h().size() + file.l().size()) +
                     sizeof(Affine<typename C::G2>) * file.b_g2().size();
    return std::make_shared<const CircuitOver<C>>(std::move(info), spec, file.vk(), FileKind::kZkey);
}

std::shared_ptr<const RegisteredCircuit> open_params(const CircuitSpec& spec, ByteSource source) {
    using C = Bls12_381;
    if (spec.r1cs.empty())
        throw Error(ErrorKind::kUsage,
                    spec.key + ": a .params file holds no matrices: it needs the circuit's .r1cs");
    const ParamsFile file(std::move(source));
    CircuitInfo info;
    info.id = spec.id;
    info.variables = file.variables();
    info.domain = u64{1} << file.log_domain();
    describe_vk<C>(spec, file.vk(), info);
    describe_system<C>(spec, info);
    for (const ParamsQuery& query : file.queries()) info.key_bytes += query.count * query.point_bytes;
    return std::make_shared<const CircuitOver<C>>(std::move(info), spec, file.vk(), FileKind::kParams);
}

class CircuitWorkload final : public Workload {
public:
    CircuitWorkload(CircuitRegistry circuits, std::unique_ptr<Workload> others)
        : registry_(std::move(circuits)), others_(std::move(others)) {}

    std::unique_ptr<PreparedJob> prepare(const filecoin::ProofRequest& request,
                                         const std::string& name) override {
        return others_->prepare(request, name);
    }
    std::unique_ptr<Circuit> load_circuit(const std::string& id) override {
        const auto circuit = registry_.find(id);
        return circuit ? circuit->load() : others_->load_circuit(id);
    }
    void check_id(const std::string& id) const override {
        if (!registry_.find(id)) others_->check_id(id);
    }
    std::vector<std::string> take_notes() override { return others_->take_notes(); }
    std::vector<CircuitInfo> circuits() const override { return registry_.infos(); }
    void check(const CircuitRequest& request) const override { known(request).check(request); }
    std::unique_ptr<PreparedJob> prepare(const CircuitRequest& request, const std::string& name) override {
        try {
            return known(request).prepare(request);
        } catch (const Error& e) {
            throw Error(e.kind(), name + ": " + e.what());
        }
    }

private:
    const RegisteredCircuit& known(const CircuitRequest& request) const {
        const auto circuit = registry_.find(request.circuit_id);
        if (!circuit) throw unknown_circuit(request.circuit_id);
        return *circuit;
    }

    const CircuitRegistry registry_;
    const std::unique_ptr<Workload> others_;
};

}  // namespace

void CircuitRegistry::add(const CircuitSpec& spec) {
    check_new_id(spec.id);
    if (circuits_.contains(spec.id))
        throw Error(ErrorKind::kUsage, "there are two circuits '" + spec.id + "'");
    ByteSource source = ByteSource::open(spec.key);
    const DetectedFile file = expect_kind(source, {FileKind::kZkey, FileKind::kParams});
    circuits_[spec.id] = file.kind == FileKind::kParams
                             ? open_params(spec, std::move(source))
                             : with_curve(zkey_curve(source), [&](auto c) {
                                   return open_zkey<decltype(c)>(spec, std::move(source));
                               });
}

std::vector<CircuitInfo> CircuitRegistry::infos() const {
    std::vector<CircuitInfo> out;
    for (const auto& [id, circuit] : circuits_) out.push_back(circuit->info());
    return out;
}

std::shared_ptr<const RegisteredCircuit> CircuitRegistry::find(const std::string& id) const {
    const auto it = circuits_.find(id);
    return it == circuits_.end() ? nullptr : it->second;
}

u64 CircuitRegistry::bn254_device_memory() const {
    u64 keys = 0, largest = 0;
    for (const auto& [id, circuit] : circuits_) {
        if (circuit->curve() != CurveId::kBn254) continue;
        keys += circuit->info().key_bytes;
        largest = std::max({largest, circuit->info().domain, circuit->info().variables});
    }
    if (keys == 0) return 0;
    // Beside points: matrices of about a key's size, a proof's vectors and lists (twelve words of a scalar's size a variable), the
    // buckets, and what the driver takes.
    return 2 * keys + 12 * sizeof(Bn254Fr) * largest + (u64{2} << 30);
}

std::unique_ptr<Workload> make_circuit_workload(CircuitRegistry circuits, std::unique_ptr<Workload> others) {
    return std::make_unique<CircuitWorkload>(std::move(circuits), std::move(others));
}

}  // namespace cuzk::engine
