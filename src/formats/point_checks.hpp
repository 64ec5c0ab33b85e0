// Checks of curve points that came from outside, one by one and over whole arrays.
#pragma once

#include <atomic>
#include <limits>
#include <optional>
#include <string>

#include "base/byte_reader.hpp"
#include "base/parallel.hpp"
#include "curve/affine.hpp"
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
    constexpr std::size_t kGrain = 1024;
    std::atomic<std::size_t> first_bad{std::numeric_limits<std::size_t>::max()};
    parallel_ranges(0, points.size(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end && i < first_bad.load(std::memory_order_relaxed); ++i) {
            if (point_fault(points[i], checks) == nullptr) continue;
            std::size_t seen = first_bad.load(std::memory_order_relaxed);
            while (i < seen && !first_bad.compare_exchange_weak(seen, i)) {
            }
            return;
        }
    });
    const std::size_t index = first_bad.load();
    if (index == std::numeric_limits<std::size_t>::max()) return std::nullopt;
    return BadPoint{index, point_fault(points[index], checks)};
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
