// The threads of a block as fibers of the calling thread. A fiber runs until it waits at a barrier or a vote, or ends; one
// that ends without having waited lends its stack to the next, so kernels without barriers run as a plain loop.
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "machine.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace emulated {

namespace {

constexpr std::size_t kStackBytes = std::size_t{256} << 10;

// Saves the registers that a call keeps, changes stacks, and takes up the other side's.
extern "C" void cuzk_emulated_switch(void** from_stack, void* to_stack);
asm(R"(
    .text
    .globl cuzk_emulated_switch
    .type cuzk_emulated_switch, @function
cuzk_emulated_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size cuzk_emulated_switch, .-cuzk_emulated_switch
)");

class Stack {
public:
    Stack()
        : memory_(mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
        if (memory_ == MAP_FAILED) throw std::bad_alloc();
    }
    ~Stack() {
#if defined(__SANITIZE_ADDRESS__)
        // What the sanitizer knows of the frames must not outlive them: others get this memory.
        __asan_unpoison_memory_region(memory_, kStackBytes);
#endif
        munmap(memory_, kStackBytes);
    }
    Stack(const Stack&) = delete;
    Stack& operator=(const Stack&) = delete;
    void* bottom() const {
        return memory_;
    }
    void* top() const {
        return static_cast<std::uint8_t*>(memory_) + kStackBytes;
    }

private:
    void* memory_;
};

enum class State { kFresh, kReady, kAtBarrier, kVoting, kEnded };

struct Fiber {
    std::unique_ptr<Stack> stack;
    void* registers = nullptr;  // its stack pointer while others run
    void* fake_stack = nullptr;
    State state = State::kFresh;
    unsigned vote_mask = 0, vote = 0;
    int result = 0;  // of a barrier
    Votes votes;
    dim3 index;
};

class Block;
thread_local Block* current = nullptr;

class Block {
public:
    explicit Block(const Launch& launch, const std::function<void()>& thread)
        : launch_(launch),
          thread_(thread),
          fibers_(launch.block.x),
          shared_((launch.shared + sizeof(uint4) - 1) / sizeof(uint4) + 1) {
        for (unsigned t = 0; t < launch.block.x; ++t) fibers_[t].index = dim3(t, 0, 0);
    }

    void run(dim3 index) {
        index_ = index;
        for (Fiber& fiber : fibers_) fiber.state = State::kFresh;
        ended_ = 0;
        while (ended_ < fibers_.size()) {
            bool moved = false;
            for (unsigned t = 0; t < fibers_.size(); ++t)
                if (fibers_[t].state == State::kFresh || fibers_[t].state == State::kReady) {
                    resume(t);
                    moved = true;
                }
            moved = open_barrier() || moved;
            for (unsigned warp = 0; 32 * warp < fibers_.size(); ++warp) moved = finish_votes(warp) || moved;
            if (!moved) throw std::logic_error("a kernel waits for threads that never come");
        }
    }

    void wait(State state) {
        Fiber& fiber = fibers_[running_];
        fiber.state = state;
        leave(fiber, false);
    }

    Fiber& fiber() { return fibers_[running_]; }
    const dim3& index() const { return index_; }
    const Launch& parameters() const { return launch_; }
    void* shared() { return shared_.data(); }

private:
    void resume(unsigned t) {
        running_ = t;
        Fiber& fiber = fibers_[t];
        if (fiber.state == State::kFresh) begin(fiber);
        fiber.state = State::kReady;
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_start_switch_fiber(&scheduler_fake_stack_, fiber.stack->bottom(), kStackBytes);
#endif
        cuzk_emulated_switch(&scheduler_, fiber.registers);
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_finish_switch_fiber(scheduler_fake_stack_, nullptr, nullptr);
#endif
        if (fiber.state == State::kEnded) {
            ++ended_;
            spare_.push_back(std::move(fiber.stack));
        }
        if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    }

    void begin(Fiber& fiber) {
        if (spare_.empty()) spare_.push_back(std::make_unique<Stack>());
        fiber.stack = std::move(spare_.back());
        spare_.pop_back();
        fiber.fake_stack = nullptr;
        // Six registers, where to go, and a return address that entry() never uses: the stack is aligned as after a call.
        auto** top = static_cast<void**>(fiber.stack->top());
        std::memset(top - 8, 0, 8 * sizeof(void*));
        top[-2] = reinterpret_cast<void*>(&Block::entry);
        fiber.registers = top - 8;
    }

