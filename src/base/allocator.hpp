// How the process' allocator treats what is freed.
#pragma once

#include "base/types.hpp"

namespace cuzk {

// From now on blocks of at least so many bytes go back to the system as soon as they are freed. By default glibc's allocator would come to
// keep blocks of up to 32 MiB, in each of its arenas, in return for some page faults.
void give_back_freed_blocks(u64 from_bytes);

}  // namespace cuzk
