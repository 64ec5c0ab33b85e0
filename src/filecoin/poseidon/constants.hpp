// Poseidon constants of Filecoin's instances: BLS12-381 scalar field, x^5, 128-bit security, Cauchy MDS matrix, in the
// optimised form (compressed round keys, sparse partial-round matrices) that the network's circuits are built on.
// Everything is derived from the arity by code: round constants from the Grain LFSR of the Poseidon paper (Grassi,
// Khovratovich, Rechberger, Roy, Schofnegger 2021, appendix), the sparse factorisation from its appendix B.
#pragma once

#include <vector>

#include "curve/curves.hpp"

namespace cuzk::filecoin {

using Fr = Bls12_381Fr;

// Row-major square matrix acting on row vectors: (v M)_j = sum_i v_i M[i][j].
class Matrix {
public:
    explicit Matrix(std::size_t size) : size_(size), cells_(size * size) {}
    static Matrix identity(std::size_t size);

    std::size_t size() const { return size_; }
    Fr& at(std::size_t i, std::size_t j) { return cells_[i * size_ + j]; }
    const Fr& at(std::size_t i, std::size_t j) const { return cells_[i * size_ + j]; }
    std::vector<Fr> apply(const std::vector<Fr>& v) const;
    Matrix operator*(const Matrix& b) const;
    // Throws Error(kInternal) if singular.
    Matrix inverse() const;

private:
    std::size_t size_;
    std::vector<Fr> cells_;
};

// One partial round's matrix: new_0 = sum_i w[i] s_i, new_j = s_j + v[j-1] s_0.
struct SparseRound {
    std::vector<Fr> w;  // t values
    std::vector<Fr> v;  // t - 1 values
};

struct PoseidonConstants {
    std::size_t arity;
    std::size_t width;           // t = arity + 1
    std::size_t full_rounds;     // 8
    std::size_t partial_rounds;  // by arity
    std::vector<Fr> round_keys;  // plain form, (full + partial) * t, round by round
    std::vector<Fr> compressed;  // optimised form, full * t + partial, in order of use
    Matrix mds;
    Matrix pre_sparse;                // applied after the last full round of the first half
    std::vector<SparseRound> sparse;  // one per partial round
};

// Supported arities: 2, 4, 8, 11. Computed at the first call and kept for the process; thread-safe.
const PoseidonConstants& poseidon_constants(std::size_t arity);

}  // namespace cuzk::filecoin
