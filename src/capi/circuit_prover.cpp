#include "capi/circuit_prover.hpp"

#include <optional>

#include "base/error.hpp"
#include "formats/detect.hpp"
#include "formats/r1cs_file.hpp"
#include "formats/snarkjs_json.hpp"
#include "formats/wtns.hpp"
#include "formats/zkey.hpp"
#include "gpu/choose_backend.hpp"
#include "groth16/prover.hpp"

namespace cuzk::capi {

namespace {

// Points are not checked: a proof from a damaged key fails its verification, and then the damage is looked for.
template <class C>
std::shared_ptr<const ProvingKey<C>> read_key(ByteSource source) {
    return std::make_shared<const ProvingKey<C>>(
        read_zkey<C>(std::move(source), {PointChecks::kNone, nullptr}));
}

template <class C>
std::optional<R1csFile<typename C::Fr>> read_circuit(const std::string& path, const std::string& key_name) {
    if (path.empty()) return std::nullopt;
    const ByteSource source = ByteSource::open(path);
    expect_kind(source, {FileKind::kR1cs});
    if (read_r1cs_header(source).curve != curve_id<C>())
        throw Error(ErrorKind::kMalformed, path + ": this circuit is not over the field of " + key_name);
    return read_r1cs<C>(source);
}

template <class C>
class CurveProver final : public CircuitProver {
public:
    using Fr = typename C::Fr;

    CurveProver(ByteSource source, const CircuitProverOptions& options)
        : name_(source.name),
          circuit_(read_circuit<C>(options.r1cs, name_)),
          backend_(gpu::choose_backend<C>(options.device, options.backend)),
          prover_(*backend_, read_key<C>(std::move(source)),
                  options.allow_insecure_key ? KeyTrust::kAllowForgeable : KeyTrust::kRefuseForgeable) {}

    Texts prove(const ByteSource& witness) override {
        const DetectedFile file = expect_kind(witness, {FileKind::kWtns});
        if (file.curve && *file.curve != curve_id<C>())
            throw Error(ErrorKind::kMalformed, witness.name + ": a witness over " + curve_name(*file.curve) +
                                                   ", but " + name_ + " is a key for " + C::kName);
        const std::vector<Fr> z = read_wtns<C>(witness);
        ProveOptions<Fr> options;
        if (circuit_) options.r1cs = &circuit_->system;
        const Proof<C> proof = prover_.prove(z, options);
        const std::size_t inputs = prover_.key().public_inputs();
        return {proof_to_json(proof), public_to_json<C>(std::span<const Fr>(z).subspan(1, inputs))};
    }

    std::string verifying_key() const override { return vk_to_json(prover_.key().vk); }

private:
    const std::string name_;
    const std::optional<R1csFile<Fr>> circuit_;
    const std::unique_ptr<Backend<C>> backend_;
    Prover<C> prover_;
};

}  // namespace

std::unique_ptr<CircuitProver> open_circuit_prover(const std::string& zkey_path,
                                                   const CircuitProverOptions& options) {
    ByteSource source = ByteSource::open(zkey_path);
    expect_kind(source, {FileKind::kZkey});
    return with_curve(zkey_curve(source), [&]<class C>(C) -> std::unique_ptr<CircuitProver> {
        return std::make_unique<CurveProver<C>>(std::move(source), options);
    });
}

}  // namespace cuzk::capi
