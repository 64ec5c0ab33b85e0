// The one door to threads for data-parallel code: oneTBB behind a small interface, so that `--threads` and the
// engine's arenas govern everything.
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstddef>

#include "base/thread_loop.hpp"

namespace cuzk {

// Threads that a parallel loop started here may use.
inline std::size_t thread_count() {
    const auto limit =
        oneapi::tbb::global_control::active_value(oneapi::tbb::global_control::max_allowed_parallelism);
    return std::max<std::size_t>(
        1, std::min<std::size_t>(limit,
                                 static_cast<std::size_t>(oneapi::tbb::this_task_arena::max_concurrency())));
}

// Limits all parallel loops of the process while it lives (RAII). threads = 0: no limit of its own.
class ThreadLimit {
public:
    explicit ThreadLimit(std::size_t threads)
        : control_(
              oneapi::tbb::global_control::max_allowed_parallelism,
              threads != 0 ? threads : static_cast<std::size_t>(oneapi::tbb::info::default_concurrency())) {}

private:
    oneapi::tbb::global_control control_;
};

// Calls body(first, last) on disjoint sub-ranges that cover [begin, end), each at least `grain` long where the
// range allows. Exceptions of a body propagate to the caller after the other bodies stop.
template <class Body>
void parallel_ranges(std::size_t begin, std::size_t end, std::size_t grain, const Body& body) {
    if (begin >= end) return;
    if (end - begin <= grain || thread_count() == 1) {
        body(begin, end);
        return;
    }
#ifdef __SANITIZE_THREAD__
    thread_loop(begin, end, grain, thread_count(), body);
#else
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<std::size_t>(begin, end, std::max<std::size_t>(grain, 1)),
        [&](const oneapi::tbb::blocked_range<std::size_t>& range) { body(range.begin(), range.end()); });
#endif
}

// Calls body(i) for each i in [begin, end), in parallel, unordered.
template <class Body>
void parallel_for(std::size_t begin, std::size_t end, const Body& body, std::size_t grain = 1) {
    parallel_ranges(begin, end, grain, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) body(i);
    });
}

}  // namespace cuzk
