#include "groth16/setup.hpp"

#include <string.h>  // explicit_bzero

#include <algorithm>
#include <bit>
#include <type_traits>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "msm/fixed_base.hpp"
#include "poly/lagrange.hpp"
#include "r1cs/matrix_builder.hpp"

namespace cuzk {

namespace {

constexpr std::size_t kGrain = 4096;
// Points made at a time: enough to pay for a table of multiples, few enough to keep memory flat.
constexpr std::size_t kChunk = std::size_t{1} << 18;

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

template <class Fr>
Domain<Fr> family_domain(KeyFamily family, unsigned log_domain) {
    return family == KeyFamily::kSnarkjs ? Domain<Fr>::snarkjs(log_domain) : Domain<Fr>::zcash(log_domain);
}

// The values at tau of the QAP's polynomials, one of each a variable.
template <class Fr>
struct QapAtTau {
    QapAtTau(const Domain<Fr>& domain, const R1cs<Fr>& r1cs, const Fr& tau) {
        const std::vector<Fr> lagrange = lagrange_at(domain, tau);
        const auto rows = std::span(lagrange).first(r1cs.constraints());
        for (auto& [matrix, values] : {std::pair{&r1cs.a, &a}, {&r1cs.b, &b}, {&r1cs.c, &c}}) {
            values->resize(r1cs.variables);
            matrix->multiply_transposed(rows, std::span(*values));
        }
        // The appended row of input i holds nothing but that input, in A.
        for (std::size_t i = 0; i <= r1cs.public_inputs; ++i) a[i] += lagrange[r1cs.constraints() + i];
    }

    std::vector<Fr> a, b, c;
};

// scalar i of the H query. kSnarkjs: odd-indexed Lagrange values of the double domain, at tau, over delta:
// with shift^n = -1 they are -Z(tau)/2 times the Lagrange values of the domain at tau / shift. kBellman:
// tau^i Z(tau) / delta.
template <class Fr>
std::vector<Fr> h_scalars(KeyFamily family, const Domain<Fr>& domain, const Toxic<Fr>& toxic) {
    const Fr z_over_delta = vanishing_at(domain, toxic.tau) * toxic.delta.inverse();
    if (family == KeyFamily::kSnarkjs) {
        const Fr shift = Domain<Fr>::snarkjs_coset_shift(domain.log_size());
        std::vector<Fr> scalars = lagrange_at(domain, toxic.tau * shift.inverse());
        const Fr factor = z_over_delta * (shift.pow(u64{1} << domain.log_size()) - Fr::one()).inverse();
        parallel_for(
            0, scalars.size(), [&](std::size_t i) { scalars[i] *= factor; }, kGrain);
        return scalars;
    }
    std::vector<Fr> scalars(domain.size() - 1);
    parallel_ranges(0, scalars.size(), kGrain, [&](std::size_t first, std::size_t last) {
        Fr power = toxic.tau.pow(u64{first}) * z_over_delta;
        for (std::size_t i = first; i < last; ++i, power *= toxic.tau) scalars[i] = power;
    });
    return scalars;
}

template <class C>
class KeyWriter {
public:
    using Fr = typename C::Fr;

    KeyWriter(KeySink<C>& sink, Progress* progress, const SetupBases<C>& bases)
        : sink_(sink), progress_(progress), bases_(bases) {}

