// Keys of both families for small circuits, made by the development setup.
#pragma once

#include "fixtures.hpp"
#include "formats/bellman.hpp"
#include "formats/r1cs_file.hpp"
#include "formats/wtns.hpp"
#include "groth16/setup.hpp"

namespace cuzk::test {

inline R1csFile<Bls12_381Fr> bls_circuit(const std::string& circuit) {
    return read_r1cs<Bls12_381>(data_file(circuit + "-bls12381/circuit.r1cs"));
}

// Writes a .params file for the circuit.
inline void make_params(const std::string& circuit, const std::string& path,
                        std::span<const u8> transcript = {}) {
    SeededRandom random(7);
    ParamsSink sink(path, transcript);
    setup<Bls12_381>(KeyFamily::kBellman, bls_circuit(circuit).system, random, sink);
}

// What a prover that runs the circuit itself would hand over: row i of the key is constraint row_of(i), where the input
// rows follow the constraints.
template <class RowOf>
Assignment<Bls12_381Fr> make_assignment(const R1cs<Bls12_381Fr>& r1cs, const std::vector<Bls12_381Fr>& z,
                                        std::size_t rows, const RowOf& row_of) {
    using Fr = Bls12_381Fr;
    struct Values {
        std::vector<Fr> z, a, b, c;
    };
    auto values = std::make_shared<Values>();
    values->z = z;
    const std::size_t inputs = r1cs.public_inputs + 1;
    const auto fill = [&](std::vector<Fr>& out, const SparseMatrix<Fr>& matrix, bool is_a) {
        const auto full = with_input_rows(matrix, inputs, is_a);
        out.resize(rows);
        for (std::size_t i = 0; i < rows; ++i)
            if (row_of(i) < full.rows()) out[i] = full.row_times(row_of(i), z);
    };
    fill(values->a, r1cs.a, true);
    fill(values->b, r1cs.b, false);
    fill(values->c, r1cs.c, false);
    Assignment<Fr> out;
    out.inputs = inputs;
    out.z = values->z;
    out.a = values->a;
    out.b = values->b;
    out.c = values->c;
    const auto density = [&](const ColumnSet& used, std::size_t first, std::size_t last) {
        DensityBits bits(last - first);
        for (std::size_t i = first; i < last; ++i)
            if (used.contains(i)) bits.set(i - first);
        return bits;
    };
    const auto used_a = with_input_rows(r1cs.a, inputs, true).used_columns();
    const auto used_b = r1cs.b.used_columns();
    out.a_aux = density(used_a, inputs, z.size());
    out.b_inputs = density(used_b, 0, inputs);
    out.b_aux = density(used_b, inputs, z.size());
    out.storage = std::move(values);
    return out;
}

}  // namespace cuzk::test
