// A hook of tests: failures where the device layer can fail. Free of CUDA headers.
#pragma once

#include <functional>

#include "gpu/failure.hpp"

namespace cuzk::gpu {

enum class FaultPoint { kAllocation, kArena, kLaunch, kSynchronize };

// While it lives, `decide` is asked at every point of every thread, and may throw what it wants to have failed there. One at a
// time; install and remove it while no device work is under way.
class FaultInjection {
public:
    using Decide = std::function<void(FaultPoint point, const char* what)>;

    explicit FaultInjection(Decide decide);
    ~FaultInjection();
    FaultInjection(const FaultInjection&) = delete;
    FaultInjection& operator=(const FaultInjection&) = delete;

private:
    Decide decide_;
};

// Called by the device layer where something can fail: before it is done, but for a wait, after it. Costs a load where no test has a
// hook.
void fault_point(FaultPoint point, const char* what);

}  // namespace cuzk::gpu
