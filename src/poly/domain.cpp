#include "poly/domain.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace cuzk {

namespace {

template <class Fr>
constexpr Fr smallest_non_residue() {
    for (u64 n = 2;; ++n)
        if (const Fr x = Fr::from_u64(n); x.legendre() == -1) return x;
}

template <class Fr>
Fr full_root(const Fr& non_residue) {
    return non_residue.pow(Fr::Constants::kOddPart);
}

template <class Fr>
void check_log_size(unsigned log_size) {
    if (log_size > Domain<Fr>::kMaxLogSize)
        throw Error(ErrorKind::kUnsupported, "a domain of 2^" + std::to_string(log_size) + " elements: the field " +
                                                 Fr::Params::kName + " has none above 2^" +
                                                 std::to_string(Domain<Fr>::kMaxLogSize));
}

template <class Fr>
void check_length(std::span<Fr> values, std::size_t size) {
    if (values.size() != size)
        throw Error(ErrorKind::kInternal, "a transform of " + std::to_string(size) + " elements was given " +
                                              std::to_string(values.size()));
}

template <class Fr>
void transform(std::span<Fr> v, unsigned log_size, const Fr& root) {
    const std::size_t n = v.size();
    for (std::size_t i = 1, j = 0; i < n; ++i) {
        std::size_t bit = n >> 1;
        for (; (j & bit) != 0; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) std::swap(v[i], v[j]);
    }
    for (unsigned level = 1; level <= log_size; ++level) {
        const std::size_t half = std::size_t{1} << (level - 1);
        const Fr step = root.pow(u64{1} << (log_size - level));
        std::vector<Fr> w(half, Fr::one());
        for (std::size_t i = 1; i < half; ++i) w[i] = w[i - 1] * step;
        for (std::size_t start = 0; start < n; start += 2 * half)
            for (std::size_t i = 0; i < half; ++i) {
                const Fr t = v[start + half + i] * w[i];
                v[start + half + i] = v[start + i] - t;
                v[start + i] += t;
            }
    }
}

template <class Fr>
void scale_by_powers(std::span<Fr> v, Fr first, const Fr& ratio) {
    for (Fr& x : v) {
        x *= first;
        first *= ratio;
    }
}

}  // namespace

template <class Fr>
Domain<Fr>::Domain(unsigned log_size, const Fr& full_root)
    : log_size_(log_size), root_(full_root), size_inverse_(Fr::from_u64(u64{1} << log_size).inverse()) {
    for (unsigned i = log_size; i < kMaxLogSize; ++i) root_ = root_.square();
    root_inverse_ = root_.inverse();
}

template <class Fr>
Domain<Fr> Domain<Fr>::zcash(unsigned log_size) {
    check_log_size<Fr>(log_size);
    return Domain(log_size, full_root(Fr::from_u64(Fr::Params::kGenerator)));
}

template <class Fr>
Domain<Fr> Domain<Fr>::snarkjs(unsigned log_size) {
    check_log_size<Fr>(log_size);
    return Domain(log_size, full_root(smallest_non_residue<Fr>()));
}

template <class Fr>
Fr Domain<Fr>::snarkjs_coset_shift(unsigned log_size) {
    check_log_size<Fr>(log_size);
    if (log_size == kMaxLogSize) return smallest_non_residue<Fr>().square();
    return snarkjs(log_size + 1).root();
}

template <class Fr>
void Domain<Fr>::forward(std::span<Fr> values) const {
    check_length(values, size());
    transform(values, log_size_, root_);
}

template <class Fr>
void Domain<Fr>::inverse(std::span<Fr> values) const {
    check_length(values, size());
    transform(values, log_size_, root_inverse_);
    scale_by_powers(values, size_inverse_, Fr::one());
}

template <class Fr>
void Domain<Fr>::coset_forward(std::span<Fr> values, const Fr& shift) const {
    check_length(values, size());
    scale_by_powers(values, Fr::one(), shift);
    transform(values, log_size_, root_);
}

template <class Fr>
void Domain<Fr>::coset_inverse(std::span<Fr> values, const Fr& shift) const {
    check_length(values, size());
    transform(values, log_size_, root_inverse_);
    scale_by_powers(values, size_inverse_, shift.inverse());
}

template <class Fr>
void Domain<Fr>::to_coset(std::span<Fr> values, const Fr& shift) const {
    check_length(values, size());
    transform(values, log_size_, root_inverse_);
    scale_by_powers(values, size_inverse_, shift);
    transform(values, log_size_, root_);
}

template class Domain<Bls12_381Fr>;
template class Domain<Bn254Fr>;

}  // namespace cuzk
