// The verifier: tampered proofs and inputs, batches, bisection.
#include "curve/pairing.hpp"
#include "fixtures.hpp"

namespace cuzk::test {
namespace {

template <class C>
class Verify : public ::testing::Test {
protected:
    using Fr = typename C::Fr;

    void SetUp() override {
        circuit_ = random_circuit<Fr>(12, 3, 1);
        prover_ = std::make_unique<Prover<C>>(backend_, make_key<C>(KeyFamily::kSnarkjs, circuit_.r1cs, 1));
        inputs_.assign(circuit_.z.begin() + 1, circuit_.z.begin() + 4);
        proof_ = prover_->prove(circuit_.z);
    }

    // Valid statements, each with a proof of its own.
    std::vector<Statement<C>> statements(std::size_t n) {
        std::vector<Statement<C>> list;
        for (std::size_t i = 0; i < n; ++i) list.push_back({prover_->prove(circuit_.z), inputs_});
        return list;
    }

    const Verifier<C>& verifier() { return prover_->verifier(); }

    CpuBackend<C> backend_;
    Circuit<Fr> circuit_;
    std::unique_ptr<Prover<C>> prover_;
    std::vector<Fr> inputs_;
    Proof<C> proof_;
    SeededRandom random_{u64{2}};
};
TYPED_TEST_SUITE(Verify, Curves);

TYPED_TEST(Verify, EquationByPlainPairings) {
    using C = TypeParam;
    using J1 = Jacobian<typename C::G1>;
    const auto& vk = this->verifier().key();
    J1 ic = J1::from_affine(vk.ic[0]);
    for (std::size_t i = 0; i < this->inputs_.size(); ++i)
        ic += J1::from_affine(vk.ic[i + 1]) * this->inputs_[i];
    EXPECT_TRUE(pairing<C>(this->proof_.a, this->proof_.b) == pairing<C>(vk.alpha_g1, vk.beta_g2) *
                                                                  pairing<C>(ic.to_affine(), vk.gamma_g2) *
                                                                  pairing<C>(this->proof_.c, vk.delta_g2));
}

TYPED_TEST(Verify, TamperedProofsAreInvalid) {
    using C = TypeParam;
    using P = Proof<C>;
    const P good = this->proof_;
    const P other = this->prover_->prove(this->circuit_.z);
    const auto verify = [&](const P& proof) { return this->verifier().verify(proof, this->inputs_); };
    EXPECT_TRUE(verify(good));
    EXPECT_TRUE(verify({-good.a, -good.b, good.c}));  // malleable by nature
    EXPECT_FALSE(verify({-good.a, good.b, good.c}));
    EXPECT_FALSE(verify({good.a, -good.b, good.c}));
    EXPECT_FALSE(verify({good.a, good.b, -good.c}));
    EXPECT_FALSE(verify({good.c, good.b, good.a}));
    EXPECT_FALSE(verify({other.a, good.b, good.c}));
    EXPECT_FALSE(verify({good.a, other.b, good.c}));
    EXPECT_FALSE(verify({good.a, good.b, other.c}));
    EXPECT_FALSE(verify({{}, good.b, good.c}));
    EXPECT_FALSE(verify({good.a, {}, good.c}));
    EXPECT_FALSE(verify({good.a, good.b, {}}));
    EXPECT_FALSE(verify({}));
}

TYPED_TEST(Verify, WrongInputsAreInvalid) {
    using Fr = typename TypeParam::Fr;
    for (std::size_t i = 0; i < this->inputs_.size(); ++i) {
        auto inputs = this->inputs_;
        inputs[i] += Fr::one();
        EXPECT_FALSE(this->verifier().verify(this->proof_, inputs)) << i;
    }
    auto longer = this->inputs_;
    longer.push_back(Fr::zero());
    EXPECT_FALSE(this->verifier().verify(this->proof_, longer));
    EXPECT_FALSE(this->verifier().verify(this->proof_, std::span(this->inputs_).first(2)));
    EXPECT_FALSE(this->verifier().verify(this->proof_, {}));
}

TYPED_TEST(Verify, KeyWithoutIcIsRefused) {
    VerifyingKey<TypeParam> vk = this->verifier().key();
    vk.ic.clear();
    EXPECT_EQ(thrown_kind([&] { Verifier<TypeParam>{vk}; }), ErrorKind::kMalformed);
}

TYPED_TEST(Verify, BatchesOfValidStatements) {
    EXPECT_TRUE(this->verifier().verify_all({}, this->random_));
    for (const std::size_t n : {1, 2, 3, 10}) {
        const auto list = this->statements(n);
        EXPECT_TRUE(this->verifier().verify_all(list, this->random_)) << n;
        EXPECT_TRUE(this->verifier().find_invalid(list, this->random_).empty()) << n;
    }
}

TYPED_TEST(Verify, BatchFindsTheInvalidOnes) {
    using Fr = typename TypeParam::Fr;
    const auto good = this->statements(9);
    const std::vector<std::vector<std::size_t>> cases = {{0},    {8},       {4},
                                                         {0, 8}, {3, 4, 5}, {0, 1, 2, 3, 4, 5, 6, 7, 8}};
    for (const auto& bad : cases) {
        auto list = good;
        for (const std::size_t i : bad) list[i].inputs[i % 3] += Fr::one();
        EXPECT_FALSE(this->verifier().verify_all(list, this->random_));
        EXPECT_EQ(this->verifier().find_invalid(list, this->random_), bad);
    }
    auto short_inputs = good;
    short_inputs[2].inputs.pop_back();
    EXPECT_EQ(this->verifier().find_invalid(short_inputs, this->random_), std::vector<std::size_t>{2});
}

// Two errors that cancel in a plain sum must not cancel in the batch.
TYPED_TEST(Verify, OppositeErrorsDoNotCancel) {
    using C = TypeParam;
    using J1 = Jacobian<typename C::G1>;
    auto list = this->statements(2);
    const J1 error = J1::generator();
    list[0].proof.c = (J1::from_affine(list[0].proof.c) + error).to_affine();
    list[1].proof.c = (J1::from_affine(list[1].proof.c) - error).to_affine();
    EXPECT_FALSE(this->verifier().verify_all(list, this->random_));
    EXPECT_EQ(this->verifier().find_invalid(list, this->random_), (std::vector<std::size_t>{0, 1}));
}

}  // namespace
}  // namespace cuzk::test
