#include "groth16/setup.hpp"

#include <string.h>  // explicit_bzero

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include "base/error.hpp"
#include "base/large_vector.hpp"
#include "base/parallel.hpp"
#include "groth16/key_domain.hpp"
#include "msm/fixed_base.hpp"
#include "poly/lagrange.hpp"
#include "r1cs/column_set.hpp"
#include "r1cs/instanced_columns.hpp"
#include "r1cs/matrix_builder.hpp"

namespace cuzk {

namespace {

constexpr std::size_t kGrain = 4096;

// The secrets of a setup, gone when it is done.
template <class Fr>
struct Toxic {
    explicit Toxic(KeyFamily family, RandomSource& random) {
        for (Fr* x : {&tau, &alpha, &beta, &gamma, &delta}) {
            do *x = Fr::random(random);
            while (x->is_zero() || x->is_one());
        }
        if (family == KeyFamily::kSnarkjs) gamma = Fr::one();
        while (delta == gamma || delta.is_zero() || delta.is_one()) delta = Fr::random(random);
    }
    Toxic(const Toxic&) = delete;
    Toxic& operator=(const Toxic&) = delete;
    ~Toxic() { explicit_bzero(static_cast<void*>(this), sizeof(*this)); }

    Fr tau, alpha, beta, gamma, delta;
};

// The values at tau of the QAP's polynomials, one of each a variable, and what a key wants to know about the variables.
template <class Fr>
struct QapAtTau {
    unsigned log_domain = 0;
    std::size_t inputs = 0;  // with the constant one
    LargeVector<Fr> a, b, c;
    ColumnSet used_a, used_b;  // variables that occur in the constraints; kBellman only

