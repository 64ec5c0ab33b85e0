// Which of several data-parallel computations gets the threads.
#pragma once

#include <oneapi/tbb/task_arena.h>

namespace cuzk {

// Calls body() and returns what it does; its parallel loops get the pool's threads before all others', which go on with the threads
// that started them and with what is left. For the few things that somebody waits for by the second.
template <class Body>
decltype(auto) run_urgently(const Body& body) {
#ifdef __SANITIZE_THREAD__  // as in base/parallel.hpp
    return body();
#else
    oneapi::tbb::task_arena arena(oneapi::tbb::task_arena::automatic, 1,
                                  oneapi::tbb::task_arena::priority::high);
    return arena.execute(body);
#endif
}

}  // namespace cuzk
