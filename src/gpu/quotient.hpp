// The quotient polynomial of a proof in device memory: groth16/quotient.hpp's, with the same results.
#pragma once

#include "gpu/arena.hpp"
#include "gpu/lazy_factor.hpp"
#include "groth16/types.hpp"
#include "poly/domain.hpp"

namespace cuzk::gpu {

// Tables of one domain size, a few MiB. Calls only queue work; the object is immutable once made, so several streams may use
// it. Vectors are domain() Montgomery elements below the modulus; Error(kInternal) on another length. A proof needs two
// vectors at once:
//
//     extend(a), extend_into(a, b); b's memory may now take the values of c; finish(a, c)
//
// Method: a transform of 2^n elements is a transform of length 2^(n-11) over the tiles of 2^11 neighbours, side by side, a
// factor w^(row column) for each element, and transforms within the tiles (Bailey, "FFTs in external or hierarchical memory",
// 1990). Inverse transforms leave bit-reversed order and forward ones take it, so nothing is reordered between them, and
// the tile's part of an inverse, the coset's powers, and the tile's part of the following forward transform are one pass. Roots
// within transforms are multiplied by Shoup's method on numbers below 2p (Harvey, "Faster arithmetic for number-theoretic
// transforms", 2014), and so are the factors between them: each is a product of two numbers that a block makes for its tile, so
// that no table has more than 2^17 entries.
template <class Fr>
class DeviceQuotient {
public:
    using Int = typename Fr::Int;

    static constexpr unsigned kMaxLogDomain = 28;

    // Fills the tables on `stream`. They lie in the arena and live as long as the arena's scope around this object.
    // Error(kUnsupported) above kMaxLogDomain.
    DeviceQuotient(Arena& arena, KeyFamily family, unsigned log_domain, const Stream& stream);

    // At most this many bytes of the arena are taken by the constructor.
    static std::size_t table_bytes(unsigned log_domain);

    KeyFamily family() const { return family_; }
    std::size_t domain() const { return std::size_t{1} << log_domain_; }
    // Scalars that the H query multiplies: domain() for kSnarkjs, domain() - 1 for kBellman.
    std::size_t size() const { return family_ == KeyFamily::kSnarkjs ? domain() : domain() - 1; }

    // Values on the domain to values on the coset, both in natural order.
    void extend(DeviceSpan<Fr> values, const Stream& stream) const;
    // The same for `values`, but the result goes into a product: product[i] = product[i] result[i]; `values` is scratch afterwards.
    void extend_into(DeviceSpan<Fr> product, DeviceSpan<Fr> values, const Stream& stream) const;
    // a[i] = a[i] b[i]
    void multiply(DeviceSpan<Fr> a, DeviceSpan<const Fr> b, const Stream& stream) const;
    // From the product A B on the coset and C's values on the domain, the size() H scalars as canonical integers, in the
    // memory of `product`. `c` is scratch afterwards.
    DeviceSpan<const Int> finish(DeviceSpan<Fr> product, DeviceSpan<Fr> c, const Stream& stream) const;

private:
    struct Powers {  // element i is constant * base^i, or `constant` where there are no tables
        DeviceSpan<Fr> low, high;
        Fr constant;
    };

    void require_size(std::size_t size) const;
    void extend(Fr* values, Fr* product, const Stream& stream) const;
    void inverse_levels(Fr* values, const Stream& stream) const;
    void forward_levels(Fr* values, Fr* product, const Stream& stream) const;
    void to_coefficients(Fr* values, const Powers& of_tile, const LazyFactors<Fr>& of_place,
                         const Stream& stream) const;

    KeyFamily family_;
    unsigned log_domain_;
    unsigned tile_bits_;                     // of neighbours
    unsigned outer_bits_;                    // log_domain_ - tile_bits_
    LazyFactors<Fr> roots_, inverse_roots_;  // in bit-reversed order
    LazyFactors<Fr> shift_in_tile_, unshift_in_tile_;
    Powers root_powers_;
    Powers shift_of_tile_, unshift_of_tile_, scale_of_c_;
};

extern template class DeviceQuotient<Bls12_381Fr>;
extern template class DeviceQuotient<Bn254Fr>;

}  // namespace cuzk::gpu
