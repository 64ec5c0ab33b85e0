// What must not yield a proof, and what the error says.
#include "fixtures.hpp"
#include "groth16/key_checks.hpp"

namespace cuzk::test {
namespace {

template <class C>
class Refuse : public ::testing::Test {};
TYPED_TEST_SUITE(Refuse, Curves);

TYPED_TEST(Refuse, UnsatisfiedWitness) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    auto circuit = random_circuit<Fr>(30, 2, 1);
    CpuBackend<C> backend;
    Prover<C> prover(backend, make_key<C>(KeyFamily::kSnarkjs, circuit.r1cs, 1));
    circuit.z.back() += Fr::one();  // the result of the last constraint
    std::string message;
    EXPECT_EQ(thrown_kind([&] { prover.prove(circuit.z); }, &message), ErrorKind::kUnsatisfied);
    EXPECT_NE(message.find("most likely"), std::string::npos) << message;

    ProveOptions<Fr> options;
    options.r1cs = &circuit.r1cs;
    EXPECT_EQ(thrown_kind([&] { prover.prove(circuit.z, options); }, &message), ErrorKind::kUnsatisfied);
    EXPECT_NE(message.find("constraint 29"), std::string::npos) << message;
}

TYPED_TEST(Refuse, UnsatisfiedAssignment) {
    using C = TypeParam;
    auto circuit = random_circuit<typename C::Fr>(30, 2, 2);
    CpuBackend<C> backend;
    Prover<C> prover(backend, make_key<C>(KeyFamily::kBellman, circuit.r1cs, 2));
    circuit.z.back() += C::Fr::one();
    std::string message;
    EXPECT_EQ(thrown_kind([&] { prover.prove(make_assignment(circuit)); }, &message),
              ErrorKind::kUnsatisfied);
    EXPECT_NE(message.find("constraint 29"), std::string::npos) << message;
}

TYPED_TEST(Refuse, WitnessOfWrongLengthOrWithoutTheOne) {
    using C = TypeParam;
    auto circuit = random_circuit<typename C::Fr>(10, 2, 3);
    CpuBackend<C> backend;
    Prover<C> prover(backend, make_key<C>(KeyFamily::kSnarkjs, circuit.r1cs, 3));
    const std::span<const typename C::Fr> z = circuit.z;
    EXPECT_EQ(thrown_kind([&] { prover.prove(z.first(z.size() - 1)); }), ErrorKind::kMalformed);
    EXPECT_EQ(thrown_kind([&] { prover.prove(z.first(0)); }), ErrorKind::kMalformed);
    circuit.z[0] = C::Fr::from_u64(2);
    EXPECT_EQ(thrown_kind([&] { prover.prove(circuit.z); }), ErrorKind::kMalformed);
}

TYPED_TEST(Refuse, AssignmentThatDoesNotFitTheKey) {
    using C = TypeParam;
    const auto circuit = random_circuit<typename C::Fr>(10, 2, 4);
    CpuBackend<C> backend;
    Prover<C> prover(backend, make_key<C>(KeyFamily::kBellman, circuit.r1cs, 4));
    const auto good = make_assignment(circuit);
    const auto refused = [&](const auto& change) {
        auto x = good;
        change(x);
        EXPECT_EQ(thrown_kind([&] { prover.prove(x); }), ErrorKind::kMalformed);
    };
    refused([](auto& x) { x.a = x.a.first(x.a.size() - 1); });
    refused([](auto& x) { x.a = x.b = x.c = x.a.first(4); });
    refused([](auto& x) { x.inputs = 2; });
    refused([](auto& x) { x.z = x.z.first(x.z.size() - 1); });
    refused([](auto& x) { x.a_aux = DensityBits(x.a_aux.size()); });
    refused([](auto& x) { x.b_aux = DensityBits(x.b_aux.size() + 1); });
}

TYPED_TEST(Refuse, EachFamilyByTheOtherWay) {
    using C = TypeParam;
    const auto circuit = random_circuit<typename C::Fr>(10, 2, 5);
    CpuBackend<C> backend;
    Prover<C> snarkjs(backend, make_key<C>(KeyFamily::kSnarkjs, circuit.r1cs, 5));
    Prover<C> bellman(backend, make_key<C>(KeyFamily::kBellman, circuit.r1cs, 5));
    EXPECT_EQ(thrown_kind([&] { bellman.prove(circuit.z); }), ErrorKind::kUsage);
    EXPECT_EQ(thrown_kind([&] { snarkjs.prove(make_assignment(circuit)); }), ErrorKind::kUsage);
}

TYPED_TEST(Refuse, CompactWitnesses) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    auto circuit = random_circuit<Fr>(30, 2, 5);
    const auto plain = make_key<C>(KeyFamily::kBellman, circuit.r1cs, 5);
    CpuBackend<C> backend;
    {
        Prover<C> without(backend, plain);
        EXPECT_EQ(thrown_kind([&] { without.prove(compact(circuit)); }), ErrorKind::kUsage);
    }
    const auto key = with_circuit(*plain, instanced(circuit));
    Prover<C> prover(backend, key);
    CompactWitness<Fr> shorter = compact(circuit);
    shorter.nums.pop_back();
    EXPECT_EQ(thrown_kind([&] { prover.prove(shorter); }), ErrorKind::kMalformed);
    circuit.z.back() += Fr::one();
    std::string message;
    EXPECT_EQ(thrown_kind([&] { prover.prove(compact(circuit)); }, &message), ErrorKind::kUnsatisfied);
    EXPECT_NE(message.find("constraint 29"), std::string::npos) << message;

