// Vectors for bulk data: big ones lie on huge pages, and elements are not set before their first write, so that the threads which
// write them also fault their pages in.
#pragma once

#include <memory>
#include <type_traits>
#include <vector>

#include "base/types.hpp"

namespace cuzk {

namespace large_vector_detail {
// From this size on, a block has its own mapping, on huge pages as far as it fills them.
inline constexpr std::size_t kOwnMapping = std::size_t{8} << 20;
// Throws std::bad_alloc.
void* map(std::size_t bytes);
void unmap(void* block, std::size_t bytes) noexcept;
}  // namespace large_vector_detail

template <class T>
struct LargeAllocator {
    using value_type = T;
    LargeAllocator() = default;
    template <class U>
    LargeAllocator(const LargeAllocator<U>&) {}

    T* allocate(std::size_t n) {
        if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
        const std::size_t bytes = n * sizeof(T);
        if (bytes < large_vector_detail::kOwnMapping) return std::allocator<T>().allocate(n);
        return static_cast<T*>(large_vector_detail::map(bytes));
    }
    void deallocate(T* block, std::size_t n) noexcept {
        const std::size_t bytes = n * sizeof(T);
        if (bytes < large_vector_detail::kOwnMapping)
            std::allocator<T>().deallocate(block, n);
        else
            large_vector_detail::unmap(block, bytes);
    }
    // Elements without a value stay unset.
    template <class U>
    void construct(U*) noexcept {
        static_assert(std::is_trivially_copyable_v<U>);
    }
    template <class U, class... Args>
    void construct(U* at, Args&&... args) {
        std::construct_at(at, std::forward<Args>(args)...);
    }
    bool operator==(const LargeAllocator&) const { return true; }
};

// Of trivially copyable elements. LargeVector(n) and resize(n) leave new elements unset.
template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace cuzk
