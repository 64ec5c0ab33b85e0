// Host memory of others, pinned for a while.
#pragma once

#include <cstddef>
#include <optional>

#include "base/types.hpp"

namespace cuzk::gpu {

// While it lives the device copies from these bytes by itself. Ranges are counted process-wide: whoever pins one that is pinned
// already shares it, and it is released with the last holder. Thread-safe. The holder sees to it that no copy is under way
// when it ends.
class PinnedRange {
public:
    // Nothing if the driver does not take this memory (a mapping of a file on some systems, pages that another range has): it can
    // be copied by way of an Uploader all the same.
    static std::optional<PinnedRange> pin(const void* data, std::size_t bytes);

    PinnedRange(PinnedRange&& other) noexcept;
    PinnedRange& operator=(PinnedRange&&) = delete;
    ~PinnedRange();

    // Ranges that are pinned now, each counted once.
    static std::size_t count();

private:
    PinnedRange(const void* data, std::size_t bytes) : data_(data), bytes_(bytes) {}

    const void* data_;
    std::size_t bytes_;
};

}  // namespace cuzk::gpu
