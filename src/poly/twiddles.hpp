// Constant factors in the forms that the transforms multiply by, and the process-wide tables of roots of
// unity.
#pragma once

#include <vector>

#include "field/fp.hpp"

namespace cuzk::ntt {

// A pass over a vector transforms columns of at most this length; its data fits in a second-level cache.
inline constexpr unsigned kMaxLogLength = 11;

// Words of a prepared factor w of the vector path: w and floor(w 2^260 / p), each as 5 limbs of 52 bits. The
// second number replaces the division in a product with w (Shoup's method; Harvey, "Faster arithmetic for
// number-theoretic transforms", 2014).
inline constexpr std::size_t kPreparedWords = 10;

// A list of factors as the paths read it. Not owning.
template <class Fr>
struct Factors {
    const Fr* plain = nullptr;      // scalar path: Montgomery form
    const u64* prepared = nullptr;  // vector path: kPreparedWords each

    [[gnu::always_inline]] explicit operator bool() const { return plain != nullptr; }
};

// Owns a list of factors.
template <class Fr>
class FactorList {
public:
    FactorList() = default;
    // Prepares for the vector path too if `vectors`.
    FactorList(std::vector<Fr> plain, bool vectors);

    Factors<Fr> view() const { return {plain_.data(), prepared_.data()}; }

private:
    std::vector<Fr> plain_;
    std::vector<u64> prepared_;
};

// first * ratio^i for i < count.
template <class Fr>
FactorList<Fr> power_list(const Fr& first, const Fr& ratio, std::size_t count, bool vectors);

// Which 2^kTwoAdicity-th root of unity a domain descends from: field generator or smallest quadratic
// non-residue.
enum class RootFamily : u8 { kGenerator, kNonResidue };
enum class Direction : u8 { kForward, kInverse };

template <class Fr>
Fr smallest_non_residue();

// That root. The two are one on BN254, whose generator 5 is the smallest non-residue.
template <class Fr>
const Fr& full_root(RootFamily family);

// Entry h + j, j < h, is root_{2h}^j for h = 1, 2, 4, ..., 2^(kMaxLogLength - 1), where root_{2h} is the
// power of the full root (of its inverse) of order 2h. Made at first use and kept: 224 KiB a table, two or
// four tables a field, whatever the sizes of the domains; all longer factors are products made on the way.
// Thread-safe.
template <class Fr>
Factors<Fr> root_table(RootFamily family, Direction direction);

extern template class FactorList<Bls12_381Fr>;
extern template class FactorList<Bn254Fr>;
extern template FactorList<Bls12_381Fr> power_list(const Bls12_381Fr&, const Bls12_381Fr&, std::size_t, bool);
extern template FactorList<Bn254Fr> power_list(const Bn254Fr&, const Bn254Fr&, std::size_t, bool);
extern template Bls12_381Fr smallest_non_residue<Bls12_381Fr>();
extern template Bn254Fr smallest_non_residue<Bn254Fr>();
extern template const Bls12_381Fr& full_root<Bls12_381Fr>(RootFamily);
extern template const Bn254Fr& full_root<Bn254Fr>(RootFamily);
extern template Factors<Bls12_381Fr> root_table<Bls12_381Fr>(RootFamily, Direction);
extern template Factors<Bn254Fr> root_table<Bn254Fr>(RootFamily, Direction);

}  // namespace cuzk::ntt
