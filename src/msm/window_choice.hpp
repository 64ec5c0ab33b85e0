// How wide the windows of a sum are.
#pragma once

#include <algorithm>

#include "msm/signed_windows.hpp"

namespace cuzk {

inline constexpr unsigned kMinMsmWindow = 2;
inline constexpr unsigned kMaxMsmWindow = 20;

// Chains that the buckets of one window are cut into for their weighted sum.
inline std::size_t chains_per_window(std::size_t buckets) {
    return std::min(buckets, buckets >= 1024 ? std::size_t{32} : std::size_t{8});
}

// Additions that n scalars in such windows take, where the digits are spread evenly: each point once a
// window, each bucket twice, and the scalar tail of the chains, whose additions are dearer.
template <class Fr>
double estimated_additions(std::size_t n, const SignedWindows<Fr>& windows) {
    const double tail = 20.0 * static_cast<double>(chains_per_window(windows.buckets()));
    return windows.count() * (static_cast<double>(n) + 2.2 * static_cast<double>(windows.buckets()) + tail);
}

// The cheapest width for n scalars of magnitude up to `bound`. `forced` overrides it if not 0.
template <class Fr>
SignedWindows<Fr> choose_windows(std::size_t n, const typename Fr::Int& bound, unsigned forced = 0) {
    if (forced != 0) return SignedWindows<Fr>(std::clamp(forced, kMinMsmWindow, kMaxMsmWindow), bound);
    unsigned best = kMinMsmWindow;
    double least = 0;
    for (unsigned width = kMinMsmWindow; width <= kMaxMsmWindow; ++width) {
        const double cost = estimated_additions(n, SignedWindows<Fr>(width, bound));
        if (width == kMinMsmWindow || cost < least) {
            least = cost;
            best = width;
        }
    }
    return SignedWindows<Fr>(best, bound);
}

}  // namespace cuzk
