// Which of several data-parallel computations gets the threads.
#pragma once

#include <oneapi/tbb/task_arena.h>

namespace cuzk {

namespace detail {
inline thread_local bool urgent_here = false;

class UrgentHere {
public:
    UrgentHere() : before_(urgent_here) { urgent_here = true; }
    ~UrgentHere() { urgent_here = before_; }
    UrgentHere(const UrgentHere&) = delete;
    UrgentHere& operator=(const UrgentHere&) = delete;

private:
    bool before_;
};
}  // namespace detail

// Whether the calling thread is in run_urgently(): it goes first where it waits for its turn, too (base/turn.hpp).
inline bool is_urgent() {
    return detail::urgent_here;
}

// Calls body() and returns what it does; its parallel loops get the pool's threads before all others', which go on with the threads
// that started them and with what is left. For the few things that somebody waits for by the second.
template <class Body>
decltype(auto) run_urgently(const Body& body) {
#ifdef __SANITIZE_THREAD__  // as in base/parallel.hpp
    const detail::UrgentHere here;
    return body();
#else
    oneapi::tbb::task_arena arena(oneapi::tbb::task_arena::automatic, 1,
                                  oneapi::tbb::task_arena::priority::high);
    return arena.execute([&]() -> decltype(auto) {
        const detail::UrgentHere here;
        return body();
    });
#endif
}

}  // namespace cuzk
