#include "filecoin/prove/circuit.hpp"

#include "r1cs/matrix_builder.hpp"

namespace cuzk::filecoin {

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
