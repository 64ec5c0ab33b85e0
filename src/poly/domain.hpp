// Power-of-two evaluation domains of a prime field and the number-theoretic transforms over them.
#pragma once

#include <span>

#include "poly/twiddles.hpp"

namespace cuzk {

namespace ntt {
template <class Fr>
struct RootSet;
}

// The multiplicative subgroup of order 2^log_size, with the generator ("root") that fixes the order of
// evaluations: value i of a transformed vector is the polynomial at root^i (times the shift, on a coset).
//
// All transforms work in place on exactly size() Montgomery elements, in natural order at both ends, in
// parallel (base/parallel.hpp), and throw Error(kInternal) on any other length. A Domain is a small value,
// cheap to copy and safe to share between threads; tables of twiddles live in a process-wide cache
// (poly/twiddles.hpp).
template <class Fr>
class Domain {
public:
    // 2^kMaxLogSize is the largest power of two that divides r - 1.
    static constexpr unsigned kMaxLogSize = static_cast<unsigned>(Fr::Constants::kTwoAdicity);

    // Root g^((r-1) / 2^log_size) for the field's generator g, as bellman and the Zcash and Filecoin files
    // have it. Throws Error(kUnsupported) if log_size is above kMaxLogSize.
    static Domain zcash(unsigned log_size);
    // Root n^((r-1) / 2^log_size) for the smallest quadratic non-residue n, as snarkjs has it. The two roots
    // are equal on BN254 and differ on BLS12-381.
    static Domain snarkjs(unsigned log_size);

    // The coset that snarkjs' Groth16 keys are made for: the odd powers of the next root, n^((r-1) /
    // 2^(log_size+1)); n^2 where the field has no such root.
    static Fr snarkjs_coset_shift(unsigned log_size);

    std::size_t size() const { return std::size_t{1} << log_size_; }
    unsigned log_size() const { return log_size_; }
    const Fr& root() const { return root_; }
    const Fr& root_inverse() const { return root_inverse_; }
    const Fr& size_inverse() const { return size_inverse_; }

    // Coefficients (constant term first) to values at root^i, and back.
    void forward(std::span<Fr> values) const;
    void inverse(std::span<Fr> values) const;

    // Coefficients to values at shift * root^i, and back. shift must not be zero.
    void coset_forward(std::span<Fr> values, const Fr& shift) const;
    void coset_inverse(std::span<Fr> values, const Fr& shift) const;

    // Values at root^i to values at shift * root^i of the same polynomial: inverse() and coset_forward() in
    // one, without the reordering between them.
    void to_coset(std::span<Fr> values, const Fr& shift) const;

private:
    Domain(unsigned log_size, ntt::RootFamily family);
    ntt::RootSet<Fr> roots(ntt::Direction direction) const;

    unsigned log_size_;
    ntt::RootFamily family_;
    Fr root_;
    Fr root_inverse_;
    Fr size_inverse_;
};

extern template class Domain<Bls12_381Fr>;
extern template class Domain<Bn254Fr>;

}  // namespace cuzk
