#include "gpu/ntt.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "gpu/check.hpp"
#include "gpu/ntt_kernels.cuh"

namespace cuzk::gpu {

namespace {

constexpr u32 kThreads = 256;

u32 blocks_for(std::size_t count) {
    return static_cast<u32>((count + kThreads - 1) / kThreads);
}

unsigned low_bits(unsigned log_size) {
    return (log_size + 1) / 2;
}

std::size_t twiddle_count(unsigned log_size) {
    return std::size_t{1} << (log_size == 0 ? 0 : log_size - 1);
}

}  // namespace

template <class Fr>
std::size_t DeviceDomain<Fr>::table_bytes(unsigned log_size) {
    const std::size_t low = std::size_t{1} << low_bits(log_size);
    const std::size_t high = std::size_t{1} << (log_size - low_bits(log_size));
    std::size_t bytes = 0;
    for (const std::size_t count : {twiddle_count(log_size), low, high})
        bytes += (count * sizeof(Fr) + 511) / 512 * 512;
    return bytes;
}

template <class Fr>
DeviceDomain<Fr>::DeviceDomain(Arena& arena, const Domain<Fr>& domain, const Stream& stream)
    : log_size_(domain.log_size()), size_inverse_(domain.size_inverse()) {
    if (log_size_ > kMaxLogSize)
        throw Error(ErrorKind::kUnsupported, "transforms on the device end at 2^" +
                                                 std::to_string(kMaxLogSize) + " elements, 2^" +
                                                 std::to_string(log_size_) + " were asked for");
    twiddles_ = arena.take<Fr>(twiddle_count(log_size_), "root powers");
    low_powers_ = arena.take<Fr>(std::size_t{1} << low_bits(log_size_), "shift powers");
    high_powers_ = arena.take<Fr>(std::size_t{1} << (log_size_ - low_bits(log_size_)), "shift powers");

    // Index bit k of the table stands for root^(size / 2^(k+2)).
    std::vector<Fr> factors;
    Fr power = domain.root();
    for (unsigned k = 0; k + 1 < log_size_; ++k, power = power.square()) factors.push_back(power);
    fill_powers<<<1, 1, 0, stream.get()>>>(twiddles_.data, 1, Fr::one(), Fr::one());
    check_launch("fill_powers");
    for (std::size_t count = 1; !factors.empty(); count *= 2) {
        extend_twiddles<<<blocks_for(count), kThreads, 0, stream.get()>>>(
            twiddles_.data, static_cast<u32>(count), factors.back());
        check_launch("extend_twiddles");
        factors.pop_back();
    }
}

template <class Fr>
void DeviceDomain<Fr>::require_size(const DeviceSpan<Fr>& values) const {
    if (values.size != size())
        throw Error(ErrorKind::kInternal, "a transform of " + std::to_string(size()) + " elements got " +
                                              std::to_string(values.size));
}

template <class Fr>
void DeviceDomain<Fr>::set_powers(const Fr& base, const Fr& constant, const Stream& stream) {
    if (base == power_base_ && constant == power_constant_) return;
    fill_powers<<<blocks_for(low_powers_.size), kThreads, 0, stream.get()>>>(
        low_powers_.data, static_cast<u32>(low_powers_.size), base, Fr::one());
    check_launch("fill_powers");
    fill_powers<<<blocks_for(high_powers_.size), kThreads, 0, stream.get()>>>(
        high_powers_.data, static_cast<u32>(high_powers_.size), base.pow(u64{low_powers_.size}), constant);
    check_launch("fill_powers");
    power_base_ = base;
    power_constant_ = constant;
}

template <class Fr>
void DeviceDomain<Fr>::levels(Fr* values, bool inverse, bool scale, const Stream& stream) const {
    const Scale<Fr> powers{low_powers_.data, high_powers_.data, low_bits(log_size_), Fr::zero()};
    const unsigned tile_bits = std::min<unsigned>(kTileBits, log_size_);
    const std::size_t bytes = sizeof(Fr) << tile_bits;
    check(cudaFuncSetAttribute(ntt_pass<Fr>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)),
          "cudaFuncSetAttribute");
    // The last pass takes a whole tile of contiguous elements; those before it share the other levels evenly, with at least
    // four neighbours a row where they can.
    unsigned done = 0;
    const unsigned others = log_size_ - tile_bits;
    const unsigned passes = (others + kTileBits - 3) / (kTileBits - 2);
    for (unsigned pass = 0; pass <= passes && log_size_ > 0; ++pass) {
        const unsigned count = pass == passes ? tile_bits : (others - done) / (passes - pass);
        const unsigned lowest = log_size_ - done - count;
        ntt_pass<Fr>
            <<<1u << (log_size_ - tile_bits), std::max(1u, (1u << tile_bits) / 8), bytes, stream.get()>>>(
                values, twiddles_.data, lowest, count, tile_bits - count, inverse, scale && pass == 0,
                powers);
        check_launch("ntt_pass");
        done += count;
    }
}

template <class Fr>
void DeviceDomain<Fr>::undo_reversal(Fr* values, bool scale, const Fr& constant, const Stream& stream) const {
    const bool one_factor = !constant.is_zero();
    const Scale<Fr> factors{one_factor ? nullptr : low_powers_.data, high_powers_.data, low_bits(log_size_),
                            constant};
    queue_reversal<Fr>(ScaledReversal<Fr>{values, scale, factors}, log_size_, stream);
}

template <class Fr>
void DeviceDomain<Fr>::forward(DeviceSpan<Fr> values, const Stream& stream) {
    require_size(values);
    levels(values.data, false, false, stream);
    undo_reversal(values.data, false, Fr::zero(), stream);
}

template <class Fr>
void DeviceDomain<Fr>::inverse(DeviceSpan<Fr> values, const Stream& stream) {
    require_size(values);
    levels(values.data, true, false, stream);
    undo_reversal(values.data, true, size_inverse_, stream);
}

template <class Fr>
void DeviceDomain<Fr>::coset_forward(DeviceSpan<Fr> values, const Fr& shift, const Stream& stream) {
    require_size(values);
    set_powers(shift, Fr::one(), stream);
    levels(values.data, false, true, stream);
    undo_reversal(values.data, false, Fr::zero(), stream);
}

template <class Fr>
void DeviceDomain<Fr>::coset_inverse(DeviceSpan<Fr> values, const Fr& shift, const Stream& stream) {
    require_size(values);
    set_powers(shift.inverse(), size_inverse_, stream);
    levels(values.data, true, false, stream);
    undo_reversal(values.data, true, Fr::zero(), stream);
}

template class DeviceDomain<Bls12_381Fr>;
template class DeviceDomain<Bn254Fr>;

}  // namespace cuzk::gpu
