#include "gpu/fault_injection.hpp"

#include <atomic>

namespace cuzk::gpu {

namespace {

std::atomic<const FaultInjection::Decide*> hook{nullptr};

}  // namespace

FaultInjection::FaultInjection(Decide decide) : decide_(std::move(decide)) {
    hook.store(&decide_, std::memory_order_release);
}

FaultInjection::~FaultInjection() {
    hook.store(nullptr, std::memory_order_release);
}

void fault_point(FaultPoint point, const char* what) {
    if (const auto* decide = hook.load(std::memory_order_acquire)) (*decide)(point, what);
}

}  // namespace cuzk::gpu
