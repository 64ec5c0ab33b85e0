// Pre-pass of a multi-scalar multiplication: which scalars need how much work.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "curve/affine.hpp"
#include "msm/signed_windows.hpp"

namespace cuzk {

// Real witnesses are mostly bits and small numbers. Magnitude m = min(s, r - s):
//   unit    m = 1: the base itself, no windows
//   short   m below 2^16
//   medium  m below 2^64
//   full    the rest
// Zero scalars and infinite bases are in no class.
enum class ScalarClass : u8 { kUnit, kShort, kMedium, kFull, kNone };
inline constexpr std::size_t kScalarClasses = 4;

template <class Fr>
struct ScalarClasses {
    using Int = typename Fr::Int;

    std::array<std::vector<u32>, kScalarClasses> lists;  // indices into the points, ascending

    std::vector<u32>& list(ScalarClass c) { return lists[static_cast<std::size_t>(c)]; }

    // Largest magnitude of a class.
    static Int bound(ScalarClass c) {
        switch (c) {
            case ScalarClass::kUnit: return Int::from_u64(1);
            case ScalarClass::kShort: return Int::from_u64(0xffff);
            case ScalarClass::kMedium: return Int::from_u64(~u64{0});
            default: return Fr::Constants::kHalf;
        }
    }

    static ScalarClass classify(const Int& scalar) {
        bool negative;
        const Int m = SignedWindows<Fr>::magnitude(scalar, negative);
        u64 high = 0;
        for (std::size_t i = 1; i < Int::kLimbs; ++i) high |= m.limb[i];
        if (high != 0) return ScalarClass::kFull;
        if (m.limb[0] >> 16 != 0) return ScalarClass::kMedium;
        if (m.limb[0] > 1) return ScalarClass::kShort;
        return m.limb[0] == 1 ? ScalarClass::kUnit : ScalarClass::kNone;
    }
};

template <class G>
ScalarClasses<typename G::Scalar> classify_scalars(AffineView<G> bases,
                                                   std::span<const typename G::Scalar::Int> scalars) {
    using Classes = ScalarClasses<typename G::Scalar>;
    constexpr std::size_t kRun = std::size_t{1} << 14;
    const std::size_t n = scalars.size();
    const std::size_t runs = (n + kRun - 1) / kRun;
    std::vector<ScalarClass> kind(n);
    std::vector<std::array<std::size_t, kScalarClasses + 1>> place(runs + 1);
    parallel_for(0, runs, [&](std::size_t run) {
        for (std::size_t i = run * kRun; i < std::min(n, (run + 1) * kRun); ++i) {
            kind[i] = Classes::classify(scalars[i]);
            if (kind[i] != ScalarClass::kNone && bases[i].is_infinity()) kind[i] = ScalarClass::kNone;
            ++place[run][static_cast<std::size_t>(kind[i])];
        }
    });
    Classes classes;
    for (std::size_t c = 0; c < kScalarClasses; ++c) {
        std::size_t total = 0;
        for (auto& run : place) {
            const std::size_t here = run[c];
            run[c] = total;
            total += here;
        }
        classes.lists[c].resize(total);
    }
    parallel_for(0, runs, [&](std::size_t run) {
        for (std::size_t i = run * kRun; i < std::min(n, (run + 1) * kRun); ++i)
            if (const auto c = static_cast<std::size_t>(kind[i]); c < kScalarClasses)
                classes.lists[c][place[run][c]++] = static_cast<u32>(i);
    });
    // A class that is small beside the next one is cheaper as a part of it.
    for (std::size_t c = 0; c + 1 < kScalarClasses; ++c) {
        std::vector<u32>& small = classes.lists[c];
        std::vector<u32>& next = classes.lists[c + 1];
        if (small.empty() || (small.size() >= 64 && small.size() * 16 >= next.size())) continue;
        if (next.empty() && c != 0) continue;
        next.insert(next.end(), small.begin(), small.end());
        small.clear();
    }
    return classes;
}

}  // namespace cuzk
