#include "groth16/verifier.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "msm/msm.hpp"

namespace cuzk {

namespace {

// Below this many points a multi-scalar multiplication costs more than doubling and adding.
constexpr std::size_t kSmallMsm = 8;

template <class G>
Jacobian<G> combine(std::span<const Affine<G>> points, std::span<const typename G::Scalar::Int> scalars) {
    if (points.size() > kSmallMsm) return msm<G>(AffineView<G>(points), scalars);
    Jacobian<G> sum = Jacobian<G>::infinity();
    for (std::size_t i = 0; i < points.size(); ++i)
        sum += Jacobian<G>::from_affine(points[i]).mul(scalars[i]);
    return sum;
}

// k P for a 128-bit k, by windows of four bits.
template <class G>
Jacobian<G> multiply_128(const Affine<G>& p, const BigInt<2>& k) {
    std::array<Jacobian<G>, 16> table;
    table[0] = Jacobian<G>::infinity();
    for (std::size_t i = 1; i < table.size(); ++i) table[i] = table[i - 1] + p;
    Jacobian<G> result = Jacobian<G>::infinity();
    for (std::size_t bit = 128; bit > 0; bit -= 4) {
        for (int i = 0; i < 4; ++i) result = result.dbl();
        result += table[k.bits(bit - 4, 4)];
    }
    return result;
}

}  // namespace

template <class C>
Verifier<C>::Verifier(VerifyingKey<C> vk)
    : vk_(std::move(vk)),
      gamma_(vk_.gamma_g2),
      delta_(vk_.delta_g2),
      beta_(vk_.beta_g2),
      alpha_beta_(pairing<C>(vk_.alpha_g1, vk_.beta_g2)) {
    if (vk_.ic.empty()) throw Error(ErrorKind::kMalformed, "the verifying key has no IC point");
}

template <class C>
bool Verifier<C>::verify(const Proof<C>& proof, std::span<const Fr> inputs) const {
    using G1 = typename C::G1;
    if (inputs.size() != vk_.public_inputs()) return false;
    std::vector<typename Fr::Int> scalars(inputs.size());
    std::transform(inputs.begin(), inputs.end(), scalars.begin(), [](const Fr& x) { return x.to_int(); });
    const Jacobian<G1> ic = combine<G1>(std::span(vk_.ic).subspan(1), scalars) + vk_.ic[0];

    const std::array<PairingPair<C>, 1> pairs{{{proof.a, proof.b}}};
    const std::array<PreparedPair<C>, 2> prepared{{{-ic.to_affine(), &gamma_}, {-proof.c, &delta_}}};
    return multi_pairing<C>(pairs, prepared) == alpha_beta_;
}

template <class C>
std::string Verifier<C>::invalid_reason(std::size_t inputs) const {
    const std::size_t wanted = vk_.public_inputs();
    if (inputs == wanted) return "the pairing equation does not hold";
    return std::to_string(inputs) + " public inputs given, the key takes " + std::to_string(wanted);
}

template <class C>
bool Verifier<C>::verify_all(std::span<const Statement<C>> statements, RandomSource& random) const {
    using G1 = typename C::G1;
    using Int = typename Fr::Int;
    const std::size_t n = statements.size();
    const auto wrong_count = [&](const Statement<C>& s) { return s.inputs.size() != vk_.public_inputs(); };
    if (std::any_of(statements.begin(), statements.end(), wrong_count)) return false;
    if (n == 0) return true;
    if (n == 1) return verify(statements[0]);

    std::vector<BigInt<2>> coefficients(n);
    random.fill({reinterpret_cast<u8*>(coefficients.data()), n * sizeof(BigInt<2>)});

    std::vector<Jacobian<G1>> scaled_a(n);
    std::vector<Affine<G1>> c(n);
    std::vector<Int> c_scalars(n);
    parallel_for(
        0, n,
        [&](std::size_t i) {
            scaled_a[i] = multiply_128<G1>(statements[i].proof.a, coefficients[i]);
            c[i] = statements[i].proof.c;
            c_scalars[i] = {{coefficients[i].limb[0], coefficients[i].limb[1]}};
        },
        4);

    // The inputs of all statements fold into one combination of the IC points.
    std::vector<Fr> folded(vk_.ic.size());
    for (std::size_t i = 0; i < n; ++i) {
        const Fr rho = Fr::from_int(c_scalars[i]);
        folded[0] += rho;
        for (std::size_t j = 0; j < statements[i].inputs.size(); ++j)
            folded[j + 1] += rho * statements[i].inputs[j];
    }
    std::vector<Int> ic_scalars(folded.size());
    std::transform(folded.begin(), folded.end(), ic_scalars.begin(), [](const Fr& x) { return x.to_int(); });

    const Jacobian<G1> ic = combine<G1>(vk_.ic, ic_scalars);
    const Jacobian<G1> c_sum = combine<G1>(c, c_scalars);
    const Jacobian<G1> alpha = Jacobian<G1>::from_affine(vk_.alpha_g1) * folded[0];

    const std::vector<Affine<G1>> a = batch_to_affine<G1>(scaled_a);
    std::vector<PairingPair<C>> pairs(n);
    for (std::size_t i = 0; i < n; ++i) pairs[i] = {a[i], statements[i].proof.b};
    const std::array<PreparedPair<C>, 3> prepared{
        {{-ic.to_affine(), &gamma_}, {-c_sum.to_affine(), &delta_}, {-alpha.to_affine(), &beta_}}};
    return multi_pairing<C>(pairs, prepared).is_one();
}

template <class C>
void Verifier<C>::bisect(std::span<const Statement<C>> statements, std::size_t first, bool known_bad,
                         RandomSource& random, std::vector<std::size_t>& invalid) const {
    if (!known_bad && verify_all(statements, random)) return;
    if (statements.size() == 1) {
        invalid.push_back(first);
        return;
    }
    const std::size_t half = statements.size() / 2;
    const std::size_t before = invalid.size();
    bisect(statements.first(half), first, false, random, invalid);
    // A bad whole with a good first half has a bad second half.
    bisect(statements.subspan(half), first + half, invalid.size() == before, random, invalid);
}

template <class C>
std::vector<std::size_t> Verifier<C>::find_invalid(std::span<const Statement<C>> statements,
                                                   RandomSource& random) const {
    std::vector<std::size_t> invalid;
    if (!statements.empty()) bisect(statements, 0, false, random, invalid);
    return invalid;
}

template class Verifier<Bls12_381>;
template class Verifier<Bn254>;

}  // namespace cuzk
