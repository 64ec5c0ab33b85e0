#include "gpu/ntt.hpp"

#include <string>

#include "base/error.hpp"
#include "gpu/ntt_kernels.cuh"

namespace cuzk::gpu {

template <class Fr>
std::size_t DeviceDomain<Fr>::table_bytes(unsigned log_size) {
    return NttPasses<Fr>::table_bytes(log_size) + NttPasses<Fr>::scale_bytes(log_size);
}

template <class Fr>
DeviceDomain<Fr>::DeviceDomain(Arena& arena, const Domain<Fr>& domain, const Stream& stream)
    : passes_(arena, domain, stream),
      size_inverse_(domain.size_inverse()),
      scale_(passes_.take_scale(arena)) {}

template <class Fr>
void DeviceDomain<Fr>::require_size(const DeviceSpan<Fr>& values) const {
    if (values.size != size())
        throw Error(ErrorKind::kInternal, "a transform of " + std::to_string(size()) + " elements got " +
                                              std::to_string(values.size));
}

template <class Fr>
void DeviceDomain<Fr>::set_scale(const Fr& base, const Fr& constant, const Stream& stream) {
    if (base == scale_base_ && constant == scale_constant_) return;
    passes_.set_scale(scale_, base, constant, stream);
    scale_base_ = base;
    scale_constant_ = constant;
}

template <class Fr>
void DeviceDomain<Fr>::forward(DeviceSpan<Fr> values, const Stream& stream) {
    require_size(values);
    passes_.down(values.data, false, CoefficientScale<Fr>::by(Fr::one()), stream);
    queue_reversal<Fr>(CanonicalReversal<Fr>{values.data}, log_size(), stream);
}

template <class Fr>
void DeviceDomain<Fr>::inverse(DeviceSpan<Fr> values, const Stream& stream) {
    require_size(values);
    passes_.down(values.data, true, CoefficientScale<Fr>::by(size_inverse_), stream);
    queue_reversal<Fr>(CanonicalReversal<Fr>{values.data}, log_size(), stream);
}

template <class Fr>
void DeviceDomain<Fr>::coset_forward(DeviceSpan<Fr> values, const Fr& shift, const Stream& stream) {
    require_size(values);
    set_scale(shift, Fr::one(), stream);
    queue_reversal<Fr>(CanonicalReversal<Fr>{values.data}, log_size(), stream);
    passes_.up(values.data, scale_, stream);
}

template <class Fr>
void DeviceDomain<Fr>::coset_inverse(DeviceSpan<Fr> values, const Fr& shift, const Stream& stream) {
    require_size(values);
    set_scale(shift.inverse(), size_inverse_, stream);
    passes_.down(values.data, true, scale_, stream);
    queue_reversal<Fr>(CanonicalReversal<Fr>{values.data}, log_size(), stream);
}

template class DeviceDomain<Bls12_381Fr>;
template class DeviceDomain<Bn254Fr>;

}  // namespace cuzk::gpu
