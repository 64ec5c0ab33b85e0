// Compact sparse matrices over a prime field: the A, B and C of a constraint system.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "field/fp.hpp"
#include "r1cs/coefficient_table.hpp"
#include "r1cs/column_set.hpp"

namespace cuzk {

// One entry: coefficient (Montgomery form) times the variable of a column.
template <class Fr>
struct Term {
    u32 column;
    Fr coefficient;
};

// Compressed rows. Columns of a row ascend and are distinct, no coefficient is zero: two matrices that act
// alike are stored alike. An entry takes 4 bytes of column and 2 of coefficient index (4 where there are more
// than 2^16 distinct coefficients), a row 8. Immutable, so safe to share between threads.
template <class Fr>
class SparseMatrix {
public:
    // No rows, no columns.
    SparseMatrix() = default;

    std::size_t rows() const { return starts_.size() - 1; }
    std::size_t columns() const { return columns_; }
    std::size_t nonzeros() const { return column_of_.size(); }
    // Heap bytes held.
    std::size_t memory_bytes() const;
    // Distinct coefficients, one and minus one first (present whether used or not).
    std::span<const Fr> coefficients() const { return coefficients_; }

    std::size_t row_length(std::size_t row) const { return starts_[row + 1] - starts_[row]; }
    // Calls visit(column, coefficient) for the entries of a row, columns ascending.
    template <class Visit>
    void for_each_term(std::size_t row, Visit&& visit) const {
        for (u64 k = starts_[row]; k < starts_[row + 1]; ++k)
            visit(column_of_[k], coefficients_[index_at(k)]);
    }

    // The same with indices into coefficients().
    template <class Visit>
    void for_each_entry(std::size_t row, Visit&& visit) const {
        for (u64 k = starts_[row]; k < starts_[row + 1]; ++k) visit(column_of_[k], index_at(k));
    }

    // Row times z; z has columns() elements.
    Fr row_times(std::size_t row, std::span<const Fr> z) const;
    // out = M z, in parallel, balanced by entries. z has columns() elements, out rows(); else
    // Error(kInternal).
    void multiply(std::span<const Fr> z, std::span<Fr> out) const;
    // out = M^T x, in parallel. x has rows() elements, out columns().
    void multiply_transposed(std::span<const Fr> x, std::span<Fr> out) const;

    // The columns that have an entry.
    ColumnSet used_columns() const;

    friend bool operator==(const SparseMatrix& a, const SparseMatrix& b) { return a.same_entries(b); }

private:
    template <class>
    friend class MatrixBuilder;
    template <class>
    friend class TripleMatrixBuilder;

    u32 index_at(u64 entry) const { return narrow_.empty() ? wide_[entry] : narrow_[entry]; }
    bool same_entries(const SparseMatrix& other) const;

    std::size_t columns_ = 0;
    std::vector<u64> starts_ = {0};  // rows + 1
    std::vector<u32> column_of_;
    std::vector<u16> narrow_;  // coefficient of an entry: here, or
    std::vector<u32> wide_;    // here, the other being empty
    std::vector<Fr> coefficients_;
};

extern template class SparseMatrix<Bls12_381Fr>;
extern template class SparseMatrix<Bn254Fr>;

}  // namespace cuzk
