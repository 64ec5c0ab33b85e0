#include "groth16/diagnosis.hpp"

#include "groth16/instanced_circuit.hpp"
#include "groth16/key_checks.hpp"

namespace cuzk {

namespace {

template <class C>
std::string prefix_of(const ProvingKey<C>& key) {
    return key.name.empty() ? "" : key.name + ": ";
}

// Decimal text is for files; a person compares these by eye, mostly small values or their negatives.
template <class Fr>
std::string text(const Fr& value) {
    const auto small = [](const Fr& x) { return x.to_int().bit_length() <= 63; };
    if (small(value)) return std::to_string(value.to_int().limb[0]);
    if (small(-value)) return std::string("-").append(std::to_string((-value).to_int().limb[0]));
    std::string hex = "0x";
    const auto v = value.to_int();
    for (std::size_t bit = (v.bit_length() + 3) / 4 * 4; bit > 0; bit -= 4)
        hex += "0123456789abcdef"[v.bits(bit - 4, 4)];
    return hex;
}

template <class Fr>
Error violated(std::size_t row, const Fr& a, const Fr& b, const Fr& c) {
    return Error(ErrorKind::kUnsatisfied, "the witness does not satisfy the circuit: constraint " +
                                              std::to_string(row) + " says A * B = C, the values are " +
                                              text(a) + " * " + text(b) + " and " + text(c));
}

template <class Fr>
bool same_row(const SparseMatrix<Fr>& x, const SparseMatrix<Fr>& y, std::size_t row) {
    if (x.row_length(row) != y.row_length(row)) return false;
    std::vector<Term<Fr>> terms;
    x.for_each_term(row, [&](u32 column, const Fr& k) { terms.push_back({column, k}); });
    std::size_t i = 0;
    bool same = true;
    y.for_each_term(row, [&](u32 column, const Fr& k) {
        same = same && terms[i].column == column && terms[i].coefficient == k;
        ++i;
    });
    return same;
}

// What tells that the key is of another circuit, if anything.
template <class C>
std::optional<std::string> other_circuit(const ProvingKey<C>& key, const R1cs<typename C::Fr>& r1cs) {
    if (r1cs.variables != key.variables)
        return "it has " + std::to_string(key.variables) + " variables, the circuit " +
               std::to_string(r1cs.variables);
    if (r1cs.public_inputs != key.public_inputs())
        return "it has " + std::to_string(key.public_inputs()) + " public inputs, the circuit " +
               std::to_string(r1cs.public_inputs);
    if (!key.a_matrix || !key.b_matrix) return std::nullopt;
    for (const auto& [name, mine, theirs] :
         {std::tuple{"A", key.a_matrix.get(), &r1cs.a}, {"B", key.b_matrix.get(), &r1cs.b}})
        for (std::size_t row = 0; row < r1cs.constraints(); ++row)
            if (row >= mine->rows() ? theirs->row_length(row) != 0 : !same_row(*mine, *theirs, row))
                return "its " + std::string(name) + " matrix differs from the circuit's at constraint " +
                       std::to_string(row);
    return std::nullopt;
}

template <class C>
std::optional<Error> damaged(const ProvingKey<C>& key) {
    const auto bad = find_damage(key);
    if (!bad) return std::nullopt;
    return Error(ErrorKind::kMalformed, prefix_of(key) + "the key is damaged: point " +
                                            std::to_string(bad->index) + " of " + bad->query + " " +
                                            bad->reason);
}

}  // namespace

template <class C>
Error diagnose(const ProvingKey<C>& key, std::span<const typename C::Fr> z,
               const R1cs<typename C::Fr>* r1cs) {
    if (r1cs != nullptr) {
        if (const auto reason = other_circuit(key, *r1cs))
            return Error(ErrorKind::kMalformed,
                         prefix_of(key) + "the key is not of this circuit: " + *reason);
        if (const auto v = r1cs->first_violation(z)) return violated(v->row, v->a, v->b, v->c);
    }
    if (const auto error = damaged(key)) return *error;
    if (r1cs != nullptr)
        return Error(
            ErrorKind::kMalformed,
            prefix_of(key) +
                "the witness satisfies the circuit and the key's points are sound, yet the proof does "
                "not verify: the key's points belong to another circuit or setup");
    return Error(ErrorKind::kUnsatisfied,
                 "the proof does not verify, and the key's points are sound: the witness does not satisfy "
                 "the circuit (most "
                 "likely), or it was made for another version of the circuit than the key; with the "
                 "circuit's .r1cs the "
                 "violated constraint can be named");
}

template <class C>
Error diagnose(const ProvingKey<C>& key, const Assignment<typename C::Fr>& assignment) {
    for (std::size_t row = 0; row < assignment.a.size(); ++row)
        if (!(assignment.a[row] * assignment.b[row] == assignment.c[row]))
            return violated(row, assignment.a[row], assignment.b[row], assignment.c[row]);
    if (const auto error = damaged(key)) return *error;
    return Error(ErrorKind::kMalformed,
                 prefix_of(key) +
                     "all rows of the assignment hold and the key's points are sound, yet the proof does not "
                     "verify: the rows, the values or the densities are of another circuit than the key");
}

template <class C>
Error diagnose(const ProvingKey<C>& key, const CompactWitness<typename C::Fr>& witness) {
    try {
        return diagnose(key, key.circuit->assignment(witness));
    } catch (const Error& error) {
        return error;
    }
}

CUZK_DIAGNOSIS(, Bls12_381)
CUZK_DIAGNOSIS(, Bn254)

}  // namespace cuzk
