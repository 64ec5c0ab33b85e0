#include "base/large_vector.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <new>

namespace cuzk::large_vector_detail {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

constexpr std::size_t whole_pages(std::size_t bytes) {
    constexpr std::size_t kPage = 4096;
    return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

void* map(std::size_t bytes) {
    const std::size_t size = whole_pages(bytes);
    // One huge page more, so that there is a block on a huge page's boundary; what is around it goes back.
    void* const memory =
        mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    u8* const start = static_cast<u8*>(memory);
    const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(start) % kHugePage) % kHugePage;
    u8* const block = start + before;
    if (before != 0) munmap(start, before);
    if (before != kHugePage) munmap(block + size, kHugePage - before);
    // Advice: without huge pages all works as well. Whole ones only, not to hold memory that nobody asked for.
    madvise(block, size / kHugePage * kHugePage, MADV_HUGEPAGE);
    return block;
}

void unmap(void* block, std::size_t bytes) noexcept {
    munmap(block, whole_pages(bytes));
}

}  // namespace cuzk::large_vector_detail
