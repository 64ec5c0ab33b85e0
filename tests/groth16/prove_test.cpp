// Setup, proof and verification of random circuits: both curves, both key families, sizes around powers of
// two.
#include <algorithm>
#include <thread>

#include "base/parallel.hpp"
#include "field/cpu.hpp"
#include "fixtures.hpp"

namespace cuzk::test {
namespace {

constexpr KeyFamily kFamilies[] = {KeyFamily::kSnarkjs, KeyFamily::kBellman};

template <class C>
class Prove : public ::testing::Test {};
TYPED_TEST_SUITE(Prove, Curves);

template <class C>
void round_trip(std::size_t constraints, u32 inputs, u64 seed) {
    SCOPED_TRACE(std::to_string(constraints) + " constraints, " + std::to_string(inputs) + " inputs");
    const auto circuit = random_circuit<typename C::Fr>(constraints, inputs, seed);
    ASSERT_FALSE(circuit.r1cs.first_violation(circuit.z));
    CpuBackend<C> backend;
    for (const KeyFamily family : kFamilies) {
        Prover<C> prover(backend, make_key<C>(family, circuit.r1cs, seed));
        const Proof<C> proof = prove_circuit(prover, circuit);
        EXPECT_TRUE(Verifier<C>(prover.key().vk).verify(proof, inputs_of(circuit)));
    }
}

TYPED_TEST(Prove, OneConstraint) {
    round_trip<TypeParam>(1, 0, 1);
    round_trip<TypeParam>(1, 1, 2);
    round_trip<TypeParam>(1, 5, 3);
}

TYPED_TEST(Prove, RowsAroundPowersOfTwo) {
    for (std::size_t k = 2; k <= 5; ++k)
        for (std::size_t rows = (std::size_t{1} << k) - 2; rows <= (std::size_t{1} << k) + 2; ++rows)
            for (const u32 inputs : {0u, 1u, 2u})
                if (rows > inputs + 1) round_trip<TypeParam>(rows - inputs - 1, inputs, 10 * rows + inputs);
}

TYPED_TEST(Prove, LargerCircuit) {
    round_trip<TypeParam>(1500, 20, 4);
}

TYPED_TEST(Prove, NoConstraintsAtAll) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    Circuit<Fr> circuit;
    circuit.r1cs.public_inputs = 2;
    circuit.r1cs.variables = 3;
    circuit.z = {Fr::one(), Fr::from_u64(5), Fr::from_u64(7)};
    for (auto* m : {&circuit.r1cs.a, &circuit.r1cs.b, &circuit.r1cs.c}) *m = MatrixBuilder<Fr>(3).finish();
    CpuBackend<C> backend;
    for (const KeyFamily family : kFamilies) {
        Prover<C> prover(backend, make_key<C>(family, circuit.r1cs, 1));
        EXPECT_NO_THROW(prove_circuit(prover, circuit));
    }
}

TYPED_TEST(Prove, ProofsDifferEachTimeAndVerify) {
    using C = TypeParam;
    const auto circuit = random_circuit<typename C::Fr>(20, 2, 5);
    CpuBackend<C> backend;
    Prover<C> prover(backend, make_key<C>(KeyFamily::kSnarkjs, circuit.r1cs, 5));
    const Proof<C> first = prover.prove(circuit.z);
    const Proof<C> second = prover.prove(circuit.z);
    EXPECT_FALSE(first.a == second.a);
    EXPECT_FALSE(first.b == second.b);
    EXPECT_FALSE(first.c == second.c);
}

// With r and s given, a proof is one definite value, whatever computes it.
TYPED_TEST(Prove, FixedRandomnessIsDeterministicOnEveryPath) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    const auto circuit = random_circuit<Fr>(300, 3, 6);
    SeededRandom random(u64{7});
    ProveOptions<Fr> options;
    options.fixed = FixedBlinding<Fr>{{}, Fr::random(random), Fr::random(random)};
    for (const KeyFamily family : kFamilies) {
        const auto key = make_key<C>(family, circuit.r1cs, 6);
        std::vector<Proof<C>> proofs;
        for (const Isa isa : {Isa::kPortable, Isa::kAdx, Isa::kIfma}) {
            if (isa > best_isa()) continue;
            const IsaOverride force(isa);
            for (const std::size_t threads : {1, 2, 3}) {
                const ThreadLimit limit(threads);
                CpuBackend<C> backend;
                Prover<C> prover(backend, key);
                proofs.push_back(prove_circuit(prover, circuit, options));
            }
        }
        for (const Proof<C>& proof : proofs) EXPECT_TRUE(proof == proofs.front());
    }
}

// C = s A + r B - r s delta + (what depends on neither): the proofs of (r, s) and (0, 0) are tied by the
// equations.
TYPED_TEST(Prove, CompactWitnessesGiveTheProofsOfTheirRows) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    const auto circuit = random_circuit<Fr>(37, 3, 21);
    const auto plain = make_key<C>(KeyFamily::kBellman, circuit.r1cs, 22);
    CpuBackend<C> backend;
    Prover<C> prover(backend, with_circuit(*plain, instanced(circuit)));
    ProveOptions<Fr> options;
    options.fixed = FixedBlinding<Fr>{{}, Fr::from_u64(5), Fr::from_u64(6)};
    EXPECT_EQ(prover.prove(compact(circuit), options), prover.prove(make_assignment(circuit), options));
}

