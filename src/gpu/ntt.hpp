// Number-theoretic transforms in device memory.
#pragma once

#include "gpu/arena.hpp"
#include "poly/domain.hpp"

namespace cuzk::gpu {

// A Domain on the device: the same transforms of poly/domain.hpp, with the same results, in place on size() Montgomery
// elements in device memory, in natural order at both ends. All calls only queue work on the given stream; one object may
// serve one stream at a time, since its table of shift powers is rewritten when the shift changes.
//
// Method: butterflies (a + w b, a - w b) from the largest distance down to 1, so that w depends on the block alone and one
// table of root powers in bit-reversed order (Harvey, "Faster arithmetic for number-theoretic transforms", 2014, orders them
// so) serves all levels. Up to 11 levels at a time run in shared memory, two at a time in registers; 2^27 takes three passes.
// A last pass undoes the bit reversal in place and applies the scaling of inverse transforms.
template <class Fr>
class DeviceDomain {
public:
    static constexpr unsigned kMaxLogSize = 28;

    // Fills the tables on `stream`. They lie in the arena, about size() / 2 elements, and live as long as the arena's scope
    // around this object. Error(kUnsupported) above kMaxLogSize.
    DeviceDomain(Arena& arena, const Domain<Fr>& domain, const Stream& stream);

    // Bytes that the constructor takes from the arena.
    static std::size_t table_bytes(unsigned log_size);

    std::size_t size() const { return std::size_t{1} << log_size_; }
    unsigned log_size() const { return log_size_; }

    void forward(DeviceSpan<Fr> values, const Stream& stream);
    void inverse(DeviceSpan<Fr> values, const Stream& stream);
    void coset_forward(DeviceSpan<Fr> values, const Fr& shift, const Stream& stream);
    void coset_inverse(DeviceSpan<Fr> values, const Fr& shift, const Stream& stream);

private:
    void require_size(const DeviceSpan<Fr>& values) const;
    void levels(Fr* values, bool inverse, bool scale, const Stream& stream) const;
    void undo_reversal(Fr* values, bool scale, const Fr& constant, const Stream& stream) const;
    // Element i is to be multiplied by constant * base^i.
    void set_powers(const Fr& base, const Fr& constant, const Stream& stream);

    unsigned log_size_;
    Fr size_inverse_;
    DeviceSpan<Fr> twiddles_;         // bit-reversed powers of the root
    DeviceSpan<Fr> low_powers_;       // base^i, i < 2^ceil(log_size / 2)
    DeviceSpan<Fr> high_powers_;      // constant * base^(i * low_powers_.size)
    Fr power_base_, power_constant_;  // zero: none yet
};

extern template class DeviceDomain<Bls12_381Fr>;
extern template class DeviceDomain<Bn254Fr>;

}  // namespace cuzk::gpu
