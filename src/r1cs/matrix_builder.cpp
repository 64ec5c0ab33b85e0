#include "r1cs/matrix_builder.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace cuzk {

namespace {

// Sorts the terms of one row by column and calls emit(column, sum) for each column whose sum is not zero.
template <class Fr, class Emit>
void canonicalise(std::span<Term<Fr>> terms, Emit&& emit) {
    const auto by_column = [](const Term<Fr>& a, const Term<Fr>& b) { return a.column < b.column; };
    if (!std::is_sorted(terms.begin(), terms.end(), by_column))
        std::sort(terms.begin(), terms.end(), by_column);
    for (std::size_t i = 0; i < terms.size();) {
        const u32 column = terms[i].column;
        Fr sum = terms[i].coefficient;
        for (++i; i < terms.size() && terms[i].column == column; ++i) sum += terms[i].coefficient;
        if (!sum.is_zero()) emit(column, sum);
    }
}

// Coefficient indices in the width that the table asks for.
void set_indices(std::vector<u32>&& indices, std::size_t table_size, std::vector<u16>& narrow,
                 std::vector<u32>& wide) {
    if (table_size > (std::size_t{1} << 16)) {
        wide = std::move(indices);
        return;
    }
    narrow.resize(indices.size());
    std::transform(indices.begin(), indices.end(), narrow.begin(), [](u32 x) { return static_cast<u16>(x); });
}

}  // namespace

template <class Fr>
void MatrixBuilder<Fr>::append(u32 column, const Fr& coefficient) {
    if (chunks_.empty() || chunks_.back().column_of.size() == kChunkEntries) chunks_.emplace_back();
    chunks_.back().column_of.push_back(column);
    chunks_.back().coefficient_of.push_back(table_.intern(coefficient));
    ++starts_.back();
}

template <class Fr>
void MatrixBuilder<Fr>::end_row() {
    for (const Term<Fr>& term : row_)
        if (term.column >= columns_)
            throw Error(ErrorKind::kMalformed, "row " + std::to_string(rows()) + ": column " +
                                                   std::to_string(term.column) + " is outside the " +
                                                   std::to_string(columns_) + " columns");
    starts_.push_back(starts_.back());
    canonicalise(std::span(row_), [&](u32 column, const Fr& sum) { append(column, sum); });
    row_.clear();
}

template <class Fr>
void MatrixBuilder<Fr>::add_row(std::span<const Term<Fr>> terms) {
    row_.assign(terms.begin(), terms.end());
    end_row();
}

template <class Fr>
SparseMatrix<Fr> MatrixBuilder<Fr>::finish() && {
    SparseMatrix<Fr> m;
    const u64 entries = starts_.back();
    const bool is_wide = table_.size() > (std::size_t{1} << 16);
    m.columns_ = columns_;
    m.column_of_.reserve(entries);
    if (is_wide)
        m.wide_.reserve(entries);
    else
        m.narrow_.reserve(entries);
    while (!chunks_.empty()) {
        const Chunk& chunk = chunks_.front();
        m.column_of_.insert(m.column_of_.end(), chunk.column_of.begin(), chunk.column_of.end());
        if (is_wide)
            m.wide_.insert(m.wide_.end(), chunk.coefficient_of.begin(), chunk.coefficient_of.end());
        else
            for (const u32 index : chunk.coefficient_of) m.narrow_.push_back(static_cast<u16>(index));
        chunks_.pop_front();
    }
    starts_.shrink_to_fit();
    m.starts_ = std::move(starts_);
    m.coefficients_ = std::move(table_).take();
    return m;
}

template <class Fr>
void TripleMatrixBuilder<Fr>::count(std::size_t entry, u32 row, u32 column) {
    if (row >= rows_ || column >= columns_)
        throw Error(ErrorKind::kMalformed, "entry " + std::to_string(entry) + " (row " + std::to_string(row) +
                                               ", column " + std::to_string(column) + ") is outside the " +
                                               std::to_string(rows_) + " x " + std::to_string(columns_) +
                                               " matrix");
    ++starts_[row];
}

template <class Fr>
void TripleMatrixBuilder<Fr>::allocate() {
    u64 sum = 0;
    for (u64& start : starts_) start = std::exchange(sum, sum + start);
    column_of_.resize(sum);
    coefficient_of_.resize(sum);
}

// place() has moved each start to the end of its row. Rows are canonicalised into the same arrays: an output
// never overtakes its input.
template <class Fr>
SparseMatrix<Fr> TripleMatrixBuilder<Fr>::finish() && {
    std::vector<Term<Fr>> row;
    u64 begin = 0;
    u64 out = 0;
    for (std::size_t r = 0; r < rows_; ++r) {
        const u64 end = starts_[r];
        row.clear();
        for (u64 k = begin; k < end; ++k) row.push_back({column_of_[k], table_[coefficient_of_[k]]});
        starts_[r] = out;
        canonicalise(std::span(row), [&](u32 column, const Fr& sum) {
            column_of_[out] = column;
            coefficient_of_[out] = table_.intern(sum);
            ++out;
        });
        begin = end;
    }
    starts_[rows_] = out;
    column_of_.resize(out);
    coefficient_of_.resize(out);

    SparseMatrix<Fr> m;
    m.columns_ = columns_;
    m.starts_ = std::move(starts_);
    m.column_of_ = std::move(column_of_);
    set_indices(std::move(coefficient_of_), table_.size(), m.narrow_, m.wide_);
    m.coefficients_ = std::move(table_).take();
    return m;
}

template class MatrixBuilder<Bls12_381Fr>;
template class MatrixBuilder<Bn254Fr>;
template class TripleMatrixBuilder<Bls12_381Fr>;
template class TripleMatrixBuilder<Bn254Fr>;

}  // namespace cuzk
