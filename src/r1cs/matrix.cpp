#include "r1cs/matrix.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace cuzk {

namespace {

constexpr std::size_t kEntriesPerTask = std::size_t{1} << 13;
// The values that a row names are scattered over memory: they are asked for some rows ahead.
constexpr std::size_t kPrefetchEntries = 24;

void check_length(const char* what, std::size_t given, std::size_t expected) {
    if (given != expected)
        throw Error(ErrorKind::kInternal, std::string("a matrix product was given ") + what + " of " +
                                              std::to_string(given) + " elements in place of " +
                                              std::to_string(expected));
}

}  // namespace

template <class Fr>
std::size_t SparseMatrix<Fr>::memory_bytes() const {
    return starts_.capacity() * sizeof(u64) + column_of_.capacity() * sizeof(u32) +
           narrow_.capacity() * sizeof(u16) + wide_.capacity() * sizeof(u32) +
           coefficients_.capacity() * sizeof(Fr);
}

template <class Fr>
Fr SparseMatrix<Fr>::row_times(std::size_t row, std::span<const Fr> z) const {
    Fr sum;
    for (u64 k = starts_[row]; k < starts_[row + 1]; ++k) {
        if (k + kPrefetchEntries < nonzeros()) __builtin_prefetch(&z[column_of_[k + kPrefetchEntries]]);
        const Fr& x = z[column_of_[k]];
        const u32 index = index_at(k);
        if (index == CoefficientTable<Fr>::kOne)
            sum += x;
        else if (index == CoefficientTable<Fr>::kMinusOne)
            sum -= x;
        else
            sum += coefficients_[index] * x;
    }
    return sum;
}

template <class Fr>
void SparseMatrix<Fr>::multiply(std::span<const Fr> z, std::span<Fr> out) const {
    check_length("a vector", z.size(), columns_);
    check_length("an output", out.size(), rows());
    // A task is a range of entries; it owns the rows that begin in it. Empty rows at the end belong to the
    // last task.
    const u64 work =
        nonzeros() + rows();  // a row costs about as much as an entry, so that empty ones are shared out too
    const auto row_at = [&](u64 position) {
        std::size_t low = 0;
        std::size_t high = rows();
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (starts_[middle] + middle < position)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    };
    parallel_ranges(0, work, kEntriesPerTask, [&](std::size_t first, std::size_t last) {
        const std::size_t end = last == work ? rows() : row_at(last);
        for (std::size_t row = row_at(first); row < end; ++row) out[row] = row_times(row, z);
    });
}

template <class Fr>
void SparseMatrix<Fr>::multiply_transposed(std::span<const Fr> x, std::span<Fr> out) const {
    check_length("a vector", x.size(), rows());
    check_length("an output", out.size(), columns_);
    // A task owns a range of columns and looks up its part of each row: no two tasks write one element, and
    // nothing is allocated. As many tasks as threads, since each walks all rows.
    const std::size_t tasks = std::max<std::size_t>(1, std::min(thread_count(), columns_ / 64));
    parallel_for(0, tasks, [&](std::size_t task) {
        const std::size_t first = columns_ * task / tasks;
        const std::size_t last = columns_ * (task + 1) / tasks;
        std::fill(out.begin() + static_cast<std::ptrdiff_t>(first),
                  out.begin() + static_cast<std::ptrdiff_t>(last), Fr());
        for (std::size_t row = 0; row < rows(); ++row) {
            const u32* const begin = column_of_.data() + starts_[row];
            const u32* const end = column_of_.data() + starts_[row + 1];
            for (const u32* c = std::lower_bound(begin, end, first); c != end && *c < last; ++c) {
                const auto k = static_cast<u64>(c - column_of_.data());
                if (k + kPrefetchEntries < nonzeros())
                    __builtin_prefetch(&out[column_of_[k + kPrefetchEntries]], 1);
                const u32 index = index_at(k);
                if (index == CoefficientTable<Fr>::kOne)
                    out[*c] += x[row];
                else if (index == CoefficientTable<Fr>::kMinusOne)
                    out[*c] -= x[row];
                else
                    out[*c] += coefficients_[index] * x[row];
            }
        }
    });
}

template <class Fr>
ColumnSet SparseMatrix<Fr>::used_columns() const {
    ColumnSet used(columns_);
    for (const u32 column : column_of_) used.insert(column);
    return used;
}

template <class Fr>
bool SparseMatrix<Fr>::same_entries(const SparseMatrix& other) const {
    if (columns_ != other.columns_ || starts_ != other.starts_ || column_of_ != other.column_of_)
        return false;
    for (u64 k = 0; k < nonzeros(); ++k)
        if (!(coefficients_[index_at(k)] == other.coefficients_[other.index_at(k)])) return false;
    return true;
}

template class SparseMatrix<Bls12_381Fr>;
template class SparseMatrix<Bn254Fr>;

}  // namespace cuzk
