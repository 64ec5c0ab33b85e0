// Where tests make things fail. Production engines have no hook.
#pragma once

#include <string>

#include "base/types.hpp"

namespace cuzk::engine {

enum class FaultPoint { kDecode, kKeyLoad, kSynthesis, kDeviceProve, kJournalWrite };

// A hook may throw (DeviceError, Error, std::bad_alloc) or sleep; called on the thread that does the work, without locks.
class FaultHook {
public:
    virtual ~FaultHook() = default;
    // `subject`: the job id, or the circuit id for kKeyLoad; partition and device are -1 where they say nothing.
    virtual void at(FaultPoint point, const std::string& subject, i64 partition, i64 device) = 0;
};

}  // namespace cuzk::engine
