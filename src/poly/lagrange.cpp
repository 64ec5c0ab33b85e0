#include "poly/lagrange.hpp"

#include <string>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "field/batch_inverse.hpp"

namespace cuzk {

// L_i(tau) = root^i (tau^n - 1) / (n (tau - root^i)). If tau = root^k, the k-th denominator and the vanishing
// polynomial are both zero; batch_inverse leaves the zero and only L_k = 1 has to be put in.
template <class Fr>
void lagrange_at(const Domain<Fr>& domain, const Fr& tau, std::type_identity_t<std::span<Fr>> basis) {
    if (basis.size() != domain.size())
        throw Error(ErrorKind::kInternal, "the Lagrange basis of " + std::to_string(domain.size()) +
                                              " points was given room for " + std::to_string(basis.size()));
    constexpr std::size_t kChunk = 4096;  // amortises the one inversion and the one power of a chunk
    const Fr factor = vanishing_at(domain, tau) * domain.size_inverse();
    parallel_ranges(0, basis.size(), kChunk, [&](std::size_t first, std::size_t last) {
        const std::span<Fr> chunk = basis.subspan(first, last - first);
        const Fr start = domain.root().pow(first);
        Fr point = start;
        for (Fr& x : chunk) {
            x = tau - point;
            point *= domain.root();
        }
        batch_inverse(chunk);
        Fr numerator = start * factor;
        point = start;
        for (Fr& x : chunk) {
            x = point == tau ? Fr::one() : x * numerator;
            numerator *= domain.root();
            point *= domain.root();
        }
    });
}

template <class Fr>
std::vector<Fr> lagrange_at(const Domain<Fr>& domain, const Fr& tau) {
    std::vector<Fr> basis(domain.size());
    lagrange_at<Fr>(domain, tau, basis);
    return basis;
}

template void lagrange_at(const Domain<Bls12_381Fr>&, const Bls12_381Fr&, std::span<Bls12_381Fr>);
template void lagrange_at(const Domain<Bn254Fr>&, const Bn254Fr&, std::span<Bn254Fr>);
template std::vector<Bls12_381Fr> lagrange_at(const Domain<Bls12_381Fr>&, const Bls12_381Fr&);
template std::vector<Bn254Fr> lagrange_at(const Domain<Bn254Fr>&, const Bn254Fr&);

}  // namespace cuzk
