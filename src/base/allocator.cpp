#include "base/allocator.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace cuzk {

void give_back_freed_blocks([[maybe_unused]] u64 from_bytes) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, static_cast<int>(from_bytes));
#endif
}

}  // namespace cuzk
