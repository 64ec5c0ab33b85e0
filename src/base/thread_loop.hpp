// A parallel loop on plain threads, used by base/parallel.hpp in ThreadSanitizer builds alone: the sanitizer cannot see
// how the uninstrumented oneTBB library orders tasks, and would report every hand-over of work as a race.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace cuzk {

// Calls body(first, last) on sub-ranges that cover [begin, end), on `threads` threads (the caller's among them). The
// first exception of a body stops the hand-out of further sub-ranges and is rethrown here.
template <class Body>
void thread_loop(std::size_t begin, std::size_t end, std::size_t grain, std::size_t threads,
                 const Body& body) {
    const std::size_t step = std::max({grain, (end - begin) / (4 * threads), std::size_t{1}});
    std::atomic<std::size_t> next{begin};
    std::mutex failure_mutex;
    std::exception_ptr failure;

    const auto work = [&] {
        for (;;) {
            const std::size_t first = next.fetch_add(step);
            if (first >= end) return;
            try {
                body(first, std::min(end, first + step));
            } catch (...) {
                const std::lock_guard lock(failure_mutex);
                if (!failure) failure = std::current_exception();
                next = end;
            }
        }
    };

    {
        std::vector<std::jthread> helpers;
        for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
        work();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace cuzk