    const auto other = random_circuit<Fr>(31, 2, 5);
    EXPECT_EQ(thrown_kind([&] { Prover<C>(backend, with_circuit(*plain, instanced(other))); }, &message),
              ErrorKind::kMalformed);
    EXPECT_NE(message.find("test circuit"), std::string::npos) << message;
}

// A backend whose device is gone: it can not even give a key back.
template <class C>
class GoneBackend final : public Backend<C> {
public:
    using Fr = typename C::Fr;

    std::string name() const override { return "gone"; }
    KeyHandle load(std::shared_ptr<const ProvingKey<C>>, Progress*) override { return KeyHandle{1}; }
    void evict(KeyHandle) override { throw Error(ErrorKind::kEnvironment, "gone"); }
    Proof<C> prove(KeyHandle, std::span<const Fr>, const Blinding<Fr>&, const ProveMonitor&) override {
        throw Error(ErrorKind::kEnvironment, "gone");
    }
    Proof<C> prove(KeyHandle, const Assignment<Fr>&, const Blinding<Fr>&, const ProveMonitor&) override {
        throw Error(ErrorKind::kEnvironment, "gone");
    }
    Proof<C> prove(KeyHandle, const CompactWitness<Fr>&, const Blinding<Fr>&, const ProveMonitor&) override {
        throw Error(ErrorKind::kEnvironment, "gone");
    }
    std::vector<MemoryReport> memory() const override { return {}; }
};

TYPED_TEST(Refuse, ALostDeviceIsAnErrorAndNoMore) {
    using C = TypeParam;
    const auto circuit = random_circuit<typename C::Fr>(10, 1, 6);
    GoneBackend<C> backend;
    Prover<C> prover(backend, make_key<C>(KeyFamily::kSnarkjs, circuit.r1cs, 6));
    EXPECT_EQ(thrown_kind([&] { prover.prove(circuit.z); }), ErrorKind::kEnvironment);
}

TYPED_TEST(Refuse, ForgeableKeys) {
    using C = TypeParam;
    const auto circuit = random_circuit<typename C::Fr>(10, 2, 6);
    const auto good = make_key<C>(KeyFamily::kSnarkjs, circuit.r1cs, 6);
    EXPECT_FALSE(forgeable(good->vk));
    auto key = *good;
    key.vk.gamma_g2 = key.vk.delta_g2;
    EXPECT_TRUE(forgeable(key.vk));
    CpuBackend<C> backend;
    const auto shared = std::make_shared<const ProvingKey<C>>(key);
    std::string message;
    EXPECT_EQ(thrown_kind([&] { Prover<C>(backend, shared); }, &message), ErrorKind::kUnsupported);
    EXPECT_NE(message.find("gamma equals delta"), std::string::npos) << message;
    EXPECT_NO_THROW(Prover<C>(backend, shared, KeyTrust::kAllowForgeable));
}

