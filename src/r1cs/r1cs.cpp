#include "r1cs/r1cs.hpp"

#include <atomic>
#include <string>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace cuzk {

template <class Fr>
void R1cs<Fr>::check_shape() const {
    if (variables == 0 || public_inputs >= variables)
        throw Error(ErrorKind::kMalformed, "a constraint system of " + std::to_string(variables) +
                                               " variables with " + std::to_string(public_inputs) +
                                               " public inputs");
    for (const SparseMatrix<Fr>* m : {&a, &b, &c})
        if (m->rows() != a.rows() || m->columns() != variables)
            throw Error(ErrorKind::kMalformed, "the matrices of a constraint system differ in shape");
}

template <class Fr>
std::optional<Violation<Fr>> R1cs<Fr>::first_violation(std::span<const Fr> z) const {
    check_shape();
    if (z.size() != variables)
        throw Error(ErrorKind::kMalformed, "an assignment of " + std::to_string(z.size()) + " values for " +
                                               std::to_string(variables) + " variables");
    constexpr std::size_t kRowsPerTask = 1024;
    std::atomic<std::size_t> first{constraints()};
    parallel_ranges(0, constraints(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end && row < first.load(std::memory_order_relaxed); ++row) {
            if (a.row_times(row, z) * b.row_times(row, z) == c.row_times(row, z)) continue;
            std::size_t known = first.load();
            while (row < known && !first.compare_exchange_weak(known, row)) {
            }
            return;
        }
    });
    const std::size_t row = first.load();
    if (row == constraints()) return std::nullopt;
    return Violation<Fr>{row, a.row_times(row, z), b.row_times(row, z), c.row_times(row, z)};
}

template struct R1cs<Bls12_381Fr>;
template struct R1cs<Bn254Fr>;

}  // namespace cuzk