    template <class G>
    void write(Query query, std::span<const Fr> scalars) {
        sink_.begin_query(query, scalars.size());
        const std::string stage = std::string("setup: ") + query_name(query);
        std::vector<Affine<G>> points(std::min(kChunk, scalars.size()));
        for (std::size_t done = 0; done < scalars.size();) {
            report_progress(progress_, stage, done, scalars.size());
            const std::size_t count = std::min(kChunk, scalars.size() - done);
            const auto out = std::span(points).first(count);
            if constexpr (std::is_same_v<G, typename C::G1>)
                fixed_base_mul<G>(bases_.g1, scalars.subspan(done, count), out);
            else
                fixed_base_mul<G>(bases_.g2, scalars.subspan(done, count), out);
            sink_.add(std::span<const Affine<G>>(out));
            done += count;
        }
        report_progress(progress_, stage, scalars.size(), scalars.size());
    }

private:
    KeySink<C>& sink_;
    Progress* progress_;
    const SetupBases<C>& bases_;
};

// In the kBellman layout only points of variables that occur are stored.
template <class Fr>
std::vector<Fr> drop_unused(const std::vector<Fr>& values, const ColumnSet& used, std::size_t always) {
    std::vector<Fr> kept;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (i < always || used.contains(i)) kept.push_back(values[i]);
    return kept;
}

template <class G>
Affine<G> times(const Affine<G>& base, const typename G::Scalar& k) {
    return (Jacobian<G>::from_affine(base) * k).to_affine();
}

}  // namespace

template <class Fr>
unsigned log_domain_of(KeyFamily family, const R1cs<Fr>& r1cs) {
    const std::size_t rows = r1cs.constraints() + r1cs.public_inputs + 1;
    const auto log = static_cast<unsigned>(std::bit_width(rows - 1));
    if (log > Fr::Constants::kTwoAdicity)
        throw Error(ErrorKind::kUnsupported, std::to_string(rows) + " rows are more than the 2^" +
                                                 std::to_string(Fr::Constants::kTwoAdicity) +
                                                 " points that " + Fr::Params::kName + " has for them");
    return family == KeyFamily::kSnarkjs ? std::max(log, 1u) : log;
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

template <class C>
VerifyingKey<C> setup(KeyFamily family, const R1cs<typename C::Fr>& r1cs, RandomSource& random,
                      KeySink<C>& sink, Progress* progress, const SetupBases<C>& bases) {
    using Fr = typename C::Fr;
    using G1 = typename C::G1;
    using G2 = typename C::G2;
    r1cs.check_shape();
    const Domain<Fr> domain = family_domain<Fr>(family, log_domain_of(family, r1cs));
    const std::size_t inputs = std::size_t{r1cs.public_inputs} + 1;
    const Toxic<Fr> toxic(family, random);

    report_progress(progress, "setup: polynomials at tau", 0, 1);
    QapAtTau<Fr> qap(domain, r1cs, toxic.tau);
    // (beta a + alpha b + c) over gamma for inputs, over delta for private variables; c is not needed alone.
    std::vector<Fr>& l = qap.c;
    const Fr gamma_inverse = toxic.gamma.inverse();
    const Fr delta_inverse = toxic.delta.inverse();
    parallel_ranges(0, l.size(), kGrain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            l[i] = (toxic.beta * qap.a[i] + toxic.alpha * qap.b[i] + l[i]) *
                   (i < inputs ? gamma_inverse : delta_inverse);
    });
    report_progress(progress, "setup: polynomials at tau", 1, 1);

    KeyHeader<C> header;
    header.family = family;
    header.variables = r1cs.variables;
    header.log_domain = domain.log_size();
    header.contribution = kSetupNotice;
    header.vk.alpha_g1 = times(bases.g1, toxic.alpha);
    header.vk.beta_g1 = times(bases.g1, toxic.beta);
    header.vk.beta_g2 = times(bases.g2, toxic.beta);
    header.vk.gamma_g2 = times(bases.g2, toxic.gamma);
    header.vk.delta_g1 = times(bases.g1, toxic.delta);
    header.vk.delta_g2 = times(bases.g2, toxic.delta);
    header.vk.ic = fixed_base_mul<G1>(bases.g1, std::span<const Fr>(l).first(inputs));

    KeyWriter<C> writer(sink, progress, bases);
    const auto private_l = std::span<const Fr>(l).subspan(inputs);
    if (family == KeyFamily::kSnarkjs) {
        const SparseMatrix<Fr> a = with_input_rows(r1cs.a, inputs, true);
        const SparseMatrix<Fr> b = with_input_rows(r1cs.b, inputs, false);
        header.a_matrix = &a;
        header.b_matrix = &b;
        sink.begin(header);
        writer.template write<G1>(Query::kA, qap.a);
        writer.template write<G1>(Query::kBG1, qap.b);
        writer.template write<G2>(Query::kBG2, qap.b);
        writer.template write<G1>(Query::kL, private_l);
        writer.template write<G1>(Query::kH, h_scalars(family, domain, toxic));
    } else {
        for (std::size_t i = 0; i < private_l.size(); ++i)
            if (private_l[i].is_zero())
                throw Error(
                    ErrorKind::kUnsupported,
                    "variable " + std::to_string(inputs + i) +
                        " occurs in no constraint, and a bellman key can not hold its point at infinity");
        sink.begin(header);
        writer.template write<G1>(Query::kH, h_scalars(family, domain, toxic));
        writer.template write<G1>(Query::kL, private_l);
        writer.template write<G1>(Query::kA, drop_unused(qap.a, r1cs.a.used_columns(), inputs));
        const std::vector<Fr> b = drop_unused(qap.b, r1cs.b.used_columns(), 0);
        writer.template write<G1>(Query::kBG1, b);
        writer.template write<G2>(Query::kBG2, b);
    }
    sink.end();
    return header.vk;
}

CUZK_SETUP(, Bls12_381)
CUZK_SETUP(, Bn254)

}  // namespace cuzk
