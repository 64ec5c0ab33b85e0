// Two ways to make a SparseMatrix: row after row, and from triples in any order.
#pragma once

#include <concepts>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "r1cs/matrix.hpp"

namespace cuzk {

// Takes rows in order as they are read. Terms of a row may come in any order and repeat a column (they add
// up); zeros are dropped. Peak memory is the matrix plus one chunk of 2^20 entries. Not thread-safe.
template <class Fr>
class MatrixBuilder {
public:
    // Columns of terms must be below `columns`, at most 2^32.
    explicit MatrixBuilder(std::size_t columns) : columns_(columns) {}

    // Throws Error(kMalformed), naming row and column, for a column out of range.
    void add_row(std::span<const Term<Fr>> terms);
    // The same, term by term: any number of add_term, then end_row.
    void add_term(u32 column, const Fr& coefficient) { row_.push_back({column, coefficient}); }
    void end_row();

    std::size_t rows() const { return starts_.size() - 1; }
    // The builder is spent afterwards.
    SparseMatrix<Fr> finish() &&;

private:
    struct Chunk {
        std::vector<u32> column_of;
        std::vector<u32> coefficient_of;
    };
    static constexpr std::size_t kChunkEntries = std::size_t{1} << 20;

    void append(u32 column, const Fr& coefficient);

    std::size_t columns_;
    std::vector<u64> starts_ = {0};
    std::deque<Chunk> chunks_;
    std::vector<Term<Fr>> row_;
    CoefficientTable<Fr> table_;
};

// A random-access source of (row, column, coefficient) entries, read twice and never copied.
template <class S, class Fr>
concept TripleSource = requires(const S& source, std::size_t i) {
    { source.size() } -> std::convertible_to<std::size_t>;
    { source.row(i) } -> std::convertible_to<u32>;
    { source.column(i) } -> std::convertible_to<u32>;
    { source.coefficient(i) } -> std::convertible_to<Fr>;  // Montgomery form
    { source.skip(i) } -> std::convertible_to<bool>;       // the entry belongs to another matrix
};

// Counting sort by row. Entries of one row may repeat a column (they add up); zeros are dropped.
template <class Fr>
class TripleMatrixBuilder {
public:
    // Rows and columns of entries must be below these, at most 2^32; else Error(kMalformed) naming the entry.
    template <TripleSource<Fr> Source>
    static SparseMatrix<Fr> build(std::size_t rows, std::size_t columns, const Source& source) {
        TripleMatrixBuilder builder(rows, columns);
        for (std::size_t i = 0; i < source.size(); ++i)
            if (!source.skip(i)) builder.count(i, source.row(i), source.column(i));
        builder.allocate();
        for (std::size_t i = 0; i < source.size(); ++i)
            if (!source.skip(i)) builder.place(source.row(i), source.column(i), source.coefficient(i));
        return std::move(builder).finish();
    }

private:
    TripleMatrixBuilder(std::size_t rows, std::size_t columns)
        : rows_(rows), columns_(columns), starts_(rows + 1) {}

    void count(std::size_t entry, u32 row, u32 column);
    void allocate();
    void place(u32 row, u32 column, const Fr& coefficient) {
        const u64 at = starts_[row]++;
        column_of_[at] = column;
        coefficient_of_[at] = table_.intern(coefficient);
    }
    SparseMatrix<Fr> finish() &&;

    std::size_t rows_;
    std::size_t columns_;
    std::vector<u64> starts_;  // entries of a row; then where its next entry goes
    std::vector<u32> column_of_;
    std::vector<u32> coefficient_of_;
    CoefficientTable<Fr> table_;
};

extern template class MatrixBuilder<Bls12_381Fr>;
extern template class MatrixBuilder<Bn254Fr>;
extern template class TripleMatrixBuilder<Bls12_381Fr>;
extern template class TripleMatrixBuilder<Bn254Fr>;

}  // namespace cuzk
