#include "filecoin/prove/circuit.hpp"

#include "r1cs/matrix_builder.hpp"

namespace cuzk::filecoin {

CompiledCircuit::CompiledCircuit(CircuitKind circuit, const SectorShape& sector)
    : kind(circuit), shape(sector), r1cs(compile_circuit(circuit, sector)), density(column_density(r1cs)) {}

Assignment<Fr> CompiledCircuit::assignment(const CompactWitness& witness) const {
    struct Storage {
        std::vector<Fr> z, a, b, c;
    };
    auto storage = std::make_shared<Storage>();
    const std::size_t rows = r1cs.constraints + r1cs.inputs;
    storage->z = expand(r1cs, witness);
    for (auto* v : {&storage->a, &storage->b, &storage->c}) v->resize(rows);
    evaluate(r1cs, storage->z, storage->a, storage->b, storage->c);
    // The appended rows hold nothing but an input, so that they are no constraints.
    const auto constraints = [&](const std::vector<Fr>& v) { return std::span(v).first(r1cs.constraints); };
    if (const auto row =
            first_violation(constraints(storage->a), constraints(storage->b), constraints(storage->c)))
        throw Error(ErrorKind::kUnsatisfied, std::string(circuit_name(kind)) +
                                                 ": the vanilla proof does not satisfy the "
                                                 "circuit, first at constraint " +
                                                 std::to_string(*row));
    Assignment<Fr> out;
    out.inputs = r1cs.inputs;
    out.z = storage->z;
    out.a = storage->a;
    out.b = storage->b;
    out.c = storage->c;
    out.a_aux = density.a_aux;
    out.b_inputs = density.b_inputs;
    out.b_aux = density.b_aux;
    out.storage = std::move(storage);
    return out;
}

R1cs<Fr> to_r1cs(const InstancedR1cs& instanced) {
    const std::size_t columns = instanced.inputs + std::size_t{instanced.aux};
    MatrixBuilder<Fr> a(columns), b(columns), c(columns);
    const auto column = [&](Var v) { return v.is_input() ? v.index() : instanced.inputs + v.index(); };
    const auto push = [&](MatrixBuilder<Fr>& matrix, std::span<const SparseRows::Entry> row) {
        for (const auto& e : row) matrix.add_term(column(e.var), instanced.coefficients[e.coefficient]);
        matrix.end_row();
    };
    instanced.for_each_row([&](u64, auto row_a, auto row_b, auto row_c) {
        push(a, row_a);
        push(b, row_b);
        push(c, row_c);
    });
    R1cs<Fr> out;
    out.public_inputs = instanced.inputs - 1;
    out.variables = static_cast<u32>(columns);
    out.a = std::move(a).finish();
    out.b = std::move(b).finish();
    out.c = std::move(c).finish();
    return out;
}

}  // namespace cuzk::filecoin