TYPED_TEST(Refuse, DamagedAndForeignKeys) {
    using C = TypeParam;
    using G1 = typename C::G1;
    const auto circuit = random_circuit<typename C::Fr>(30, 2, 7);
    const auto good = make_key<C>(KeyFamily::kSnarkjs, circuit.r1cs, 7);
    EXPECT_FALSE(find_damage(*good));
    CpuBackend<C> backend;
    ProveOptions<typename C::Fr> with_r1cs;
    with_r1cs.r1cs = &circuit.r1cs;

    // A point off the curve.
    std::vector<Affine<G1>> h;
    for (std::size_t i = 0; i < good->h.size(); ++i) h.push_back(good->h[i]);
    h[5].x += G1::Field::one();
    auto key = *good;
    key.h = AffineView<G1>(std::span<const Affine<G1>>(h));
    key.name = "some.zkey";
    std::string message;
    {
        Prover<C> prover(backend, std::make_shared<const ProvingKey<C>>(key));
        EXPECT_EQ(thrown_kind([&] { prover.prove(circuit.z, with_r1cs); }, &message), ErrorKind::kMalformed);
        EXPECT_EQ(message, "some.zkey: the key is damaged: point 5 of the H query is not on the curve");
    }
    // Sound points that are the wrong ones.
    h[5] = good->h[6];
    {
        Prover<C> prover(backend, std::make_shared<const ProvingKey<C>>(key));
        EXPECT_EQ(thrown_kind([&] { prover.prove(circuit.z, with_r1cs); }, &message), ErrorKind::kMalformed);
        EXPECT_EQ(thrown_kind([&] { prover.prove(circuit.z); }, &message), ErrorKind::kUnsatisfied);
    }
    // The key of another circuit of equal shape.
    const auto other = random_circuit<typename C::Fr>(30, 2, 8);
    Prover<C> prover(backend, make_key<C>(KeyFamily::kSnarkjs, other.r1cs, 7));
    EXPECT_EQ(thrown_kind([&] { prover.prove(circuit.z, with_r1cs); }, &message), ErrorKind::kMalformed);
    EXPECT_NE(message.find("not of this circuit"), std::string::npos) << message;
}

TYPED_TEST(Refuse, KeysWhosePartsDoNotFit) {
    using C = TypeParam;
    const auto circuit = random_circuit<typename C::Fr>(10, 2, 9);
    for (const KeyFamily family : {KeyFamily::kSnarkjs, KeyFamily::kBellman}) {
        const auto good = make_key<C>(family, circuit.r1cs, 9);
        EXPECT_NO_THROW(check_shape(*good));
        const auto refused = [&](const auto& change) {
            auto key = *good;
            change(key);
            EXPECT_EQ(thrown_kind([&] { check_shape(key); }), ErrorKind::kMalformed);
        };
        refused([](auto& k) { k.h = k.h.subview(1, k.h.size() - 1); });
        refused([](auto& k) { k.l = k.l.subview(1, k.l.size() - 1); });
        refused([](auto& k) { k.b_g1 = k.b_g1.subview(1, k.b_g1.size() - 1); });
        refused([](auto& k) { k.b_g2 = k.b_g2.subview(1, k.b_g2.size() - 1); });
        refused([](auto& k) { ++k.variables; });
        refused([](auto& k) { k.log_domain = 60; });
        refused([](auto& k) { --k.log_domain; });
        refused([](auto& k) { k.vk.ic.clear(); });
        refused([](auto& k) { k.vk.ic.resize(k.variables + 1); });
        refused([](auto& k) { k.vk.delta_g1 = {}; });
        refused([](auto& k) { k.vk.delta_g2 = {}; });
        refused([](auto& k) { k.vk.beta_g1 = {}; });
    }
    auto key = *make_key<C>(KeyFamily::kSnarkjs, circuit.r1cs, 9);
    key.a_matrix = nullptr;
    EXPECT_EQ(thrown_kind([&] { check_shape(key); }), ErrorKind::kMalformed);
}

TYPED_TEST(Refuse, HandlesOfNoKey) {
    using C = TypeParam;
    CpuBackend<C> backend;
    EXPECT_EQ(thrown_kind([&] { backend.evict(KeyHandle{3}); }), ErrorKind::kUsage);
}

}  // namespace
}  // namespace cuzk::test
