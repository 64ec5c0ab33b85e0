// The quotient polynomial of a proof in device memory: groth16/quotient.hpp's, with the same results.
#pragma once

#include "gpu/ntt_passes.hpp"
#include "groth16/types.hpp"

namespace cuzk::gpu {

// Tables of one domain size, a few MiB. Calls only queue work; the object is immutable once made, so several streams may use
// it. Vectors are domain() Montgomery elements below the modulus; Error(kInternal) on another length. A proof needs two
// vectors at once:
//
//     extend(a), extend_into(a, b); b's memory may now take the values of c; finish(a, c)
//
// Method: that of gpu/ntt_passes.hpp. Inverse transforms leave bit-reversed order and forward ones take it, so nothing is
// reordered between them, and the tile's part of an inverse, the coset's powers, and the tile's part of the following forward
// transform are one pass.
template <class Fr>
class DeviceQuotient {
public:
    using Int = typename Fr::Int;

    static constexpr unsigned kMaxLogDomain = NttPasses<Fr>::kMaxLogSize;

    // Fills the tables on `stream`. They lie in the arena and live as long as the arena's scope around this object.
    // Error(kUnsupported) above kMaxLogDomain.
    DeviceQuotient(Arena& arena, KeyFamily family, unsigned log_domain, const Stream& stream);

    // At most this many bytes of the arena are taken by the constructor.
    static std::size_t table_bytes(unsigned log_domain);

    KeyFamily family() const { return family_; }
    std::size_t domain() const { return std::size_t{1} << passes_.log_size(); }
    // Scalars that the H query multiplies: domain() for kSnarkjs, domain() - 1 for kBellman.
    std::size_t size() const { return family_ == KeyFamily::kSnarkjs ? domain() : domain() - 1; }

    // Values on the domain to values on the coset, both in natural order.
    void extend(DeviceSpan<Fr> values, const Stream& stream) const;
    // The same for `values`, but the result goes into a product: product[i] = product[i] result[i]; `values` is scratch afterwards.
    void extend_into(DeviceSpan<Fr> product, DeviceSpan<Fr> values, const Stream& stream) const;
    // a[i] = a[i] b[i], equal parts of vectors of any length
    void multiply(DeviceSpan<Fr> a, DeviceSpan<const Fr> b, const Stream& stream) const;
    // From the product A B on the coset and C's values on the domain, the size() H scalars as canonical integers, in the
    // memory of `product`. `c` is scratch afterwards.
    DeviceSpan<const Int> finish(DeviceSpan<Fr> product, DeviceSpan<Fr> c, const Stream& stream) const;

    // finish() in steps, for who has one vector on the device at a time. Whole vectors:
    //     kSnarkjs: extend(c), product - c by subtract(), order(product)
    //     kBellman: interpolate_product(product), interpolate_c(c), product - c by subtract(), order(the difference)
    void interpolate_product(DeviceSpan<Fr> product, const Stream& stream) const;
    void interpolate_c(DeviceSpan<Fr> c, const Stream& stream) const;
    DeviceSpan<const Int> order(DeviceSpan<Fr> difference, const Stream& stream) const;
    // out = a - b, equal parts of vectors of any length; `out` may be one of them.
    void subtract(DeviceSpan<Fr> out, DeviceSpan<const Fr> a, DeviceSpan<const Fr> b,
                  const Stream& stream) const;

private:
    void require_size(std::size_t size) const;
    static void require_equal(std::size_t a, std::size_t b);

    KeyFamily family_;
    NttPasses<Fr> passes_;
    CoefficientScale<Fr> shift_;    // to the coset, and the division by the size
    CoefficientScale<Fr> unshift_;  // back, and what makes A B's coefficients a part of h
    CoefficientScale<Fr> c_scale_;  // the same for C's, which are not on the coset
};

extern template class DeviceQuotient<Bls12_381Fr>;
extern template class DeviceQuotient<Bn254Fr>;

}  // namespace cuzk::gpu