TYPED_TEST(Prove, BlindingEntersAsTheEquationsSay) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    using G1 = typename C::G1;
    using G2 = typename C::G2;
    const auto circuit = random_circuit<Fr>(40, 2, 8);
    const auto key = make_key<C>(KeyFamily::kSnarkjs, circuit.r1cs, 8);
    SeededRandom random(u64{9});
    const Fr r = Fr::random(random);
    const Fr s = Fr::random(random);
    CpuBackend<C> backend;
    Prover<C> prover(backend, key);
    const auto with = [&](const Fr& x, const Fr& y) {
        ProveOptions<Fr> options;
        options.fixed = FixedBlinding<Fr>{{}, x, y};
        return prover.prove(circuit.z, options);
    };
    const auto delta1 = Jacobian<G1>::from_affine(key->vk.delta_g1);
    const auto delta2 = Jacobian<G2>::from_affine(key->vk.delta_g2);
    const Proof<C> bare = with(Fr::zero(), Fr::zero());
    const Proof<C> blind = with(r, s);
    EXPECT_TRUE(Jacobian<G1>::from_affine(blind.a) == Jacobian<G1>::from_affine(bare.a) + delta1 * r);
    EXPECT_TRUE(Jacobian<G2>::from_affine(blind.b) == Jacobian<G2>::from_affine(bare.b) + delta2 * s);
    const Proof<C> only_s = with(Fr::zero(), s);
    EXPECT_TRUE(Jacobian<G1>::from_affine(only_s.c) ==
                Jacobian<G1>::from_affine(bare.c) + Jacobian<G1>::from_affine(bare.a) * s);
}

// (A, B, C) -> (x A, B / x, C) and (A, B + y delta, C + y A) are proofs of the same statement.
TYPED_TEST(Prove, RerandomisedProofsVerify) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    using J1 = Jacobian<typename C::G1>;
    using J2 = Jacobian<typename C::G2>;
    const auto circuit = random_circuit<Fr>(40, 2, 10);
    CpuBackend<C> backend;
    Prover<C> prover(backend, make_key<C>(KeyFamily::kSnarkjs, circuit.r1cs, 10));
    const Proof<C> proof = prover.prove(circuit.z);
    SeededRandom random(u64{11});
    const Fr x = Fr::random(random);
    const Fr y = Fr::random(random);
    Proof<C> scaled = proof;
    scaled.a = (J1::from_affine(proof.a) * x).to_affine();
    scaled.b = (J2::from_affine(proof.b) * x.inverse()).to_affine();
    EXPECT_TRUE(prover.verifier().verify(scaled, inputs_of(circuit)));
    Proof<C> shifted = scaled;
    shifted.b = (J2::from_affine(scaled.b) + J2::from_affine(prover.key().vk.delta_g2) * y).to_affine();
    shifted.c = (J1::from_affine(scaled.c) + J1::from_affine(scaled.a) * y).to_affine();
    EXPECT_TRUE(prover.verifier().verify(shifted, inputs_of(circuit)));
    EXPECT_FALSE(prover.verifier().verify({shifted.a, scaled.b, shifted.c}, inputs_of(circuit)));
}

TYPED_TEST(Prove, ManyThreadsShareOneBackend) {
    using C = TypeParam;
    using Fr = typename C::Fr;
    CpuBackend<C> backend;
    std::vector<Circuit<Fr>> circuits = {random_circuit<Fr>(30, 1, 12), random_circuit<Fr>(70, 0, 13)};
    std::vector<std::unique_ptr<Prover<C>>> provers;
    for (std::size_t i = 0; i < circuits.size(); ++i)
        provers.push_back(
            std::make_unique<Prover<C>>(backend, make_key<C>(kFamilies[i], circuits[i].r1cs, i)));
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t k = 0; k < 5; ++k)
                EXPECT_NO_THROW(prove_circuit(*provers[(t + k) % 2], circuits[(t + k) % 2]));
        });
    for (std::thread& thread : threads) thread.join();
    const MemoryReport report = backend.memory().at(0);
    EXPECT_GT(report.working_peak, 0u);
    EXPECT_LE(report.working, report.working_peak);
    provers.clear();
    EXPECT_EQ(backend.memory().at(0).working, 0u);
}

TYPED_TEST(Prove, StagesAreRecorded) {
    using C = TypeParam;
    const auto circuit = random_circuit<typename C::Fr>(20, 1, 14);
    CpuBackend<C> backend;
    Prover<C> prover(backend, make_key<C>(KeyFamily::kSnarkjs, circuit.r1cs, 14));
    StageLog log;
    ProveOptions<typename C::Fr> options;
    options.monitor.stages = &log;
    prover.prove(circuit.z, options);
    std::vector<std::string> names;
    for (const StageInterval& stage : log.intervals()) {
        names.push_back(stage.stage);
        EXPECT_LE(stage.begin, stage.end);
    }
    for (const char* name : {"abc", "h", "msm h", "msm a", "msm b g1", "msm b g2", "msm l", "verify"})
        EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
}

}  // namespace
}  // namespace cuzk::test
