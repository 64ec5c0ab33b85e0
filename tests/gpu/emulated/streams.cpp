// Streams that hold their work back, and events.
//
// What is queued runs when something needs it: a wait of the host, or another stream that waits for an event. That is a legal order, and
// of all legal orders one of the worst for code that forgot to wait. Which thread comes to run the work is chance, as on a device.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "machine.hpp"

namespace emulated {

// A place in a queue that an event stands for.
struct Mark {
    std::shared_ptr<Queue> queue;
    std::size_t end;  // steps of the queue up to it
    std::chrono::steady_clock::time_point passed{};
};

struct Step {
    std::function<void()> work;
    std::shared_ptr<const Mark> after{};  // what must have happened before, if anything
    HostRange host{};                     // that the work uses
};

struct Queue {
    int device;
    std::deque<Step> steps{};  // that are not done
    std::size_t done = 0;
    bool busy = false;  // a thread is at the first step

    std::size_t end() const { return done + steps.size(); }
};

}  // namespace emulated

struct EmulatedEvent {
    int device;
    std::shared_ptr<emulated::Mark> last{};  // null before it is recorded
};

namespace emulated {

namespace {

Order order_of_environment() {
    const char* const text = std::getenv("CUZK_EMULATED_ORDER");
    const std::string order = text == nullptr ? "lazy" : text;
    if (order == "lazy") return Order::kLazy;
    if (order == "eager") return Order::kEager;
    std::fprintf(stderr, "CUZK_EMULATED_ORDER is lazy or eager, not %s\n", text);
    std::abort();
}

// The queues of all streams. A step waits for steps that were queued before it, so threads that run queues do not wait in a circle.
class Scheduler {
public:
    static Scheduler& instance() {
        static Scheduler scheduler;
        return scheduler;
    }

    std::shared_ptr<Queue> make(int device) {
        const std::lock_guard lock(mutex_);
        // A stream that is destroyed leaves its work behind.
        std::erase_if(queues_,
                      [](const auto& queue) { return queue.use_count() == 1 && queue->steps.empty(); });
        return queues_.emplace_back(std::make_shared<Queue>(Queue{device}));
    }
    void set_order(Order order) {
        const std::lock_guard lock(mutex_);
        order_ = order;
    }

    void push(Queue& queue, std::function<void()> work, HostRange host) {
        const std::lock_guard lock(mutex_);
        queue.steps.push_back({std::move(work), nullptr, host});
    }
    bool uses(HostRange host) {
        const auto overlaps = [&](const Step& step) {
            const auto *a = static_cast<const char*>(host.data),
                       *b = static_cast<const char*>(step.host.data);
            return step.host.bytes != 0 && a < b + step.host.bytes && b < a + host.bytes;
        };
        const std::lock_guard lock(mutex_);
        return std::any_of(queues_.begin(), queues_.end(), [&](const auto& queue) {
            return state_of(queue->device) == cudaSuccess &&
                   std::any_of(queue->steps.begin(), queue->steps.end(), overlaps);
        });
    }
    void record(EmulatedEvent& event, const std::shared_ptr<Queue>& queue) {
        const std::lock_guard lock(mutex_);
        const auto mark = std::make_shared<Mark>(Mark{queue, queue->end() + 1});
        queue->steps.push_back({[mark] { mark->passed = std::chrono::steady_clock::now(); }});
        event.last = mark;
    }
    // An event that was never recorded has happened.
    void wait(Queue& queue, const EmulatedEvent& event) {
        const std::lock_guard lock(mutex_);
        if (event.last && event.last->queue.get() != &queue) queue.steps.push_back({[] {}, event.last});
    }

    void finish(Queue& queue) {
        std::unique_lock lock(mutex_);
        reach(lock, queue, queue.end());
    }
    void finish(const EmulatedEvent& event) {
        std::unique_lock lock(mutex_);
        if (const std::shared_ptr<Mark> mark = event.last) reach(lock, *mark->queue, mark->end);
    }
    void finish_device(int device) {
        std::unique_lock lock(mutex_);
        for (const auto& queue : std::vector(queues_))
            if (queue->device == device) reach(lock, *queue, queue->end());
    }
    void drop() {
        const std::lock_guard lock(mutex_);
        for (const auto& queue : queues_) {
            queue->done = queue->end();
            queue->steps.clear();
        }
    }

    // When the event happened.
    cudaError_t passed(const EmulatedEvent& event, std::chrono::steady_clock::time_point& time) {
        const std::lock_guard lock(mutex_);
        if (!event.last) return cudaErrorInvalidResourceHandle;
        if (!has_happened(*event.last)) return cudaErrorNotReady;
        time = event.last->passed;
        return cudaSuccess;
    }

private:
    static bool has_happened(const Mark& mark) { return mark.queue->done >= mark.end; }

