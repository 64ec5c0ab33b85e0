#include "poly/domain.hpp"

#include <string>

#include "base/error.hpp"
#include "poly/transform.hpp"

namespace cuzk {

namespace {

template <class Fr>
void check_log_size(unsigned log_size) {
    if (log_size > Domain<Fr>::kMaxLogSize)
        throw Error(ErrorKind::kUnsupported, "a domain of 2^" + std::to_string(log_size) +
                                                 " elements: " + Fr::Params::kName + " has none above 2^" +
                                                 std::to_string(Domain<Fr>::kMaxLogSize));
}

template <class Fr>
void check_length(std::span<Fr> values, std::size_t size) {
    if (values.size() != size)
        throw Error(ErrorKind::kInternal, "a transform of " + std::to_string(size) + " elements was given " +
                                              std::to_string(values.size()));
}

template <class Fr>
void check_shift(const Fr& shift) {
    if (shift.is_zero()) throw Error(ErrorKind::kInternal, "a coset with shift zero");
}

template <class Fr>
Fr root_of_order(ntt::RootFamily family, unsigned log_size) {
    Fr root = ntt::full_root<Fr>(family);
    for (unsigned i = log_size; i < Domain<Fr>::kMaxLogSize; ++i) root = root.square();
    return root;
}

}  // namespace

template <class Fr>
Domain<Fr>::Domain(unsigned log_size, ntt::RootFamily family) : log_size_(log_size), family_(family) {
    check_log_size<Fr>(log_size);
    root_ = root_of_order<Fr>(family, log_size);
    root_inverse_ = root_.inverse();
    size_inverse_ = Fr::from_u64(u64{1} << log_size).inverse();
}

template <class Fr>
Domain<Fr> Domain<Fr>::zcash(unsigned log_size) {
    return Domain(log_size, ntt::RootFamily::kGenerator);
}

template <class Fr>
Domain<Fr> Domain<Fr>::snarkjs(unsigned log_size) {
    return Domain(log_size, ntt::RootFamily::kNonResidue);
}

template <class Fr>
Fr Domain<Fr>::snarkjs_coset_shift(unsigned log_size) {
    check_log_size<Fr>(log_size);
    if (log_size == kMaxLogSize) return ntt::smallest_non_residue<Fr>().square();
    return root_of_order<Fr>(ntt::RootFamily::kNonResidue, log_size + 1);
}

template <class Fr>
ntt::RootSet<Fr> Domain<Fr>::roots(ntt::Direction direction) const {
    return {direction == ntt::Direction::kForward ? root_ : root_inverse_,
            ntt::root_table<Fr>(family_, direction)};
}

template <class Fr>
void Domain<Fr>::forward(std::span<Fr> values) const {
    check_length(values, size());
    ntt::transform<Fr>(values, roots(ntt::Direction::kForward), {}, Fr::one(), {});
}

template <class Fr>
void Domain<Fr>::inverse(std::span<Fr> values) const {
    check_length(values, size());
    ntt::transform<Fr>(values, roots(ntt::Direction::kInverse), {}, size_inverse_, {});
}

template <class Fr>
void Domain<Fr>::coset_forward(std::span<Fr> values, const Fr& shift) const {
    check_length(values, size());
    check_shift(shift);
    ntt::transform<Fr>(values, roots(ntt::Direction::kForward), shift, Fr::one(), {});
}

template <class Fr>
void Domain<Fr>::coset_inverse(std::span<Fr> values, const Fr& shift) const {
    check_length(values, size());
    check_shift(shift);
    ntt::transform<Fr>(values, roots(ntt::Direction::kInverse), {}, size_inverse_, shift.inverse());
}

template <class Fr>
void Domain<Fr>::to_coset(std::span<Fr> values, const Fr& shift) const {
    check_length(values, size());
    check_shift(shift);
    ntt::transform_there_and_back<Fr>(values, roots(ntt::Direction::kInverse),
                                      roots(ntt::Direction::kForward), size_inverse_, shift);
}

template class Domain<Bls12_381Fr>;
template class Domain<Bn254Fr>;

}  // namespace cuzk
