#include "gpu/quotient.hpp"

#include <string>

#include "base/error.hpp"
#include "gpu/quotient_kernels.cuh"
#include "groth16/key_domain.hpp"

namespace cuzk::gpu {

namespace {

constexpr u32 kThreads = 256;

u32 blocks_for(std::size_t count) {
    return static_cast<u32>((count + kThreads - 1) / kThreads);
}

}  // namespace

template <class Fr>
std::size_t DeviceQuotient<Fr>::table_bytes(unsigned log_domain) {
    return NttPasses<Fr>::table_bytes(log_domain) + 2 * NttPasses<Fr>::scale_bytes(log_domain);
}

template <class Fr>
DeviceQuotient<Fr>::DeviceQuotient(Arena& arena, KeyFamily family, unsigned log_domain, const Stream& stream)
    : family_(family), passes_(arena, key_domain<Fr>(family, log_domain), stream) {
    const Fr size_inverse = key_domain<Fr>(family, log_domain).size_inverse();
    const Fr shift = key_coset_shift<Fr>(family, log_domain);
    shift_ = passes_.take_scale(arena);
    passes_.set_scale(shift_, shift, size_inverse, stream);
    if (family == KeyFamily::kBellman) {
        // The two interpolations give both parts of h over Z, out of Montgomery form: 1 read as a Montgomery number is 1 / R.
        const Fr z_inverse = (shift.pow(u64{1} << log_domain) - Fr::one()).inverse();
        const Fr scale = z_inverse * size_inverse * Fr::from_montgomery(Int::from_u64(1));
        unshift_ = passes_.take_scale(arena);
        passes_.set_scale(unshift_, shift.inverse(), scale, stream);
        c_scale_ = CoefficientScale<Fr>::by(scale);
    }
}

template <class Fr>
void DeviceQuotient<Fr>::require_size(std::size_t size) const {
    if (size != domain())
        throw Error(ErrorKind::kInternal, "a quotient over " + std::to_string(domain()) +
                                              " points got a vector of " + std::to_string(size));
}

template <class Fr>
void DeviceQuotient<Fr>::require_equal(std::size_t a, std::size_t b) {
    if (a != b)
        throw Error(ErrorKind::kInternal, "parts of a quotient's vectors have " + std::to_string(a) +
                                              " and " + std::to_string(b) + " elements");
}

template <class Fr>
void DeviceQuotient<Fr>::extend(DeviceSpan<Fr> values, const Stream& stream) const {
    require_size(values.size);
    passes_.down_and_up(values.data, shift_, nullptr, stream);
}

template <class Fr>
void DeviceQuotient<Fr>::extend_into(DeviceSpan<Fr> product, DeviceSpan<Fr> values,
                                     const Stream& stream) const {
    require_size(product.size);
    require_size(values.size);
    passes_.down_and_up(values.data, shift_, product.data, stream);
}

template <class Fr>
void DeviceQuotient<Fr>::multiply(DeviceSpan<Fr> a, DeviceSpan<const Fr> b, const Stream& stream) const {
    require_equal(a.size, b.size);
    multiply_values<<<blocks_for(a.size), kThreads, 0, stream.get()>>>(a.data, b.data,
                                                                       static_cast<u32>(a.size));
    check_launch("multiply_values");
}

template <class Fr>
DeviceSpan<const typename Fr::Int> DeviceQuotient<Fr>::finish(DeviceSpan<Fr> product, DeviceSpan<Fr> c,
                                                              const Stream& stream) const {
    require_size(product.size);
    require_size(c.size);
    if (family_ == KeyFamily::kSnarkjs) {
        // The H query divides by Z itself: its points are Lagrange values of the coset within the double domain.
        extend(c, stream);
        subtract(product, {product.data, product.size}, {c.data, c.size}, stream);
    } else {
        // Z is constant on the coset and interpolation is linear, so C is subtracted as coefficients.
        interpolate_product(product, stream);
        interpolate_c(c, stream);
        queue_reversal<Fr>(DifferenceReversal<Fr>{product.data, c.data}, passes_.log_size(), stream);
    }
    return {reinterpret_cast<const Int*>(product.data), size()};
}

template <class Fr>
void DeviceQuotient<Fr>::interpolate_product(DeviceSpan<Fr> product, const Stream& stream) const {
    require_size(product.size);
    passes_.down(product.data, true, unshift_, stream);
}

template <class Fr>
void DeviceQuotient<Fr>::interpolate_c(DeviceSpan<Fr> c, const Stream& stream) const {
    require_size(c.size);
    passes_.down(c.data, true, c_scale_, stream);
}

template <class Fr>
void DeviceQuotient<Fr>::subtract(DeviceSpan<Fr> out, DeviceSpan<const Fr> a, DeviceSpan<const Fr> b,
                                  const Stream& stream) const {
    require_equal(out.size, a.size);
    require_equal(out.size, b.size);
    const u32 count = static_cast<u32>(out.size);
    if (family_ == KeyFamily::kSnarkjs)
        subtract_to_integers<<<blocks_for(count), kThreads, 0, stream.get()>>>(out.data, a.data, b.data,
                                                                               count);
    else
        subtract_to_canonical<<<blocks_for(count), kThreads, 0, stream.get()>>>(out.data, a.data, b.data,
                                                                                count);
    check_launch("subtract");
}

template <class Fr>
DeviceSpan<const typename Fr::Int> DeviceQuotient<Fr>::order(DeviceSpan<Fr> difference,
                                                             const Stream& stream) const {
    require_size(difference.size);
    if (family_ == KeyFamily::kBellman)
        queue_reversal<Fr>(CanonicalReversal<Fr>{difference.data}, passes_.log_size(), stream);
    return {reinterpret_cast<const Int*>(difference.data), size()};
}

template class DeviceQuotient<Bls12_381Fr>;
template class DeviceQuotient<Bn254Fr>;

}  // namespace cuzk::gpu