    // Runs the queue, or lets the thread that is at it, until so many of its steps are done.
    void reach(std::unique_lock<std::mutex>& lock, Queue& queue, std::size_t end) {
        while (queue.done < end) {
            if (order_ == Order::kEager) run_others(lock, queue);
            if (queue.busy)
                moved_.wait(lock);
            else if (queue.done < end)
                run_first(lock, queue);
        }
    }

    // All that can be done on other streams without this one.
    void run_others(std::unique_lock<std::mutex>& lock, const Queue& queue) {
        for (bool moved = true; std::exchange(moved, false);)
            for (const auto& other : std::vector(queues_))
                while (other.get() != &queue && can_run(*other)) {
                    run_first(lock, *other);
                    moved = true;
                }
    }
    static bool can_run(const Queue& queue) {
        if (queue.busy || queue.steps.empty()) return false;
        const auto& after = queue.steps.front().after;
        return !after || has_happened(*after);
    }

    void run_first(std::unique_lock<std::mutex>& lock, Queue& queue) {
        queue.busy = true;
        const Step step = std::move(queue.steps.front());
        std::exception_ptr failure;
        try {
            if (step.after) reach(lock, *step.after->queue, step.after->end);
            lock.unlock();
            // A device that is lost does nothing any more.
            if (state_of(queue.device) == cudaSuccess) step.work();
        } catch (...) {
            failure = std::current_exception();
        }
        if (!lock.owns_lock()) lock.lock();
        queue.steps.pop_front();
        ++queue.done;
        queue.busy = false;
        moved_.notify_all();
        if (failure) std::rethrow_exception(failure);
    }

    std::mutex mutex_;
    std::condition_variable moved_;
    std::vector<std::shared_ptr<Queue>> queues_;
    Order order_ = order_of_environment();
};

}  // namespace

void set_order(Order order) {
    Scheduler::instance().set_order(order);
}

cudaError_t enqueue(EmulatedStream* stream, std::function<void()> work, HostRange host) {
    if (stream == nullptr) return answer(cudaErrorInvalidValue);
    if (const cudaError_t state = state_of(stream->device); state != cudaSuccess) return answer(state);
    Scheduler::instance().push(*stream->queue, std::move(work), host);
    return cudaSuccess;
}

void finish_device(int device) {
    Scheduler::instance().finish_device(device);
}
void require_unused(HostRange host, const char* call) {
    if (!Scheduler::instance().uses(host)) return;
    std::fprintf(stderr, "%s of host memory that queued work uses\n", call);
    std::abort();
}
void drop_queued_work() {
    Scheduler::instance().drop();
}

}  // namespace emulated

using emulated::answer;
using emulated::Scheduler;
using emulated::state_of;

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    int device = 0;
    cudaGetDevice(&device);
    if (const cudaError_t state = state_of(device); state != cudaSuccess) return answer(state);
    *stream = new EmulatedStream{device, Scheduler::instance().make(device)};
    return cudaSuccess;
}
// What is queued is still done, when the device is waited for at the latest.
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    const int device = stream->device;
    delete stream;
    return answer(state_of(device));
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (stream == nullptr) return answer(cudaErrorInvalidValue);
    Scheduler::instance().finish(*stream->queue);
    return answer(state_of(stream->device));
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    if (const cudaError_t state = state_of(stream->device); state != cudaSuccess) return answer(state);
    Scheduler::instance().wait(*stream->queue, *event);
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    int device = 0;
    cudaGetDevice(&device);
    *event = new EmulatedEvent{device};
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    const int device = event->device;
    delete event;
    return answer(state_of(device));
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (const cudaError_t state = state_of(stream->device); state != cudaSuccess) return answer(state);
    if (event->device != stream->device) return answer(cudaErrorInvalidValue);
    Scheduler::instance().record(*event, stream->queue);
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    Scheduler::instance().finish(*event);
    return answer(state_of(event->device));
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
    std::chrono::steady_clock::time_point begin, end;
    if (const cudaError_t state = state_of(to->device); state != cudaSuccess) return answer(state);
    for (const cudaError_t status :
         {Scheduler::instance().passed(*from, begin), Scheduler::instance().passed(*to, end)})
        if (status != cudaSuccess) return answer(status);
    *milliseconds = std::chrono::duration<float, std::milli>(end - begin).count();
    return cudaSuccess;
}
