// Checks of curve points that came from outside, one by one and over whole arrays.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <string>

#include "base/byte_reader.hpp"
#include "base/parallel.hpp"
#include "curve/affine.hpp"
#include "curve/parallel_search.hpp"
#include "curve/subgroup.hpp"
#include "formats/read_options.hpp"

namespace cuzk {

// Limbs below the modulus: what Fp promises of its own values, and a file does not.
template <class P>
constexpr bool is_reduced(const Fp<P>& x) {
    return x.montgomery() < FieldConstants<P>::kModulus;
}
template <class F>
constexpr bool is_reduced(const Fp2<F>& x) {
    return is_reduced(x.c0) && is_reduced(x.c1);
}

// Why a point is refused; null if it is fine. Infinity is fine here: whether it is allowed is the format's matter.
template <class G>
const char* point_fault(const Affine<G>& p, PointChecks checks) {
    if (checks == PointChecks::kNone) return nullptr;
    if (!is_reduced(p.x) || !is_reduced(p.y)) return "has a coordinate that is not below the field's modulus";
    if (p.is_infinity()) return nullptr;
    if (!p.is_on_curve()) return "is not on the curve";
    if (checks == PointChecks::kSubgroup && !in_subgroup(p))
        return "is on the curve, but outside the prime-order subgroup";
    return nullptr;
}

struct BadPoint {
    std::size_t index;
    const char* reason;
};

// The first bad point of an array, if any. Parallel.
template <class G>
std::optional<BadPoint> find_bad_point(AffineView<G> points, PointChecks checks) {
    if (checks == PointChecks::kNone) return std::nullopt;
    // In blocks: subgroup checks of many points together are several times as fast as one by one.
    constexpr std::size_t kBlock = 64;
    constexpr std::size_t kBlocksPerTask = 4;
    const PointChecks single = std::min(checks, PointChecks::kCurve);
    const std::size_t blocks = (points.size() + kBlock - 1) / kBlock;
    const auto bad_block = first_failure(blocks, kBlocksPerTask, [&](std::size_t block) {
        const std::size_t size = std::min(kBlock, points.size() - block * kBlock);
        std::array<Affine<G>, kBlock> copy;
        for (std::size_t i = 0; i < size; ++i) {
            copy[i] = points[block * kBlock + i];
            if (point_fault(copy[i], single) != nullptr) return true;
        }
        return checks == PointChecks::kSubgroup &&
               first_outside_subgroup(std::span<const Affine<G>>(copy.data(), size)).has_value();
    });
    if (!bad_block) return std::nullopt;
    for (std::size_t i = *bad_block * kBlock;; ++i)
        if (const char* fault = point_fault(points[i], checks)) return BadPoint{i, fault};
}

// Throws Error(kMalformed) about the first bad point; `base` is the offset of the array in the file.
template <class G>
void require_good_points(AffineView<G> points, PointChecks checks, const std::string& file,
                         const std::string& section, u64 base) {
    if (const auto bad = find_bad_point(points, checks))
        fail_in_file(file, section, base + bad->index * sizeof(Affine<G>),
                     "point " + std::to_string(bad->index) + " " + bad->reason);
}

template <class G>
std::size_t count_infinities(AffineView<G> points) {
    std::atomic<std::size_t> count{0};
    parallel_ranges(0, points.size(), 4096, [&](std::size_t begin, std::size_t end) {
        std::size_t n = 0;
        for (std::size_t i = begin; i < end; ++i) n += points[i].is_infinity() ? 1 : 0;
        count += n;
    });
    return count;
}

}  // namespace cuzk
