#include "groth16/family_change.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "groth16/basis_change.hpp"
#include "groth16/setup.hpp"
#include "poly/domain.hpp"
#include "r1cs/matrix_builder.hpp"

namespace cuzk {

namespace {

template <class C>
struct Points {
    std::vector<Affine<typename C::G1>> a, b_g1, l, h;
    std::vector<Affine<typename C::G2>> b_g2;
};

template <class C>
void attach(ProvingKey<C>& key, std::shared_ptr<Points<C>> points) {
    const auto view = [](const auto& v) { return AffineView(std::span(v.data(), v.size())); };
    key.a = view(points->a);
    key.b_g1 = view(points->b_g1);
    key.b_g2 = view(points->b_g2);
    key.l = view(points->l);
    key.h = view(points->h);
    key.storage = std::move(points);
}

template <class G>
std::vector<Affine<G>> copy(AffineView<G> view) {
    std::vector<Affine<G>> out;
    out.reserve(view.size());
    for (std::size_t i = 0; i < view.size(); ++i) out.push_back(view[i]);
    return out;
}

template <class G>
std::vector<Affine<G>> without_infinities(AffineView<G> view) {
    std::vector<Affine<G>> out;
    for (std::size_t i = 0; i < view.size(); ++i)
        if (!view[i].is_infinity()) out.push_back(view[i]);
    return out;
}

// One point a column: the next of `view` where the column is used, else infinity.
template <class G>
std::vector<Affine<G>> spread(AffineView<G> view, const ColumnSet& used) {
    std::vector<Affine<G>> out(used.columns());
    std::size_t next = 0;
    for (std::size_t i = 0; i < out.size(); ++i)
        if (used.contains(i)) out[i] = view[next++];
    return out;
}

// Row t of the result is row t / stride mod n of the matrix.
template <class Fr>
SparseMatrix<Fr> permute_rows(const SparseMatrix<Fr>& matrix, unsigned log_domain) {
    const std::size_t n = std::size_t{1} << log_domain;
    const std::size_t stride = row_stride<Fr>(log_domain);
    std::size_t inverse = 1;  // of the stride, modulo every power of two (Newton)
    for (int i = 0; i < 6; ++i) inverse *= 2 - stride * inverse;
    MatrixBuilder<Fr> builder(matrix.columns());
    for (std::size_t t = 0; t < n; ++t) {
        const std::size_t row = (t * inverse) & (n - 1);
        if (row < matrix.rows())
            matrix.for_each_term(row, [&](u32 column, const Fr& value) { builder.add_term(column, value); });
        builder.end_row();
    }
    return std::move(builder).finish();
}

void require_family(KeyFamily is, KeyFamily wanted) {
    if (is != wanted) throw Error(ErrorKind::kInternal, "a key conversion from the wrong family");
}

}  // namespace

// The discrete logarithm of the one root to the base of the other, bit by bit: the group's order is a power of two.
template <class Fr>
std::size_t row_stride(unsigned log_domain) {
    const Fr target = Domain<Fr>::zcash(log_domain).root();
    const Fr base_inverse = Domain<Fr>::snarkjs(log_domain).root_inverse();
    std::size_t stride = 0;
    for (unsigned bit = 0; bit < log_domain; ++bit) {
        const Fr rest = target * base_inverse.pow(u64{stride});
        if (!rest.pow(u64{1} << (log_domain - 1 - bit)).is_one()) stride |= std::size_t{1} << bit;
    }
    return stride == 0 ? 1 : stride;  // n = 1: there is one row only
}

template <class C>
ProvingKey<C> bellman_from_snarkjs(const ProvingKey<C>& key, Progress* progress) {
    require_family(key.family, KeyFamily::kSnarkjs);
    const auto refuse = [&](ErrorKind kind, const std::string& reason) {
        throw Error(kind, fmt::format("{}: {}", key.name, reason));
    };
    for (std::size_t i = 0; i < key.vk.ic.size(); ++i)
        if (key.vk.ic[i].is_infinity() || key.a[i].is_infinity())
            refuse(
                ErrorKind::kUnsupported,
                fmt::format("public input {} has a point at infinity, which bellman's files cannot hold", i));
    for (std::size_t i = 0; i < key.l.size(); ++i)
        if (key.l[i].is_infinity())
            refuse(ErrorKind::kUnsupported,
                   fmt::format("variable {} occurs in no constraint, which bellman's files cannot hold",
                               i + key.vk.ic.size()));
    for (std::size_t i = 0; i < key.b_g1.size(); ++i)
        if (key.b_g1[i].is_infinity() != key.b_g2[i].is_infinity())
            refuse(ErrorKind::kMalformed, fmt::format("B of variable {} is infinity in one group only", i));

    auto points = std::make_shared<Points<C>>();
    points->a = without_infinities(key.a);
    points->b_g1 = without_infinities(key.b_g1);
    points->b_g2 = without_infinities(key.b_g2);
    points->l = copy(key.l);
    points->h = lagrange_to_powers(key.h, progress);

    ProvingKey<C> out;
    out.family = KeyFamily::kBellman;
    out.name = key.name;
    out.vk = key.vk;
    out.variables = key.variables;
    out.log_domain = key.log_domain;
    attach(out, std::move(points));
    return out;
}

template <class C>
ProvingKey<C> snarkjs_from_bellman(const ProvingKey<C>& key, const R1cs<typename C::Fr>& r1cs,
                                   Progress* progress) {
    using Matrix = SparseMatrix<typename C::Fr>;
    require_family(key.family, KeyFamily::kBellman);
    const auto expect = [&](const char* what, std::size_t has, std::size_t wants) {
        if (has != wants)
            throw Error(ErrorKind::kMalformed,
                        fmt::format("{}: not the key of this circuit: the key has {} {}, the circuit {}",
                                    key.name, has, what, wants));
    };
    expect("variables", key.variables, r1cs.variables);
    expect("public inputs", key.public_inputs(), r1cs.public_inputs);
    const std::size_t inputs = key.public_inputs() + 1;
    if (r1cs.constraints() + inputs > key.domain())
        throw Error(ErrorKind::kMalformed,
                    fmt::format("{}: not the key of this circuit: {} rows are more than its domain of {}",
                                key.name, r1cs.constraints() + inputs, key.domain()));
    const Matrix a = with_input_rows(r1cs.a, inputs, true);
    const Matrix b = with_input_rows(r1cs.b, inputs, false);
    const ColumnSet used_a = a.used_columns();
    const ColumnSet used_b = b.used_columns();
    expect("points in A", key.a.size(), used_a.count());
    expect("points in B", key.b_g1.size(), used_b.count());
    expect("points in B in G2", key.b_g2.size(), used_b.count());

    auto points = std::make_shared<Points<C>>();
    points->a = spread(key.a, used_a);
    points->b_g1 = spread(key.b_g1, used_b);
    points->b_g2 = spread(key.b_g2, used_b);
    points->l = copy(key.l);
    points->h = powers_to_lagrange(key.h, progress);

    ProvingKey<C> out;
    out.family = KeyFamily::kSnarkjs;
    out.name = key.name;
    out.vk = key.vk;
    out.variables = key.variables;
    out.log_domain = key.log_domain;
    out.a_matrix = std::make_shared<const Matrix>(permute_rows(a, key.log_domain));
    out.b_matrix = std::make_shared<const Matrix>(permute_rows(b, key.log_domain));
    attach(out, std::move(points));
    return out;
}

template std::size_t row_stride<Bls12_381Fr>(unsigned);
template std::size_t row_stride<Bn254Fr>(unsigned);
template ProvingKey<Bls12_381> bellman_from_snarkjs(const ProvingKey<Bls12_381>&, Progress*);
template ProvingKey<Bls12_381> snarkjs_from_bellman(const ProvingKey<Bls12_381>&, const R1cs<Bls12_381Fr>&,
                                                    Progress*);

}  // namespace cuzk
