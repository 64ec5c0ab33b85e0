#include "groth16/basis_change.hpp"

#include <array>
#include <bit>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "curve/jacobian.hpp"
#include "poly/domain.hpp"

namespace cuzk {

namespace {

// k P by windows of four bits.
template <class G>
Jacobian<G> multiply(const Jacobian<G>& p, const typename G::Scalar& k) {
    constexpr std::size_t kWindow = 4;
    constexpr std::size_t kWindows = (G::Scalar::kBits + kWindow - 1) / kWindow;
    if (p.is_infinity() || k.is_one()) return p;
    if ((-k).is_one()) return -p;
    std::array<Jacobian<G>, (1U << kWindow)> table;
    table[0] = Jacobian<G>::infinity();
    table[1] = p;
    for (std::size_t i = 2; i < table.size(); ++i)
        table[i] = i % 2 == 0 ? table[i / 2].dbl() : table[i - 1] + p;
    const auto digits = k.to_int();
    Jacobian<G> r = Jacobian<G>::infinity();
    for (std::size_t w = kWindows; w-- > 0;) {
        for (std::size_t i = 0; i < kWindow; ++i) r = r.dbl();
        r += table[digits.bits(w * kWindow, kWindow)];
    }
    return r;
}

std::size_t reverse_bits(std::size_t value, unsigned bits) {
    std::size_t r = 0;
    for (unsigned i = 0; i < bits; ++i) r |= ((value >> i) & 1) << (bits - 1 - i);
    return r;
}

// values[j] = sum_i root^(ij) values[i], natural order on both ends (Cooley, Tukey 1965).
template <class G>
void transform(std::vector<Jacobian<G>>& values, const typename G::Scalar& root, Progress* progress) {
    using Fr = typename G::Scalar;
    const std::size_t n = values.size();
    const auto log_n = static_cast<unsigned>(std::countr_zero(n));
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t j = reverse_bits(i, log_n);
        if (i < j) std::swap(values[i], values[j]);
    }
    std::vector<Fr> powers(std::max<std::size_t>(n / 2, 1));
    powers[0] = Fr::one();
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * root;
    for (unsigned stage = 1; stage <= log_n; ++stage) {
        report_progress(progress, "changing the basis of H", stage - 1, log_n);
        const std::size_t half = std::size_t{1} << (stage - 1);
        parallel_for(
            0, n / 2,
            [&](std::size_t k) {
                const std::size_t j = k & (half - 1);
                const std::size_t low = ((k & ~(half - 1)) << 1) | j;
                const Jacobian<G> t = multiply(values[low + half], powers[j << (log_n - stage)]);
                const Jacobian<G> u = values[low];
                values[low] = u + t;
                values[low + half] = u - t;
            },
            16);
    }
    report_progress(progress, "changing the basis of H", log_n, log_n);
}

// values[i] *= factor * step^i
template <class G>
void scale(std::vector<Jacobian<G>>& values, const typename G::Scalar& factor,
           const typename G::Scalar& step) {
    parallel_ranges(0, values.size(), 64, [&](std::size_t begin, std::size_t end) {
        auto scalar = factor * step.pow(u64{begin});
        for (std::size_t i = begin; i < end; ++i, scalar *= step) values[i] = multiply(values[i], scalar);
    });
}

unsigned log_of(std::size_t n) {
    if (!std::has_single_bit(n))
        throw Error(ErrorKind::kInternal, "an H query whose domain is no power of two");
    return static_cast<unsigned>(std::countr_zero(n));
}

// Z on the coset g <w>.
template <class Fr>
Fr z_on_coset(const Fr& shift, std::size_t n) {
    return shift.pow(u64{n}) - Fr::one();
}

}  // namespace

template <class G>
std::vector<Affine<G>> lagrange_to_powers(AffineView<G> lagrange, Progress* progress) {
    using Fr = typename G::Scalar;
    const unsigned log_n = log_of(lagrange.size());
    const auto domain = Domain<Fr>::snarkjs(log_n);
    const Fr shift = Domain<Fr>::snarkjs_coset_shift(log_n);
    std::vector<Jacobian<G>> values(lagrange.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = Jacobian<G>::from_affine(lagrange[i]);
    transform(values, domain.root(), progress);
    values.pop_back();
    scale(values, z_on_coset(shift, domain.size()), shift);
    return batch_to_affine<G>(values);
}

template <class G>
std::vector<Affine<G>> powers_to_lagrange(AffineView<G> powers, Progress* progress) {
    using Fr = typename G::Scalar;
    const unsigned log_n = log_of(powers.size() + 1);
    const auto domain = Domain<Fr>::snarkjs(log_n);
    const Fr shift = Domain<Fr>::snarkjs_coset_shift(log_n);
    std::vector<Jacobian<G>> values(domain.size(), Jacobian<G>::infinity());
    for (std::size_t i = 0; i < powers.size(); ++i) values[i] = Jacobian<G>::from_affine(powers[i]);
    scale(values, z_on_coset(shift, domain.size()).inverse() * domain.size_inverse(), shift.inverse());
    transform(values, domain.root_inverse(), progress);
    return batch_to_affine<G>(values);
}

CUZK_BASIS_CHANGE(, Bls12_381G1)
CUZK_BASIS_CHANGE(, Bn254G1)

}  // namespace cuzk
