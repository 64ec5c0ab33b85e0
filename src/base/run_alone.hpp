// Data-parallel code on one thread.
#pragma once

#include <oneapi/tbb/task_arena.h>

namespace cuzk {

// Calls body() and returns what it does; the loops of base/parallel.hpp in it run on the calling thread alone. For work in the
// background that must not take threads from what is urgent.
template <class Body>
auto run_alone(const Body& body) {
    oneapi::tbb::task_arena arena(1);
    return arena.execute(body);
}

}  // namespace cuzk
