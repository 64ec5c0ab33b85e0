#include "gpu/pinned_range.hpp"

#include <cuda_runtime.h>

#include <map>
#include <mutex>
#include <utility>

#include "gpu/check.hpp"

namespace cuzk::gpu {

namespace {

// Registrations belong to the process, whichever device or backend asks for them.
struct Registry {
    std::mutex mutex;
    std::map<std::pair<const void*, std::size_t>, std::size_t> holders;

    static Registry& instance() {
        static Registry registry;
        return registry;
    }
};

bool register_range(const void* data, std::size_t bytes, unsigned flags) {
    // The runtime wants a pointer to non-const; it only reads where copies only read.
    const cudaError_t status = cudaHostRegister(const_cast<void*>(data), bytes, flags);
    forget(status);  // a refusal is an answer here, not a state to keep
    return status == cudaSuccess;
}

}  // namespace

std::optional<PinnedRange> PinnedRange::pin(const void* data, std::size_t bytes) {
    if (bytes == 0) return std::nullopt;
    Registry& registry = Registry::instance();
    const std::lock_guard lock(registry.mutex);
    const auto [it, fresh] = registry.holders.try_emplace({data, bytes}, 0);
    if (fresh) {
        // Memory that the processor itself may only read, as a mapped key file, needs the second way, where the driver has it.
        if (!register_range(data, bytes, cudaHostRegisterPortable) &&
            !register_range(data, bytes, cudaHostRegisterPortable | cudaHostRegisterReadOnly)) {
            registry.holders.erase(it);
            return std::nullopt;
        }
    }
    ++it->second;
    return PinnedRange(data, bytes);
}

PinnedRange::PinnedRange(PinnedRange&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

PinnedRange::~PinnedRange() {
    if (data_ == nullptr) return;
    Registry& registry = Registry::instance();
    const std::lock_guard lock(registry.mutex);
    const auto it = registry.holders.find({data_, bytes_});
    if (--it->second != 0) return;
    registry.holders.erase(it);
    forget(cudaHostUnregister(const_cast<void*>(data_)));
}

std::size_t PinnedRange::count() {
    Registry& registry = Registry::instance();
    const std::lock_guard lock(registry.mutex);
    return registry.holders.size();
}

}  // namespace cuzk::gpu
