// Working memory of a kernel call.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace cuzk {

// Uninitialised bytes at cache-line alignment.
class Scratch {
public:
    explicit Scratch(std::size_t bytes)
        : bytes_(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{kAlignment}))) {}
    std::byte* data() const { return bytes_.get(); }

private:
    static constexpr std::size_t kAlignment = 64;
    struct Free {
        void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{kAlignment}); }
    };
    std::unique_ptr<std::byte[], Free> bytes_;
};

}  // namespace cuzk
