#include "r1cs/instanced_columns.hpp"

#include <atomic>
#include <string>

#include "base/error.hpp"
#include "base/large_vector.hpp"
#include "base/parallel.hpp"

namespace cuzk {

namespace {

// The columns of one matrix of a template: the constant one's, then the parameters', then the locals'.
struct Columns {
    struct Entry {
        u32 row;
        u32 coefficient;
    };
    std::vector<u32> ends;
    std::vector<Entry> entries;

    Columns(const SparseRows& rows, u32 params, u32 locals) {
        const auto number = [&](Var v) {
            return v.is_input() ? 0 : v.is_param() ? 1 + v.index() : 1 + params + v.index();
        };
        std::vector<u32> next(std::size_t{1} + params + locals + 1);
        for (const auto& e : rows.entries) ++next[number(e.var) + 1];
        for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
        ends.assign(next.begin() + 1, next.end());
        entries.resize(rows.entries.size());
        for (u32 row = 0; row < rows.rows(); ++row)
            for (const auto& e : rows.row(row)) entries[next[number(e.var)]++] = {row, e.coefficient};
    }

    std::span<const Entry> column(std::size_t i) const {
        const u32 first = i == 0 ? 0 : ends[i - 1];
        return std::span<const Entry>(entries).subspan(first, ends[i] - first);
    }
};

// Sums for variables that several tasks add to, each under one of many locks. Those of the constant one, which most rows have,
// a task gathers by itself.
template <class Fr>
class SharedSums {
public:
    SharedSums(u32 inputs, const std::array<std::span<Fr>, 3>& out)
        : inputs_(inputs), out_(out), locks_(kLocks) {}

    class Task {
    public:
        explicit Task(SharedSums& sums) : sums_(sums) {}
        ~Task() {
            for (std::size_t m = 0; m < 3; ++m)
                if (!ones_[m].is_zero()) sums_.add(m, 0, ones_[m]);
        }
        Task(const Task&) = delete;
        Task& operator=(const Task&) = delete;

        void add(std::size_t m, Var v, const Fr& x) {
            if (v == Var::one())
                ones_[m] += x;
            else
                sums_.add(m, v.is_input() ? v.index() : sums_.inputs_ + v.index(), x);
        }

    private:
        SharedSums& sums_;
        Fr ones_[3];
    };

private:
    static constexpr std::size_t kLocks = std::size_t{1} << 14;

    void add(std::size_t m, std::size_t variable, const Fr& x) {
        std::atomic_flag& lock = locks_[variable % kLocks];
        while (lock.test_and_set(std::memory_order_acquire)) {
        }
        out_[m][variable] += x;
        lock.clear(std::memory_order_release);
    }

    std::size_t inputs_;
    const std::array<std::span<Fr>, 3>& out_;
    std::vector<std::atomic_flag> locks_;
};

template <class Fr>
Fr product(const InstancedR1cs<Fr>& r1cs, u32 coefficient, const Fr& x) {
    if (coefficient == CoefficientTable<Fr>::kOne) return x;
    if (coefficient == CoefficientTable<Fr>::kMinusOne) return -x;
    return r1cs.coefficients[coefficient] * x;
}

}  // namespace

// Locals belong to one instance, so their columns are sums over its rows alone and are written without care for others. Then
// what instances add to their parameters, and glue rows to any variable, is added.
template <class Fr>
void multiply_transposed(const InstancedR1cs<Fr>& r1cs, std::span<const Fr> x,
                         const std::array<std::span<Fr>, 3>& out) {
    const std::size_t variables = r1cs.inputs + std::size_t{r1cs.aux};
    if (x.size() < r1cs.constraints || out[kA].size() != variables || out[kB].size() != variables ||
        out[kC].size() != variables)
        throw Error(ErrorKind::kInternal, "columns of a circuit: sizes do not match it");
    constexpr std::size_t kGrain = std::size_t{1} << 14;
    const auto clear = [&](std::span<Fr> values) {
        parallel_ranges(0, values.size(), kGrain, [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i) values[i] = Fr::zero();
        });
    };
    for (const auto& values : out) clear(values);

    std::vector<std::array<Columns, 3>> columns;
    for (const BlockTemplate& block : r1cs.blocks) {
        const auto of = [&](MatrixId m) { return Columns(block.matrices[m], block.params, block.locals); };
        columns.push_back({of(kA), of(kB), of(kC)});
    }
    std::array<LargeVector<Fr>, 3> of_params;
    for (auto& values : of_params) {
        values.resize(r1cs.params.size());
        clear(values);
    }

    SharedSums<Fr> shared(r1cs.inputs, out);
    parallel_ranges(0, r1cs.segments.size(), 1, [&](std::size_t first, std::size_t last) {
        typename SharedSums<Fr>::Task task(shared);
        for (std::size_t i = first; i < last; ++i) {
            const Segment& s = r1cs.segments[i];
            if (s.block == Segment::kGlue) continue;
            const BlockTemplate& block = r1cs.blocks[s.block];
            for (std::size_t m = 0; m < 3; ++m) {
                const Columns& matrix = columns[s.block][m];
                const auto sum = [&](std::size_t column) {
                    Fr total;
                    for (const auto& e : matrix.column(column))
                        total += product(r1cs, e.coefficient, x[s.first_row + e.row]);
                    return total;
                };
                task.add(m, Var::one(), sum(0));
                for (u32 p = 0; p < block.params; ++p) of_params[m][s.first_param + p] = sum(1 + p);
                Fr* const locals = out[m].data() + r1cs.inputs + s.first_aux;
                for (u32 l = 0; l < block.locals; ++l) locals[l] = sum(std::size_t{1} + block.params + l);
            }
        }
    });
    parallel_ranges(0, r1cs.params.size(), kGrain, [&](std::size_t first, std::size_t last) {
        typename SharedSums<Fr>::Task task(shared);
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t m = 0; m < 3; ++m)
                if (const Fr& sum = of_params[m][i]; !sum.is_zero())
                    task.add(m, Var::from_raw(r1cs.params[i]), sum);
    });
    parallel_for(0, r1cs.segments.size(), [&](std::size_t i) {
        const Segment& s = r1cs.segments[i];
        if (s.block != Segment::kGlue) return;
        parallel_ranges(0, s.rows, kGrain, [&](std::size_t first, std::size_t last) {
            typename SharedSums<Fr>::Task task(shared);
            for (std::size_t row = first; row < last; ++row)
                for (std::size_t m = 0; m < 3; ++m)
                    for (const auto& e : r1cs.glue[m].row(s.first_glue + row))
                        task.add(m, e.var, product(r1cs, e.coefficient, x[s.first_row + row]));
        });
    });
}

template void multiply_transposed(const InstancedR1cs<Bls12_381Fr>&, std::span<const Bls12_381Fr>,
                                  const std::array<std::span<Bls12_381Fr>, 3>&);
template void multiply_transposed(const InstancedR1cs<Bn254Fr>&, std::span<const Bn254Fr>,
                                  const std::array<std::span<Bn254Fr>, 3>&);

}  // namespace cuzk