    // It never returns, so its own frame must not be marked: the next fiber starts on the same stack.
    [[gnu::no_sanitize_address]] static void entry() {
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_finish_switch_fiber(nullptr, &current->scheduler_bottom_, &current->scheduler_size_);
#endif
        try {
            current->thread_();
        } catch (...) {
            current->failure_ = std::current_exception();
        }
        Fiber& fiber = current->fiber();
        fiber.state = State::kEnded;
        current->leave(fiber, true);
    }

    void leave(Fiber& fiber, [[maybe_unused]] bool for_ever) {
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_start_switch_fiber(for_ever ? nullptr : &fiber.fake_stack, scheduler_bottom_,
                                       scheduler_size_);
#endif
        cuzk_emulated_switch(&fiber.registers, scheduler_);
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_finish_switch_fiber(fiber.fake_stack, &scheduler_bottom_, &scheduler_size_);
#endif
    }

    // When all threads that have not ended wait at the barrier.
    bool open_barrier() {
        int any = 0;
        std::size_t waiting = 0;
        for (const Fiber& fiber : fibers_)
            if (fiber.state == State::kAtBarrier) {
                ++waiting;
                any |= fiber.result;
            }
        if (waiting == 0 || waiting + ended_ != fibers_.size()) return false;
        for (Fiber& fiber : fibers_)
            if (fiber.state == State::kAtBarrier) {
                fiber.result = any != 0;
                fiber.state = State::kReady;
            }
        return true;
    }

    // The votes of a warp for which all lanes of their mask, but ended ones, are there.
    bool finish_votes(unsigned warp) {
        const unsigned first = 32 * warp;
        const auto lanes = static_cast<unsigned>(std::min<std::size_t>(32, fibers_.size() - first));
        unsigned ended = lanes == 32 ? 0 : ~0u << lanes;
        for (unsigned lane = 0; lane < lanes; ++lane)
            if (fibers_[first + lane].state == State::kEnded) ended |= 1u << lane;
        bool finished = false;
        for (unsigned lane = 0; lane < lanes; ++lane) {
            if (fibers_[first + lane].state != State::kVoting) continue;
            const unsigned mask = fibers_[first + lane].vote_mask;
            Votes votes;
            for (unsigned other = 0; other < lanes; ++other) {
                const Fiber& fiber = fibers_[first + other];
                if ((mask >> other & 1) == 0 || fiber.state != State::kVoting || fiber.vote_mask != mask)
                    continue;
                votes.lanes |= 1u << other;
                votes.value[other] = fiber.vote;
            }
            if (votes.lanes != (mask & ~ended)) continue;
            for (unsigned other = 0; other < lanes; ++other)
                if ((votes.lanes >> other & 1) != 0) {
                    fibers_[first + other].votes = votes;
                    fibers_[first + other].state = State::kReady;
                }
            finished = true;
        }
        return finished;
    }

    const Launch& launch_;
    const std::function<void()>& thread_;
    std::vector<Fiber> fibers_;
    std::vector<uint4> shared_;
    std::vector<std::unique_ptr<Stack>> spare_;
    dim3 index_;
    unsigned running_ = 0;
    std::size_t ended_ = 0;
    void* scheduler_ = nullptr;
    std::exception_ptr failure_;
#if defined(__SANITIZE_ADDRESS__)
    void* scheduler_fake_stack_ = nullptr;
#endif
    const void* scheduler_bottom_ = nullptr;
    std::size_t scheduler_size_ = 0;
};

}  // namespace

void run(const Launch& launch, const std::function<void()>& thread) {
    Block block(launch, thread);
    Block* const outer = std::exchange(current, &block);
    for (unsigned y = 0; y < launch.grid.y; ++y)
        for (unsigned x = 0; x < launch.grid.x; ++x) block.run(dim3(x, y, 0));
    current = outer;
}

const dim3& thread_index() {
    return current->fiber().index;
}
const dim3& block_index() {
    return current->index();
}
const dim3& block_size() {
    return current->parameters().block;
}
const dim3& grid_size() {
    return current->parameters().grid;
}
void* dynamic_shared() {
    return current->shared();
}

int barrier(int value) {
    Block& block = *current;
    block.fiber().result = value;
    block.wait(State::kAtBarrier);
    return block.fiber().result;
}

Votes exchange(unsigned mask, unsigned value) {
    Block& block = *current;
    block.fiber().vote_mask = mask;
    block.fiber().vote = value;
    block.wait(State::kVoting);
    return block.fiber().votes;
}

}  // namespace emulated
