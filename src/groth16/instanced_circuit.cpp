#include "groth16/instanced_circuit.hpp"

#include "base/error.hpp"

namespace cuzk {

namespace {

// Variables of a template that occur in one matrix, each once.
std::vector<Var> columns_of(const SparseRows& rows, u32 params, u32 locals) {
    std::vector<bool> param_seen(params), local_seen(locals);
    std::vector<Var> out;
    bool one_seen = false;
    for (const auto& e : rows.entries) {
        if (e.var.is_input()) {
            if (!one_seen) out.push_back(e.var);
            one_seen = true;
            continue;
        }
        auto&& seen = e.var.is_param() ? param_seen[e.var.index()] : local_seen[e.var.index()];
        if (!seen) out.push_back(e.var);
        seen = true;
    }
    return out;
}

}  // namespace

template <class Fr>
ColumnDensity column_density(const InstancedR1cs<Fr>& r1cs) {
    ColumnDensity d{DensityBits(r1cs.aux), DensityBits(r1cs.aux), DensityBits(r1cs.inputs)};
    const auto mark_a = [&](Var v) {
        if (!v.is_input()) d.a_aux.set(v.index());
    };
    const auto mark_b = [&](Var v) { v.is_input() ? d.b_inputs.set(v.index()) : d.b_aux.set(v.index()); };
    for (const auto& e : r1cs.glue[kA].entries) mark_a(e.var);
    for (const auto& e : r1cs.glue[kB].entries) mark_b(e.var);

    std::vector<std::array<std::vector<Var>, 2>> columns;
    for (const BlockTemplate& block : r1cs.blocks)
        columns.push_back({columns_of(block.matrices[kA], block.params, block.locals),
                           columns_of(block.matrices[kB], block.params, block.locals)});
    for (const Segment& s : r1cs.segments) {
        if (s.block == Segment::kGlue) continue;
        for (const Var v : columns[s.block][0]) mark_a(r1cs.resolve(s, v));
        for (const Var v : columns[s.block][1]) mark_b(r1cs.resolve(s, v));
    }
    return d;
}

template <class Fr>
InstancedCircuit<Fr>::InstancedCircuit(std::string circuit_name, InstancedR1cs<Fr> system)
    : name(std::move(circuit_name)), r1cs(std::move(system)), density(column_density(r1cs)) {}

template <class Fr>
Error InstancedCircuit<Fr>::unsatisfied(u64 row) const {
    return Error(
        ErrorKind::kUnsatisfied,
        name + ": the witness does not satisfy the circuit, first at constraint " + std::to_string(row));
}

template <class Fr>
Assignment<Fr> InstancedCircuit<Fr>::assignment(const CompactWitness<Fr>& witness) const {
    struct Storage {
        std::vector<Fr> z, a, b, c;
    };
    auto storage = std::make_shared<Storage>();
    storage->z = expand(r1cs, witness);
    for (auto* v : {&storage->a, &storage->b, &storage->c}) v->resize(rows());
    evaluate<Fr>(r1cs, storage->z, storage->a, storage->b, storage->c);
    // The appended rows hold nothing but an input, so that they are no constraints.
    const auto constraints = [&](const std::vector<Fr>& v) { return std::span(v).first(r1cs.constraints); };
    if (const auto row =
            first_violation<Fr>(constraints(storage->a), constraints(storage->b), constraints(storage->c)))
        throw unsatisfied(*row);
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

CUZK_INSTANCED_CIRCUIT(, Bls12_381Fr)
CUZK_INSTANCED_CIRCUIT(, Bn254Fr)

}  // namespace cuzk
