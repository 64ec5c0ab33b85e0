#include "r1cs/instanced_values.hpp"

#include <atomic>
#include <bit>

#include "base/error.hpp"
#include "base/parallel.hpp"

namespace cuzk {

template <class Fr>
std::vector<Fr> expand(const InstancedR1cs<Fr>& r1cs, const CompactWitness<Fr>& witness) {
    const std::size_t words = r1cs.aux_is_bit.size();
    std::vector<u64> bits_before(words + 1);
    for (std::size_t w = 0; w < words; ++w)
        bits_before[w + 1] = bits_before[w] + static_cast<u64>(std::popcount(r1cs.aux_is_bit[w]));
    if (witness.inputs.size() != r1cs.inputs || witness.bits.size() != bits_before[words] ||
        witness.aux() != r1cs.aux)
        throw Error(ErrorKind::kInternal, "a witness does not have the variables of its circuit");

    std::vector<Fr> z(r1cs.inputs + std::size_t{r1cs.aux});
    std::copy(witness.inputs.begin(), witness.inputs.end(), z.begin());
    Fr* aux = z.data() + r1cs.inputs;
    parallel_for(
        0, words,
        [&](std::size_t w) {
            u64 bit = bits_before[w];
            u64 num = 64 * w - bit;
            const std::size_t end = std::min<std::size_t>(64 * w + 64, r1cs.aux);
            for (std::size_t i = 64 * w; i < end; ++i)
                if (((r1cs.aux_is_bit[w] >> (i % 64)) & 1) != 0)
                    aux[i] = witness.bits[bit++] ? Fr::one() : Fr::zero();
                else
                    aux[i] = witness.nums[num++];
        },
        256);
    return z;
}

namespace {

template <class Fr>
struct Values {
    const InstancedR1cs<Fr>& r1cs;
    std::span<const Fr> z;

    const Fr& global(Var v) const { return v.is_input() ? z[v.index()] : z[r1cs.inputs + v.index()]; }

    // `of` maps a stored variable to its value.
    template <class Of>
    Fr dot(std::span<const SparseRows::Entry> row, const Of& of) const {
        Fr sum;
        for (const auto& e : row) {
            const Fr& x = of(e.var);
            if (x.is_zero()) continue;
            if (e.coefficient == CoefficientTable<Fr>::kOne)
                sum += x;
            else if (e.coefficient == CoefficientTable<Fr>::kMinusOne)
                sum -= x;
            else if (x.is_one())
                sum += r1cs.coefficients[e.coefficient];
            else
                sum += r1cs.coefficients[e.coefficient] * x;
        }
        return sum;
    }
};

}  // namespace

template <class Fr>
void evaluate(const InstancedR1cs<Fr>& r1cs, std::type_identity_t<std::span<const Fr>> z,
              std::type_identity_t<std::span<Fr>> a, std::type_identity_t<std::span<Fr>> b,
              std::type_identity_t<std::span<Fr>> c) {
    const std::size_t rows = r1cs.constraints + r1cs.inputs;
    if (z.size() != r1cs.inputs + std::size_t{r1cs.aux} || a.size() != rows || b.size() != rows ||
        c.size() != rows)
        throw Error(ErrorKind::kInternal, "evaluate: sizes do not match the circuit");
    const Values<Fr> values{r1cs, z};
    const std::span<Fr> out[] = {a, b, c};
    const Fr* aux = z.data() + r1cs.inputs;
    parallel_for(
        0, r1cs.segments.size(),
        [&](std::size_t i) {
            const Segment& s = r1cs.segments[i];
            for (const MatrixId m : {kA, kB, kC}) {
                if (s.block == Segment::kGlue) {
                    for (u32 row = 0; row < s.rows; ++row)
                        out[m][s.first_row + row] =
                            values.dot(r1cs.glue[m].row(s.first_glue + row),
                                       [&](Var v) -> const Fr& { return values.global(v); });
                    continue;
                }
                const SparseRows& matrix = r1cs.blocks[s.block].matrices[m];
                const auto local = [&](Var v) -> const Fr& {
                    if (v.is_input()) return z[v.index()];
                    if (v.is_param())
                        return values.global(Var::from_raw(r1cs.params[s.first_param + v.index()]));
                    return aux[s.first_aux + v.index()];
                };
                for (u32 row = 0; row < s.rows; ++row)
                    out[m][s.first_row + row] = values.dot(matrix.row(row), local);
            }
        },
        1);
    for (u32 i = 0; i < r1cs.inputs; ++i) {
        a[r1cs.constraints + i] = z[i];
        b[r1cs.constraints + i] = Fr::zero();
        c[r1cs.constraints + i] = Fr::zero();
    }
}

template <class Fr>
std::optional<u64> first_violation(std::span<const Fr> a, std::span<const Fr> b, std::span<const Fr> c) {
    std::atomic<u64> first{a.size()};
    parallel_ranges(0, a.size(), 1 << 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end && i < first.load(std::memory_order_relaxed); ++i) {
            if (a[i] * b[i] == c[i]) continue;
            u64 seen = first.load();
            while (i < seen && !first.compare_exchange_weak(seen, i)) {
            }
        }
    });
    if (first == a.size()) return std::nullopt;
    return first.load();
}

CUZK_INSTANCED_VALUES(, Bls12_381Fr)
CUZK_INSTANCED_VALUES(, Bn254Fr)

}  // namespace cuzk
