#include "groth16/key_checks.hpp"

#include "base/error.hpp"
#include "groth16/instanced_circuit.hpp"
#include "r1cs/matrix.hpp"

namespace cuzk {

template <class C>
void check_shape(const ProvingKey<C>& key) {
    const auto fail = [&](const std::string& what) {
        throw Error(ErrorKind::kMalformed, (key.name.empty() ? "proving key" : key.name) + ": " + what);
    };
    const auto expect = [&](const char* what, std::size_t got, std::size_t wanted) {
        if (got != wanted)
            fail(std::string(what) + " has " + std::to_string(got) + " points where " +
                 std::to_string(wanted) + " are needed");
    };
    const VerifyingKey<C>& vk = key.vk;
    if (vk.ic.empty()) fail("there is no IC point, not even for the constant one");
    if (vk.ic.size() > key.variables)
        fail(std::to_string(vk.public_inputs()) + " public inputs among " + std::to_string(key.variables) +
             " variables");
    if (vk.delta_g1.is_infinity() || vk.delta_g2.is_infinity()) fail("delta is the identity");
    if (vk.beta_g1.is_infinity() || vk.beta_g2.is_infinity()) fail("beta is the identity");
    if (key.log_domain > C::Fr::Constants::kTwoAdicity)
        fail("the domain of 2^" + std::to_string(key.log_domain) + " points does not exist in " +
             C::Fr::Params::kName);

    expect("the L query", key.l.size(), key.variables - vk.ic.size());
    if (key.family == KeyFamily::kBellman) {
        expect("the H query", key.h.size(), key.domain() - 1);
        expect("the B query in G2", key.b_g2.size(), key.b_g1.size());
        if (key.a.size() < vk.ic.size() || key.a.size() > key.variables)
            fail("the A query has " + std::to_string(key.a.size()) + " points, which is not between " +
                 std::to_string(vk.ic.size()) + " inputs and " + std::to_string(key.variables) +
                 " variables");
        if (key.b_g1.size() > key.variables) fail("the B query has more points than there are variables");
        if (key.circuit) {
            const auto agree = [&](const char* what, std::size_t mine, std::size_t circuits) {
                if (mine != circuits)
                    fail(std::string("the key is not of the circuit ") + key.circuit->name + ": " + what +
                         " " + std::to_string(mine) + " here, " + std::to_string(circuits) + " there");
            };
            const ColumnDensity& density = key.circuit->density;
            agree("variables", key.variables, key.circuit->variables());
            agree("inputs", vk.ic.size(), key.circuit->r1cs.inputs);
            agree("variables in A", key.a.size(), vk.ic.size() + density.a_aux.count());
            agree("variables in B", key.b_g1.size(), density.b_inputs.count() + density.b_aux.count());
            if (key.circuit->rows() > key.domain() || 2 * key.circuit->rows() <= key.domain())
                fail("the key's domain of " + std::to_string(key.domain()) + " points is not for the " +
                     std::to_string(key.circuit->rows()) + " rows of the circuit " + key.circuit->name);
        }
        return;
    }
    expect("the H query", key.h.size(), key.domain());
    expect("the A query", key.a.size(), key.variables);
    expect("the B query in G1", key.b_g1.size(), key.variables);
    expect("the B query in G2", key.b_g2.size(), key.variables);
    for (const auto& matrix : {key.a_matrix, key.b_matrix}) {
        if (!matrix) fail("a constraint matrix is missing");
        if (matrix->rows() > key.domain() || matrix->columns() != key.variables)
            fail("a constraint matrix is " + std::to_string(matrix->rows()) + " x " +
                 std::to_string(matrix->columns()) + " for a domain of " + std::to_string(key.domain()) +
                 " and " + std::to_string(key.variables) + " variables");
    }
}

template <class C>
void check_assignment(const ProvingKey<C>& key, const Assignment<typename C::Fr>& x) {
    const auto refuse = [&](const std::string& what) {
        throw Error(ErrorKind::kMalformed, (key.name.empty() ? "" : key.name + ": ") + what);
    };
    const auto expect = [&](const char* what, std::size_t got, std::size_t wanted) {
        if (got != wanted)
            refuse(std::string("the key wants ") + std::to_string(wanted) + " " + what +
                   ", the assignment has " + std::to_string(got));
    };
    expect("inputs", x.inputs, key.public_inputs() + 1);
    expect("variables", x.z.size(), key.variables);
    const std::size_t rows = x.a.size();
    if (x.b.size() != rows || x.c.size() != rows) refuse("the assignment's a, b and c differ in length");
    if (rows > key.domain() || 2 * rows <= key.domain())
        refuse("the assignment has " + std::to_string(rows) +
               " rows, which is not what the key's domain of " + std::to_string(key.domain()) +
               " points is for");
    expect("density bits of private variables in A", x.a_aux.size(), x.aux());
    expect("density bits of inputs in B", x.b_inputs.size(), x.inputs);
    expect("density bits of private variables in B", x.b_aux.size(), x.aux());
    expect("variables in A", x.inputs + x.a_aux.count(), key.a.size());
    expect("variables in B", x.b_inputs.count() + x.b_aux.count(), key.b_g1.size());
}

template <class C>
std::optional<std::string> forgeable(const VerifyingKey<C>& vk) {
    if (vk.gamma_g2 == vk.delta_g2) return "gamma equals delta";
    if (vk.gamma_g2.is_infinity()) return "gamma is the identity";
    if (vk.delta_g2.is_infinity()) return "delta is the identity";
    // e(alpha, beta) is then one, and an honest proof of nothing (all identities) is valid where IC sums to
    // zero.
    if (vk.alpha_g1.is_infinity()) return "alpha is the identity";
    if (vk.beta_g2.is_infinity()) return "beta is the identity";
    // The generator as delta: its exponent, one, is known, so the private part can be made up.
    if (vk.delta_g2 == Affine<typename C::G2>::generator()) return "delta is the generator";
    return std::nullopt;
}

#define CUZK_KEY_SHAPE(C)                                                           \
    template void check_shape(const ProvingKey<C>&);                                \
    template void check_assignment(const ProvingKey<C>&, const Assignment<C::Fr>&); \
    template std::optional<std::string> forgeable(const VerifyingKey<C>&);
CUZK_KEY_SHAPE(Bls12_381)
CUZK_KEY_SHAPE(Bn254)

}  // namespace cuzk
