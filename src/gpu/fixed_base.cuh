// DeviceFixedBase of gpu/fixed_base.hpp, for explicit instantiation.
#pragma once

#include <string>
#include <vector>

#include "curve/jacobian.hpp"
#include "gpu/fixed_base.hpp"
#include "gpu/msm_adder.cuh"
#include "msm/signed_windows.hpp"

namespace cuzk::gpu {

inline constexpr u32 kFixedBaseThreads = 256;

// A window's digit out of a scalar to which half a window's range has been added in each window but the top one.
struct DigitCut {
    u32 position, width;
    u32 half;  // 0 in the top window

    template <class Int>
    __device__ __forceinline__ u32 entry(const Int& scalar) const {
        const u32 limb = position / 64;
        const u32 shift = position % 64;
        u64 bits = scalar.limb[limb] >> shift;
        if (shift + width > 64 && limb + 1 < Int::kLimbs) bits |= scalar.limb[limb + 1] << (64 - shift);
        const u32 raised = static_cast<u32>(bits) & ((u32{1} << width) - 1);
        return raised >= half ? raised - half : (half - raised) | kNegated;
    }
};

// Two kinds of pairs in one kernel. Where the table is made: entry d of each window and entry `known`, for d in [1, known], to
// entry known + d. Where points are: point p and the entry of its digit in one window, which starts at `table`.
template <class G>
struct FixedBasePairs {
    using Int = typename G::Scalar::Int;

    Affine<G>* table;
    Affine<G>* points;  // null where the table is made
    const Int* scalars;
    DigitCut digit;
    u32 log_known;
    u32 entries;  // of a window

    __device__ __forceinline__ uint2 pair(u32 p) const {
        if (points != nullptr) return make_uint2(p | kIsSum, digit.entry(scalars[p]));
        const u32 base = (p >> log_known) * entries;
        return make_uint2(base + 1 + (p & ((u32{1} << log_known) - 1)), base + (u32{1} << log_known));
    }
    __device__ __forceinline__ const Affine<G>* point(u32 entry) const {
        return ((entry & kIsSum) != 0 ? points : table) + (entry & kIndexMask);
    }
    __device__ __forceinline__ Affine<G>* target(u32 p) const {
        return points != nullptr ? points + p : table + pair(p).x + (u32{1} << log_known);
    }
};

// Raises the scalars for DigitCut; points[i] = the entry of the lowest window's digit.
template <class G>
__global__ void start_points(typename G::Scalar* scalars, typename G::Scalar::Int offset,
                             const Affine<G>* table, DigitCut digit, Affine<G>* points, u32 count) {
    const u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    auto raised = load(scalars + i).to_int();
    raised.add(offset);
    store(scalars + i, G::Scalar::from_montgomery(raised));  // only its limbs are read from here on
    const u32 entry = digit.entry(raised);
    const auto y = load(&table[entry & kIndexMask].y);
    store(&points[i].x, load(&table[entry & kIndexMask].x));
    store(&points[i].y, (entry & kNegated) != 0 ? -y : y);
}

// The cheapest windows for `count` scalars: an addition a window and scalar, one an entry. Tables stay below 2^23 entries.
template <class Fr>
SignedWindows<Fr> fixed_base_windows(std::size_t count) {
    unsigned best = 0;
    std::size_t least = 0;
    for (unsigned width = 4; width <= 20; ++width) {
        const SignedWindows<Fr> windows(width, Fr::Constants::kModulusMinusOne);
        const std::size_t cost = windows.count() * (count + windows.buckets());
        if (best == 0 || cost < least) {
            least = cost;
            best = width;
        }
    }
    return SignedWindows<Fr>(best, Fr::Constants::kModulusMinusOne);
}

template <class G>
DeviceFixedBase<G>::DeviceFixedBase(Arena& arena, const Point& base, std::size_t count,
                                    const Stream& stream) {
    if (base.is_infinity()) return;
    const auto windows = fixed_base_windows<Fr>(count);
    width_ = windows.width();
    windows_ = windows.count();
    const std::size_t entries = windows.buckets() + 1;
    table_ = arena.take<Point>(windows_ * entries, "multiples of a base");

    std::vector<Jacobian<G>> units(windows_);
    units[0] = Jacobian<G>::from_affine(base);
    for (std::size_t w = 1; w < units.size(); ++w) {
        units[w] = units[w - 1];
        for (unsigned k = 0; k < width_; ++k) units[w] = units[w].dbl();
    }
    std::vector<Point> first(2 * windows_, Point::infinity());  // entries 0 and 1 of each window
    const std::vector<Point> ones = batch_to_affine<G>(units);
    for (std::size_t w = 0; w < ones.size(); ++w) first[2 * w + 1] = ones[w];
    for (std::size_t w = 0; w < ones.size(); ++w)
        copy_to_device(table_.data + w * entries, first.data() + 2 * w, 2 * sizeof(Point), stream);

    const Arena::Scope scope(arena);
    Adder<G> add(arena, stream);
    const auto prefixes = add.take_prefixes(windows_ * windows.buckets() / 2);
    for (u32 log_known = 0; log_known + 1 < width_; ++log_known)
        add(FixedBasePairs<G>{table_.data, nullptr, nullptr, {}, log_known, static_cast<u32>(entries)},
            std::size_t{windows_} << log_known, prefixes);
    stream.synchronize();
}

template <class G>
void DeviceFixedBase<G>::multiply(Arena& arena, DeviceSpan<Fr> scalars, DeviceSpan<Point> out,
                                  const Stream& stream) const {
    if (scalars.size != out.size)
        throw Error(ErrorKind::kInternal, "multiples of a base: output and scalars differ in length");
    if (out.size >= kIsSum)
        throw Error(
            ErrorKind::kUnsupported,
            std::to_string(out.size) + " multiples of a base on the device at once; the limit is 2^30 - 1");
    if (out.size == 0) return;
    if (table_.size == 0) {
        check(cudaMemsetAsync(out.data, 0, out.size * sizeof(Point), stream.get()), "cudaMemsetAsync");
        return;
    }
    const SignedWindows<Fr> windows(width_, Fr::Constants::kModulusMinusOne);
    const std::size_t entries = windows.buckets() + 1;
    const auto cut = [&](u32 w) {
        return DigitCut{w * width_, width_, w + 1 == windows_ ? 0 : u32{1} << (width_ - 1)};
    };
    const auto count = static_cast<u32>(out.size);
    start_points<G>
        <<<(count + kFixedBaseThreads - 1) / kFixedBaseThreads, kFixedBaseThreads, 0, stream.get()>>>(
            scalars.data, windows.shifted({}), table_.data, cut(0), out.data, count);
    check_launch("start_points");

    const Arena::Scope scope(arena);
    Adder<G> add(arena, stream);
    const auto prefixes = add.take_prefixes(out.size);
    for (u32 w = 1; w < windows_; ++w)
        add(FixedBasePairs<G>{table_.data + w * entries, out.data,
                              reinterpret_cast<const typename Fr::Int*>(scalars.data), cut(w), 0, 0},
            out.size, prefixes);
}

}  // namespace cuzk::gpu
