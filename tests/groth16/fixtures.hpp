// Circuits, witnesses and keys for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "curve/jacobian.hpp"
#include "groth16/cpu_backend.hpp"
#include "groth16/instanced_circuit.hpp"
#include "groth16/memory_sink.hpp"
#include "groth16/prover.hpp"
#include "groth16/setup.hpp"
#include "r1cs/matrix_builder.hpp"

namespace cuzk::test {

template <class Fr>
struct Circuit {
    R1cs<Fr> r1cs;
    std::vector<Fr> z;
};

// A satisfied system of `rows` constraints with `inputs` public inputs. Each constraint multiplies two sums
// of earlier variables into a new one, so all private variables but the first few occur; values mix bits and
// full width.
template <class Fr>
Circuit<Fr> random_circuit(std::size_t rows, u32 inputs, u64 seed) {
    SeededRandom random(seed);
    const auto below = [&](std::size_t n) {
        u64 x = 0;
        random.fill({reinterpret_cast<u8*>(&x), sizeof x});
        return static_cast<u32>(x % n);
    };
    Circuit<Fr> circuit;
    std::vector<Fr>& z = circuit.z;
    z.push_back(Fr::one());
    for (u32 i = 0; i < inputs; ++i) z.push_back(i % 3 == 0 ? Fr::from_u64(i & 1) : Fr::random(random));
    z.push_back(Fr::random(random));  // one free private variable
    const std::size_t variables = z.size() + rows;

    MatrixBuilder<Fr> a(variables), b(variables), c(variables);
    for (std::size_t row = 0; row < rows; ++row) {
        const auto side = [&](MatrixBuilder<Fr>& matrix) {
            Fr value = Fr::zero();
            // The free variable must occur, or a bellman key could not hold its point.
            const std::size_t terms = 1 + below(3);
            for (std::size_t t = 0; t < terms; ++t) {
                const u32 column = row == 0 && t == 0 ? static_cast<u32>(inputs + 1) : below(z.size());
                const Fr k = below(2) == 0 ? Fr::one() : Fr::random(random);
                matrix.add_term(column, k);
                value += k * z[column];
            }
            matrix.end_row();
            return value;
        };
        const Fr left = side(a);
        const Fr product = left * side(b);
        const Fr k = below(2) == 0 ? -Fr::one() : Fr::from_u64(below(1000) + 1);
        c.add_term(static_cast<u32>(z.size()), k);
        c.end_row();
        z.push_back(product * k.inverse());
    }
    circuit.r1cs.public_inputs = inputs;
    circuit.r1cs.variables = static_cast<u32>(variables);
    circuit.r1cs.a = std::move(a).finish();
    circuit.r1cs.b = std::move(b).finish();
    circuit.r1cs.c = std::move(c).finish();
    return circuit;
}

template <class C>
std::shared_ptr<const ProvingKey<C>> make_key(KeyFamily family, const R1cs<typename C::Fr>& r1cs, u64 seed) {
    SeededRandom random(seed);
    MemoryKeySink<C> sink;
    setup<C>(family, r1cs, random, sink);
    return sink.key();
}

// The rows and densities that a bellman prover is given.
template <class Fr>
Assignment<Fr> make_assignment(const Circuit<Fr>& circuit) {
    struct Rows {
        std::vector<Fr> z, a, b, c;
    };
    const R1cs<Fr>& r1cs = circuit.r1cs;
    const std::size_t inputs = r1cs.public_inputs + 1;
    const std::size_t rows = r1cs.constraints() + inputs;
    auto owner = std::make_shared<Rows>();
    owner->z = circuit.z;
    for (const auto& [matrix, out] :
         {std::pair{&r1cs.a, &owner->a}, {&r1cs.b, &owner->b}, {&r1cs.c, &owner->c}}) {
        out->resize(rows);
        matrix->multiply(circuit.z, std::span(*out).first(r1cs.constraints()));
    }
    for (std::size_t i = 0; i < inputs; ++i) owner->a[r1cs.constraints() + i] = circuit.z[i];

    Assignment<Fr> x;
    x.inputs = inputs;
    x.z = owner->z;
    x.a = owner->a;
    x.b = owner->b;
    x.c = owner->c;
    x.a_aux = DensityBits(x.aux());
    x.b_inputs = DensityBits(inputs);
    x.b_aux = DensityBits(x.aux());
    const ColumnSet in_a = r1cs.a.used_columns();
    const ColumnSet in_b = r1cs.b.used_columns();
    for (std::size_t i = 0; i < inputs; ++i)
        if (in_b.contains(i)) x.b_inputs.set(i);
    for (std::size_t i = 0; i < x.aux(); ++i) {
        if (in_a.contains(inputs + i)) x.a_aux.set(i);
        if (in_b.contains(inputs + i)) x.b_aux.set(i);
    }
    x.storage = owner;
    return x;
}

template <class Fr>
bool is_bit(const Fr& x) {
    return x.is_zero() || x.is_one();
}

// The same system as one run of glue rows; the private variables that are bits in this witness are known to be.
template <class Fr>
std::shared_ptr<const InstancedCircuit<Fr>> instanced(const Circuit<Fr>& circuit) {
    const R1cs<Fr>& r1cs = circuit.r1cs;
    InstancedR1cs<Fr> out;
    out.inputs = r1cs.public_inputs + 1;
    out.aux = r1cs.variables - out.inputs;
    out.constraints = r1cs.constraints();
    out.aux_is_bit.resize((out.aux + 63) / 64);
    for (std::size_t i = 0; i < out.aux; ++i)
        if (is_bit(circuit.z[out.inputs + i])) out.aux_is_bit[i / 64] |= u64{1} << (i % 64);
    for (const auto& [id, matrix] : {std::pair{kA, &r1cs.a}, {kB, &r1cs.b}, {kC, &r1cs.c}})
        for (std::size_t row = 0; row < matrix->rows(); ++row) {
            matrix->for_each_term(row, [&](u32 column, const Fr& k) {
                const Var v = column < out.inputs ? Var::input(column) : Var::aux(column - out.inputs);
                out.glue[id].entries.push_back({v, out.coefficients.intern(k)});
            });
            out.glue[id].ends.push_back(static_cast<u32>(out.glue[id].entries.size()));
        }
    if (out.constraints != 0)
        out.segments.push_back({.block = Segment::kGlue,
                                .rows = static_cast<u32>(out.constraints),
                                .first_row = 0,
                                .first_aux = 0,
                                .first_glue = 0,
                                .first_param = 0});
    return std::make_shared<const InstancedCircuit<Fr>>("test circuit", std::move(out));
}

// The witness as instanced() wants it.
template <class Fr>
CompactWitness<Fr> compact(const Circuit<Fr>& circuit) {
    const std::size_t inputs = circuit.r1cs.public_inputs + 1;
    CompactWitness<Fr> witness;
    witness.inputs.assign(circuit.z.begin(), circuit.z.begin() + static_cast<std::ptrdiff_t>(inputs));
    for (const Fr& x : std::span(circuit.z).subspan(inputs))
        if (is_bit(x))
            witness.bits.append(x.is_one() ? 1 : 0, 1);
        else
            witness.nums.push_back(x);
    return witness;
}

template <class C>
std::shared_ptr<const ProvingKey<C>> with_circuit(
    const ProvingKey<C>& key, std::shared_ptr<const InstancedCircuit<typename C::Fr>> circuit) {
    ProvingKey<C> out = key;
    out.circuit = std::move(circuit);
    return std::make_shared<const ProvingKey<C>>(std::move(out));
}

// A proof by whichever way the key's family has.
template <class C>
Proof<C> prove_circuit(Prover<C>& prover, const Circuit<typename C::Fr>& circuit,
                       const ProveOptions<typename C::Fr>& options = {}) {
    if (prover.key().family == KeyFamily::kBellman) return prover.prove(make_assignment(circuit), options);
    return prover.prove(circuit.z, options);
}

template <class Fr>
std::span<const Fr> inputs_of(const Circuit<Fr>& circuit) {
    return std::span<const Fr>(circuit.z).subspan(1, circuit.r1cs.public_inputs);
}

// The kind of error that an action throws; fails the test if it throws none.
template <class Action>
ErrorKind thrown_kind(const Action& action, std::string* message = nullptr) {
    try {
        action();
    } catch (const Error& error) {
        if (message != nullptr) *message = error.what();
        return error.kind();
    }
    ADD_FAILURE() << "nothing was thrown";
    return ErrorKind::kInternal;
}

using Curves = ::testing::Types<Bls12_381, Bn254>;

}  // namespace cuzk::test