    // The appended row of input i holds nothing but that input, in A.
    void add_input_rows(std::span<const Fr> lagrange, std::size_t constraints) {
        for (std::size_t i = 0; i < inputs; ++i) a[i] += lagrange[constraints + i];
    }
};

template <class Fr>
LargeVector<Fr> lagrange_values(KeyFamily family, unsigned log_domain, const Fr& tau) {
    LargeVector<Fr> lagrange(std::size_t{1} << log_domain);
    lagrange_at<Fr>(key_domain<Fr>(family, log_domain), tau, lagrange);
    return lagrange;
}

template <class Fr>
unsigned log_domain_of_rows(KeyFamily family, std::size_t rows) {
    const auto log = static_cast<unsigned>(std::bit_width(rows - 1));
    if (log > Fr::Constants::kTwoAdicity)
        throw Error(ErrorKind::kUnsupported, std::to_string(rows) + " rows are more than the 2^" +
                                                 std::to_string(Fr::Constants::kTwoAdicity) +
                                                 " points that " + Fr::Params::kName + " has for them");
    return family == KeyFamily::kSnarkjs ? std::max(log, 1u) : log;
}

template <class Fr>
QapAtTau<Fr> qap_at(KeyFamily family, const R1cs<Fr>& r1cs, const Fr& tau) {
    QapAtTau<Fr> qap;
    qap.log_domain = log_domain_of(family, r1cs);
    qap.inputs = std::size_t{r1cs.public_inputs} + 1;
    const LargeVector<Fr> lagrange = lagrange_values(family, qap.log_domain, tau);
    const auto rows = std::span<const Fr>(lagrange).first(r1cs.constraints());
    for (auto& [matrix, values] : {std::pair{&r1cs.a, &qap.a}, {&r1cs.b, &qap.b}, {&r1cs.c, &qap.c}}) {
        *values = LargeVector<Fr>(r1cs.variables);
        matrix->multiply_transposed(rows, std::span(*values));
    }
    qap.add_input_rows(lagrange, r1cs.constraints());
    if (family == KeyFamily::kBellman) {
        qap.used_a = r1cs.a.used_columns();
        qap.used_b = r1cs.b.used_columns();
    }
    return qap;
}

template <class Fr>
QapAtTau<Fr> qap_at(KeyFamily family, const InstancedCircuit<Fr>& circuit, const Fr& tau) {
    QapAtTau<Fr> qap;
    qap.log_domain = log_domain_of_rows<Fr>(family, circuit.rows());
    qap.inputs = circuit.r1cs.inputs;
    const LargeVector<Fr> lagrange = lagrange_values(family, qap.log_domain, tau);
    for (auto* values : {&qap.a, &qap.b, &qap.c}) *values = LargeVector<Fr>(circuit.variables());
    multiply_transposed<Fr>(circuit.r1cs, lagrange, {qap.a, qap.b, qap.c});
    qap.add_input_rows(lagrange, circuit.r1cs.constraints);
    qap.used_a = ColumnSet(circuit.variables());
    qap.used_b = ColumnSet(circuit.variables());
    const auto insert = [](ColumnSet& set, const DensityBits& bits, std::size_t first) {
        for (std::size_t i = 0; i < bits.size(); ++i)
            if (bits[i]) set.insert(first + i);
    };
    insert(qap.used_a, circuit.density.a_aux, qap.inputs);
    insert(qap.used_b, circuit.density.b_inputs, 0);
    insert(qap.used_b, circuit.density.b_aux, qap.inputs);
    return qap;
}

// scalar i of the H query. kSnarkjs: odd-indexed Lagrange values of the double domain, at tau, over delta:
// with shift^n = -1 they are -Z(tau)/2 times the Lagrange values of the domain at tau / shift. kBellman:
// tau^i Z(tau) / delta.
template <class Fr>
LargeVector<Fr> h_scalars(KeyFamily family, const Domain<Fr>& domain, const Toxic<Fr>& toxic) {
    const Fr z_over_delta = vanishing_at(domain, toxic.tau) * toxic.delta.inverse();
    if (family == KeyFamily::kSnarkjs) {
        const Fr shift = Domain<Fr>::snarkjs_coset_shift(domain.log_size());
        LargeVector<Fr> scalars(domain.size());
        lagrange_at<Fr>(domain, toxic.tau * shift.inverse(), scalars);
        const Fr factor = z_over_delta * (shift.pow(u64{1} << domain.log_size()) - Fr::one()).inverse();
        parallel_for(
            0, scalars.size(), [&](std::size_t i) { scalars[i] *= factor; }, kGrain);
        return scalars;
    }
    LargeVector<Fr> scalars(domain.size() - 1);
    parallel_ranges(0, scalars.size(), kGrain, [&](std::size_t first, std::size_t last) {
        Fr power = toxic.tau.pow(u64{first}) * z_over_delta;
        for (std::size_t i = first; i < last; ++i, power *= toxic.tau) scalars[i] = power;
    });
    return scalars;
}

// In the kBellman layout only points of variables that occur are stored: the first `always` values and those of `used`, packed.
template <class Fr>
LargeVector<Fr> drop_unused(std::span<const Fr> values, const ColumnSet& used, std::size_t always) {
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    const auto kept = [&](std::size_t first, std::size_t last) {
        const std::size_t counted = std::clamp(always, first, last);
        return counted - first + used.count(counted, last);
    };
    std::vector<std::size_t> before((values.size() + kBlock - 1) / kBlock + 1);
    for (std::size_t block = 0; block + 1 < before.size(); ++block)
        before[block + 1] =
            before[block] + kept(block * kBlock, std::min(values.size(), (block + 1) * kBlock));
    LargeVector<Fr> out(before.back());
    parallel_for(0, before.size() - 1, [&](std::size_t block) {
        std::size_t next = before[block];
        const std::size_t last = std::min(values.size(), (block + 1) * kBlock);
        for (std::size_t i = block * kBlock; i < last; ++i)
            if (i < always || used.contains(i)) out[next++] = values[i];
    });
    return out;
}

template <class Fr>
void require_no_zero(std::span<const Fr> l, std::size_t inputs) {
    std::atomic<std::size_t> first{l.size()};
    parallel_ranges(0, l.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (!l[i].is_zero()) continue;
            std::size_t seen = first.load();
            while (i < seen && !first.compare_exchange_weak(seen, i)) {
            }
        }
    });
    if (first != l.size())
        throw Error(ErrorKind::kUnsupported,
                    "variable " + std::to_string(inputs + first) +
                        " occurs in no constraint, and a bellman key can not hold its point at infinity");
}

template <class G>
Affine<G> times(const Affine<G>& base, const typename G::Scalar& k) {
    return (Jacobian<G>::from_affine(base) * k).to_affine();
}

}  // namespace

template <class Fr>
unsigned log_domain_of(KeyFamily family, const R1cs<Fr>& r1cs) {
    return log_domain_of_rows<Fr>(family, r1cs.constraints() + r1cs.public_inputs + 1);
}

template <class Fr>
SparseMatrix<Fr> with_input_rows(const SparseMatrix<Fr>& matrix, std::size_t inputs, bool is_a) {
    MatrixBuilder<Fr> builder(matrix.columns());
    for (std::size_t row = 0; row < matrix.rows(); ++row) {
        matrix.for_each_term(row, [&](u32 column, const Fr& k) { builder.add_term(column, k); });
        builder.end_row();
    }
    for (std::size_t i = 0; i < inputs; ++i) {
        if (is_a) builder.add_term(static_cast<u32>(i), Fr::one());
        builder.end_row();
    }
    return std::move(builder).finish();
}

