// A synthetic circuit for benchmarks: x_{i+1} = x_i^2 + x_0, one constraint a step, all values of full width.
#pragma once

#include <vector>

#include "r1cs/matrix_builder.hpp"
#include "r1cs/r1cs.hpp"

namespace cuzk {

template <class Fr>
struct ChainCircuit {
    R1cs<Fr> r1cs;
    std::vector<Fr> z;  // satisfies it; the last value is the public input
};

// `constraints` at least 1.
template <class Fr>
ChainCircuit<Fr> chain_circuit(std::size_t constraints) {
    // Variables: one, the result, x_0, x_1, ...
    const std::size_t variables = constraints + 2;
    const auto column = [&](std::size_t i) { return static_cast<u32>(i == constraints ? 1 : i + 2); };
    ChainCircuit<Fr> chain;
    chain.z.resize(variables);
    chain.z[0] = Fr::one();
    chain.z[column(0)] = Fr::from_u64(3).inverse();
    MatrixBuilder<Fr> a(variables), b(variables), c(variables);
    for (std::size_t i = 0; i < constraints; ++i) {
        const Fr& x = chain.z[column(i)];
        a.add_term(column(i), Fr::one());
        b.add_term(column(i), Fr::one());
        c.add_term(column(i + 1), Fr::one());
        c.add_term(column(0), -Fr::one());
        for (auto* matrix : {&a, &b, &c}) matrix->end_row();
        chain.z[column(i + 1)] = x.square() + chain.z[column(0)];
    }
    chain.r1cs.public_inputs = 1;
    chain.r1cs.variables = static_cast<u32>(variables);
    chain.r1cs.a = std::move(a).finish();
    chain.r1cs.b = std::move(b).finish();
    chain.r1cs.c = std::move(c).finish();
    return chain;
}

}  // namespace cuzk
