// Rank-1 constraint systems.
#pragma once

#include <optional>

#include "r1cs/matrix.hpp"

namespace cuzk {

// The constraint that an assignment breaks, with the three values of which a b = c fails.
template <class Fr>
struct Violation {
    std::size_t row;
    Fr a;
    Fr b;
    Fr c;
};

// (A z)_i (B z)_i = (C z)_i for each row i. z holds variable 0, the constant one, then the public inputs,
// then the private variables. The matrices have `variables` columns and equally many rows.
template <class Fr>
struct R1cs {
    u32 public_inputs = 0;  // without the one
    u32 variables = 1;      // with the one
    SparseMatrix<Fr> a;
    SparseMatrix<Fr> b;
    SparseMatrix<Fr> c;

    std::size_t constraints() const { return a.rows(); }
    std::size_t memory_bytes() const { return a.memory_bytes() + b.memory_bytes() + c.memory_bytes(); }

    // Throws Error(kMalformed) if the shapes do not fit together.
    void check_shape() const;

    // The first row that z breaks, if any. Parallel. Error(kMalformed) if z has not `variables` elements;
    // whether z[0] is one is the caller's to check.
    std::optional<Violation<Fr>> first_violation(std::span<const Fr> z) const;
};

extern template struct R1cs<Bls12_381Fr>;
extern template struct R1cs<Bn254Fr>;

}  // namespace cuzk