namespace {

// `matrices`, of the kSnarkjs family: A and B with the appended rows.
template <class C, class System>
VerifyingKey<C> run_setup(KeyFamily family, const System& system, RandomSource& random,
                          SetupTarget<C>& target, Progress* progress, const SetupBases<C>& bases,
                          std::array<const SparseMatrix<typename C::Fr>*, 2> matrices) {
    using Fr = typename C::Fr;
    using G1 = typename C::G1;
    const Toxic<Fr> toxic(family, random);

    report_progress(progress, "setup: polynomials at tau", 0, 1);
    QapAtTau<Fr> qap = qap_at(family, system, toxic.tau);
    // (beta a + alpha b + c) over gamma for inputs, over delta for private variables; c is not needed alone.
    const std::span<Fr> l = qap.c;
    const Fr gamma_inverse = toxic.gamma.inverse();
    const Fr delta_inverse = toxic.delta.inverse();
    parallel_ranges(0, l.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            l[i] = (toxic.beta * qap.a[i] + toxic.alpha * qap.b[i] + l[i]) *
                   (i < qap.inputs ? gamma_inverse : delta_inverse);
    });
    report_progress(progress, "setup: polynomials at tau", 1, 1);

    KeyHeader<C> header;
    header.family = family;
    header.variables = l.size();
    header.log_domain = qap.log_domain;
    header.contribution = kSetupNotice;
    header.a_matrix = matrices[0];
    header.b_matrix = matrices[1];
    header.vk.alpha_g1 = times(bases.g1, toxic.alpha);
    header.vk.beta_g1 = times(bases.g1, toxic.beta);
    header.vk.beta_g2 = times(bases.g2, toxic.beta);
    header.vk.gamma_g2 = times(bases.g2, toxic.gamma);
    header.vk.delta_g1 = times(bases.g1, toxic.delta);
    header.vk.delta_g2 = times(bases.g2, toxic.delta);
    header.vk.ic = fixed_base_mul<G1>(bases.g1, std::span<const Fr>(l).first(qap.inputs));

    const auto private_l = std::span<const Fr>(l).subspan(qap.inputs);
    const auto h = [&] { return h_scalars(family, key_domain<Fr>(family, qap.log_domain), toxic); };
    const auto hand_over = [&](Query query, const LargeVector<Fr>& scalars) { target.query(query, scalars); };
    if (family == KeyFamily::kSnarkjs) {
        target.begin(header);
        hand_over(Query::kA, qap.a);
        hand_over(Query::kBG1, qap.b);
        hand_over(Query::kBG2, qap.b);
        target.query(Query::kL, private_l);
        hand_over(Query::kH, h());
    } else {
        require_no_zero(private_l, qap.inputs);
        target.begin(header);
        hand_over(Query::kH, h());
        target.query(Query::kL, private_l);
        hand_over(Query::kA, drop_unused<Fr>(qap.a, qap.used_a, qap.inputs));
        const LargeVector<Fr> b = drop_unused<Fr>(qap.b, qap.used_b, 0);
        hand_over(Query::kBG1, b);
        hand_over(Query::kBG2, b);
    }
    target.end();
    return header.vk;
}

}  // namespace

template <class C>
VerifyingKey<C> setup(KeyFamily family, const R1cs<typename C::Fr>& r1cs, RandomSource& random,
                      SetupTarget<C>& target, Progress* progress, const SetupBases<C>& bases) {
    r1cs.check_shape();
    if (family != KeyFamily::kSnarkjs)
        return run_setup<C>(family, r1cs, random, target, progress, bases, {nullptr, nullptr});
    const std::size_t inputs = std::size_t{r1cs.public_inputs} + 1;
    const auto a = with_input_rows(r1cs.a, inputs, true);
    const auto b = with_input_rows(r1cs.b, inputs, false);
    return run_setup<C>(family, r1cs, random, target, progress, bases, {&a, &b});
}

template <class C>
VerifyingKey<C> setup(KeyFamily family, const InstancedCircuit<typename C::Fr>& circuit, RandomSource& random,
                      SetupTarget<C>& target, Progress* progress, const SetupBases<C>& bases) {
    if (family == KeyFamily::kSnarkjs)
        throw Error(ErrorKind::kUnsupported,
                    circuit.name + ": a snarkjs key holds matrices, which instanced circuits do not make");
    return run_setup<C>(family, circuit, random, target, progress, bases, {nullptr, nullptr});
}

CUZK_SETUP(, Bls12_381)
CUZK_SETUP(, Bn254)

}  // namespace cuzk
