// The network's own parameter generator, reproduced: the vectors' development parameters come from a seeded generator, so our
// setup must make the same files byte for byte, and our prover the same proofs under them.
#include <gtest/gtest.h>

#include <unistd.h>

#include "curve/jacobian.hpp"
#include "filecoin/params/store.hpp"
#include "filecoin/prove/prove.hpp"
#include "formats/bellman.hpp"
#include "formats/digest.hpp"
#include "groth16/cpu_backend.hpp"
#include "groth16/setup.hpp"
#include "oracle.hpp"

namespace cuzk::filecoin {
namespace {

// Marsaglia's xorshift on four 32-bit words, as the vectors' maker seeds it.
class XorShift {
public:
    explicit XorShift(const std::array<u8, 16>& seed) {
        for (std::size_t i = 0; i < 16; ++i) state_[i / 4] |= u32{seed[i]} << (8 * (i % 4));
    }
    u64 next() {
        const u64 low = next32();
        return low | (u64{next32()} << 32);
    }

private:
    u32 next32() {
        const u32 t = state_[0] ^ (state_[0] << 11);
        state_ = {state_[1], state_[2], state_[3], state_[3] ^ (state_[3] >> 19) ^ t ^ (t >> 8)};
        return state_[3];
    }
    std::array<u32, 4> state_{};
};

struct Secrets {
    Fr alpha, beta, gamma, delta, tau;

    static Secrets of_the_vectors() {
        XorShift random({99, 0x3d, 0x42, 0x76, 0x59, 0x11, 0xa7, 0x0c, 1, 2, 3, 4, 5, 6, 7, 8});
        for (int i = 0; i < 16; ++i) random.next();  // two bases of 64 bytes each come first
        Secrets s;
        for (Fr* x : {&s.alpha, &s.beta, &s.gamma, &s.delta, &s.tau}) *x = scalar(random);
        return s;
    }

private:
    static Fr scalar(XorShift& random) {
        for (;;) {
            Fr::Int x;
            for (u64& limb : x.limb) limb = random.next();
            x.limb[3] &= ~u64{0} >> 1;
            if (x < Fr::Constants::kModulus) return Fr::from_int(x);
        }
    }
};

// Hands a setup the given secrets, in the order in which it draws them.
class Script final : public RandomSource {
public:
    explicit Script(const Secrets& s) : values_{s.tau, s.alpha, s.beta, s.gamma, s.delta} {}
    void fill(std::span<u8> out) override {
        ASSERT_LT(next_, values_.size());
        values_[next_++].to_bytes_le(out.first<32>());
    }

private:
    std::array<Fr, 5> values_;
    std::size_t next_ = 0;
};

std::string published_sha256(const std::string& file_name) {
    std::ifstream file(oracle::folder() / "params" / "SHA256SUMS");
    std::string digest, name;
    while (file >> digest >> name)
        if (name == file_name) return digest;
    return "none";
}

class NetworkParametersSlow : public testing::TestWithParam<const char*> {};

TEST_P(NetworkParametersSlow, SetupAndProofsEqualTheNetworksByteForByte) {
    CUZK_NEED_ORACLE();
    const auto case_folder = oracle::folder() / GetParam();
    const ProofJob job =
        prepare(parse_request(oracle::read_file(case_folder / "request.json"), "request"), "request");
    const auto circuit = std::make_shared<const CompiledCircuit>(job.circuit, job.shape);

    // The bases are points hashed from the generator's stream; they show in the verifying key, divided by alpha and beta.
    const Secrets secrets = Secrets::of_the_vectors();
    const auto vk = load_vk((oracle::folder() / "params").string(), job.circuit, job.shape);
    const auto divide = [](const auto& point, const Fr& k) {
        using G = typename std::remove_cvref_t<decltype(point)>::Group;
        return (Jacobian<G>::from_affine(point) * k.inverse()).to_affine();
    };
    const SetupBases<Bls12_381> bases{divide(vk.alpha_g1, secrets.alpha), divide(vk.beta_g2, secrets.beta)};

    const auto path = std::filesystem::temp_directory_path() /
                      ("cuzk-network-params-" + std::string(GetParam()) + "-" + std::to_string(getpid()));
    struct Remove {
        std::filesystem::path path;
        ~Remove() { std::filesystem::remove(path); }
    } const remove{path};
    {
        ParamsSink sink(path.string());
        Script script(secrets);
        EXPECT_EQ(setup<Bls12_381>(KeyFamily::kBellman, to_r1cs(circuit->r1cs), script, sink, nullptr, bases),
                  vk);
    }
    const ByteSource source = ByteSource::open(path.string());
    EXPECT_EQ(hex_text(sha256(source.bytes)),
              published_sha256(parameter_name(job.circuit, job.shape) + ".params"));

    const auto key =
        std::make_shared<ProvingKey<Bls12_381>>(read_params(source, {PointChecks::kNone, nullptr}));
    key->circuit = circuit;
    CpuBackend<Bls12_381> backend;
    Prover<Bls12_381> prover(backend, key);
    const nlohmann::json fixed = oracle::load(std::string(GetParam()) + "/meta.json")["fixed"];
    ProveOptions<Fr> options;
    options.fixed = FixedBlinding<Fr>{
        {}, oracle::scalar(fixed["r"].get<std::string>()), oracle::scalar(fixed["s"].get<std::string>())};
    EXPECT_EQ(prove_job(job, prover, options), oracle::read_file(case_folder / "proof-fixed.bin"));
}

INSTANTIATE_TEST_SUITE_P(Cases, NetworkParametersSlow,
                         testing::Values("wpost-2KiB", "winning-2KiB", "snap-2KiB", "porep-2KiB"),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::erase(name, '-');
                             return name;
                         });

}  // namespace
}  // namespace cuzk::filecoin
