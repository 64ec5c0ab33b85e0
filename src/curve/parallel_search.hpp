// The first element of a range that fails a check, found in parallel.
#pragma once

#include <atomic>
#include <limits>
#include <optional>

#include "base/parallel.hpp"

namespace cuzk {

// The smallest i in [0, count) with fails(i), which may be called for other i too, from several threads, once each at most.
template <class Fails>
std::optional<std::size_t> first_failure(std::size_t count, std::size_t grain, const Fails& fails) {
    constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    std::atomic<std::size_t> first{kNone};
    parallel_ranges(0, count, grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end && i < first.load(std::memory_order_relaxed); ++i) {
            if (!fails(i)) continue;
            std::size_t seen = first.load(std::memory_order_relaxed);
            while (i < seen && !first.compare_exchange_weak(seen, i, std::memory_order_relaxed)) {
            }
            return;
        }
    });
    const std::size_t index = first.load(std::memory_order_relaxed);
    return index == kNone ? std::nullopt : std::optional(index);
}

}  // namespace cuzk
