// Number-theoretic transforms in device memory.
#pragma once

#include "gpu/ntt_passes.hpp"

namespace cuzk::gpu {

// A Domain on the device: the same transforms of poly/domain.hpp, with the same results, in place on size() Montgomery
// elements in device memory, in natural order at both ends. All calls only queue work on the given stream; one object may
// serve one stream at a time, since its table of shift powers is rewritten when the shift changes.
//
// Method: that of gpu/ntt_passes.hpp, and a pass that undoes the bit reversal in place. The powers of a coset's shift and the
// division by the size are parts of the passes.
template <class Fr>
class DeviceDomain {
public:
    static constexpr unsigned kMaxLogSize = NttPasses<Fr>::kMaxLogSize;

    // Fills the tables on `stream`, a few MiB. They lie in the arena and live as long as the arena's scope around this object.
    // Error(kUnsupported) above kMaxLogSize.
    DeviceDomain(Arena& arena, const Domain<Fr>& domain, const Stream& stream);

    // Bytes that the constructor takes from the arena.
    static std::size_t table_bytes(unsigned log_size);

    std::size_t size() const { return std::size_t{1} << passes_.log_size(); }
    unsigned log_size() const { return passes_.log_size(); }

    void forward(DeviceSpan<Fr> values, const Stream& stream);
    void inverse(DeviceSpan<Fr> values, const Stream& stream);
    void coset_forward(DeviceSpan<Fr> values, const Fr& shift, const Stream& stream);
    void coset_inverse(DeviceSpan<Fr> values, const Fr& shift, const Stream& stream);

private:
    void require_size(const DeviceSpan<Fr>& values) const;
    // scale_ multiplies coefficient k by constant * base^k from here on.
    void set_scale(const Fr& base, const Fr& constant, const Stream& stream);

    NttPasses<Fr> passes_;
    Fr size_inverse_;
    CoefficientScale<Fr> scale_;
    Fr scale_base_, scale_constant_;  // zero: none yet
};

extern template class DeviceDomain<Bls12_381Fr>;
extern template class DeviceDomain<Bn254Fr>;

}  // namespace cuzk::gpu
